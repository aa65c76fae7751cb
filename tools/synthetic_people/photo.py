"""From a person and a shot to a photo and its landmarks; the whole flow is in `take`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tools.synthetic_people.assets import Assets
from tools.synthetic_people.develop import develop
from tools.synthetic_people.head_mask import HeadMask
from tools.synthetic_people.landmarks import landmark_rows
from tools.synthetic_people.lights import Blockers, ShadowMaps, make_maps, receive
from tools.synthetic_people.materials import shade
from tools.synthetic_people.raster import FAR, draw_strands, draw_triangles
from tools.synthetic_people.scene import Sitter, make_scene, make_strands
from tools.synthetic_people.shape import make_head
from tools.synthetic_people.shots import Shot
from tools.synthetic_people.strands import Strands, shade_strands
from tools.synthetic_people.surfaces import studio_wall, wild_scene

Floats = npt.NDArray[np.float32]

OVERSAMPLE = 3
COARSER = 2  # head masks have half the photo's pixels on a side: a strand more or less is no matter
OPACITY = 0.85  # of one strand, so that thin ones stay soft
DISTANCE = 14.0  # decimetres from the camera to the face
VIEW = 3.15  # decimetres that the picture spans at the face
AIM = np.array([0.0, 7.26, 0.9], np.float32)


@dataclass(frozen=True)
class Photo:
    """sRGB picture, landmarks (68, 2) in its pixels, and labels of its head (h/2, w/2)."""

    rgb: npt.NDArray[np.uint8]
    landmarks: Floats
    head: npt.NDArray[np.uint8]


def take(assets: Assets, sitter: Sitter, shot: Shot, size: int) -> Photo:
    """Render one photo of `size` x `size` pixels."""
    head = make_head(assets, sitter.person, shot.expression)
    scene = make_scene(assets, sitter, head, shot)
    strands = make_strands(assets, sitter, head, shot)
    hair_points = np.ascontiguousarray(strands[0].points[::2, ::2].reshape(-1, 3))
    maps = make_maps(shot.rig, Blockers(scene.points, assets.coarse, hair_points))
    camera = Camera(shot, size * OVERSAMPLE)
    face, weights, depth = camera.blank()
    draw_triangles(camera.project(scene.points), scene.triangles, 0, face, weights, depth)
    rng = np.random.default_rng(shot.wall_seed)
    image = (studio_wall if shot.mode == "studio" else wild_scene)(camera.pixels, rng)
    light = receive(shot.rig, maps, scene.points, scene.normals, strand=False)
    image[face >= 0] = shade(scene, sitter, shot.rig, light, face, weights)
    places = camera.project(scene.points[landmark_rows(assets)])[:, :2]
    mask = HeadMask.of_skin(scene, face, places)
    for bundle in strands:
        before = depth.copy()
        screen, widths = _draw(bundle, maps, shot, camera, image, depth)
        mask.add_strands(screen, widths, before)
    rgb = develop(image, size, shot.rig.exposure, shot.noise, rng)
    # the middle of a pixel is half a pixel from its edge in both sizes
    return Photo(rgb, (places + 0.5) / OVERSAMPLE - 0.5, mask.shrunk(size // COARSER))


class Camera:
    """A pinhole at eye height in front of the face."""

    def __init__(self, shot: Shot, pixels: int) -> None:
        self.pixels = pixels
        self.eye = AIM + np.array([0, 0, DISTANCE], np.float32)
        self._focal = shot.zoom * pixels * DISTANCE / VIEW
        self._middle = pixels * (0.5 + np.array(shot.shift, np.float32))

    def project(self, points: Floats) -> Floats:
        """Pixels and depth (n, 3) of points in the world."""
        away = self.eye[2] - points[:, 2]
        x = self._middle[0] + self._focal * (points[:, 0] - self.eye[0]) / away
        y = self._middle[1] - self._focal * (points[:, 1] - self.eye[1]) / away
        return np.stack([x, y, away], 1).astype(np.float32)

    def blank(self) -> tuple[npt.NDArray[np.int32], Floats, Floats]:
        """Empty buffers: triangle, barycentric weights, depth."""
        shape = (self.pixels, self.pixels)
        return np.full(shape, -1, np.int32), np.zeros((*shape, 2), np.float32), np.full(shape, FAR)


def _draw(
    bundle: Strands, maps: ShadowMaps, shot: Shot, camera: Camera, image: Floats, depth: Floats
) -> tuple[Floats, Floats]:
    """Shade and draw one bundle of strands; returns where it lies on screen, and how wide.

    Widths are given for a 960 pixel picture.
    """
    shape = bundle.points.shape
    colours = shade_strands(bundle, maps, shot.rig, camera.eye)
    screen = camera.project(bundle.points.reshape(-1, 3)).reshape(shape)
    taper = np.linspace(*bundle.width, shape[1], dtype=np.float32)
    widths = np.broadcast_to(taper, shape[:2]).copy() * (camera.pixels // OVERSAMPLE) / 320
    draw_strands(screen, colours, widths, image, depth, OPACITY)
    return screen, widths
