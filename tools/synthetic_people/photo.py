"""From a person and a shot to a photo and its landmarks; the whole flow is in `take`."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from tools.synthetic_people import develop
from tools.synthetic_people.assets import SKIN, TEETH, Assets
from tools.synthetic_people.eyes import eye_colours, eyeball
from tools.synthetic_people.facial_hair import make_beard, make_brows, make_lashes
from tools.synthetic_people.hair import make_hair, scalp_density
from tools.synthetic_people.landmarks import landmark_rows
from tools.synthetic_people.lights import Blockers, Received, make_maps, receive
from tools.synthetic_people.person import Person
from tools.synthetic_people.raster import (
    FAR,
    draw_strands,
    draw_triangles,
    interpolate,
    vertex_normals,
)  # fmt: skip
from tools.synthetic_people.shape import Head, make_head
from tools.synthetic_people.shots import Shot
from tools.synthetic_people.skin import Skin, make_skin, relief_at, shade_skin
from tools.synthetic_people.strands import Strands, shade_strands
from tools.synthetic_people.surfaces import (
    cloth_depth,
    shade_cloth,
    shade_teeth,
    studio_wall,
    wild_scene,
)  # fmt: skip

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

OVERSAMPLE = 3
DISTANCE = 14.0  # decimetres from the camera to the face
VIEW = 3.15  # decimetres that the picture spans at the face
PIVOT = np.array([0.0, 6.55, 0.35], np.float32)
AIM = np.array([0.0, 7.17, 0.9], np.float32)
EYE_PART = 3


@dataclass(frozen=True)
class Sitter:
    """What does not change between the photos of a person."""

    person: Person
    head: Head
    skin: Skin
    hair: Strands
    scalp: Floats


@dataclass(frozen=True)
class Scene:
    """All triangles in the world, posed, with what each vertex carries."""

    points: Floats
    normals: Floats
    triangles: Ints
    rest: Floats
    masks: Floats
    part: Ints


@dataclass(frozen=True)
class Photo:
    """sRGB picture and landmarks (68, 2) in its pixels."""

    rgb: npt.NDArray[np.uint8]
    landmarks: Floats


def make_sitter(assets: Assets, person: Person) -> Sitter:
    """Shape, skin and hair of a person."""
    head = make_head(assets, person, "neutral")
    hair = make_hair(assets, person, head.points)
    return Sitter(person, head, make_skin(person), hair, scalp_density(assets, person))


def take(assets: Assets, sitter: Sitter, shot: Shot, size: int) -> Photo:
    """Render one photo of `size` x `size` pixels."""
    head = make_head(assets, sitter.person, shot.expression)
    scene = _scene(assets, sitter, head, shot)
    strands = _strands(assets, sitter, head, shot)
    hair_points = strands[0].points[::2, ::2].reshape(-1, 3)
    blockers = Blockers(scene.points, assets.coarse, np.ascontiguousarray(hair_points))
    big = size * OVERSAMPLE
    camera = _Camera(shot, big)
    face = np.full((big, big), -1, np.int32)
    weights = np.zeros((big, big, 2), np.float32)
    depth = np.full((big, big), FAR, np.float32)
    draw_triangles(camera.project(scene.points), scene.triangles, 0, face, weights, depth)
    wall_rng = np.random.default_rng(shot.wall_seed)
    image = (studio_wall if shot.mode == "studio" else wild_scene)(big, wall_rng)
    maps = make_maps(shot.rig, blockers)
    light = receive(shot.rig, maps, scene.points, scene.normals, strand=False)
    _shade(image, scene, sitter, shot, light, face, weights)
    for bundle in strands:
        colours = shade_strands(bundle, maps, shot.rig, camera.eye)
        flat_screen = camera.project(bundle.points.reshape(-1, 3)).reshape(bundle.points.shape)
        taper = np.linspace(*bundle.width, bundle.points.shape[1], dtype=np.float32)
        widths = np.broadcast_to(taper, bundle.points.shape[:2]).copy() * size / 320
        draw_strands(flat_screen, colours, widths, image, depth, 0.85)
    rgb = develop.develop(image, size, shot.rig.exposure, shot.noise, wall_rng)
    rows = landmark_rows(assets)
    return Photo(rgb, camera.project(scene.points[rows])[:, :2] / OVERSAMPLE)


class _Camera:
    """A pinhole at eye height in front of the face."""

    def __init__(self, shot: Shot, pixels: int) -> None:
        self.eye = AIM + np.array([0, 0, DISTANCE], np.float32)
        self._focal = shot.zoom * pixels * DISTANCE / VIEW
        self._middle = pixels * (0.5 + np.array(shot.shift, np.float32))

    def project(self, points: Floats) -> Floats:
        away = self.eye[2] - points[:, 2]
        x = self._middle[0] + self._focal * (points[:, 0] - self.eye[0]) / away
        y = self._middle[1] - self._focal * (points[:, 1] - self.eye[1]) / away
        return np.stack([x, y, away], 1).astype(np.float32)


def _pose(points: Floats, shot: Shot) -> Floats:
    """Turn the head about the neck; the shoulders stay."""
    yaw, pitch, roll = np.radians([shot.yaw, shot.pitch, shot.roll])
    turn = cv2.Rodrigues(np.array([0, yaw, 0]))[0] @ cv2.Rodrigues(np.array([pitch, 0, 0]))[0]
    turn = turn @ cv2.Rodrigues(np.array([0, 0, roll]))[0]
    t = np.clip((points[:, 1:2] - 5.75) / 0.75, 0, 1)
    share = t * t * (3 - 2 * t)
    turned = (points - PIVOT) @ turn.T.astype(np.float32) + PIVOT
    return (points + share * (turned - points)).astype(np.float32)


def _scene(assets: Assets, sitter: Sitter, head: Head, shot: Shot) -> Scene:
    under = cloth_depth(assets.rest, sitter.person.neckline)
    body = head.points + _cloth_offset(head.points, under, assets.mesh.triangles)
    points, rest, triangles = [body], [assets.rest], [assets.mesh.triangles]
    masks = [
        np.stack([assets.lips, assets.lids, assets.ears, assets.cavity, under, sitter.scalp], 1)
    ]
    part = [assets.part]
    count = len(body)
    gaze = np.array([np.radians(shot.gaze[0]), np.radians(shot.gaze[1]), 1.0])
    for i in range(2):
        # eyes meet a little: they look at the camera
        toe_in = np.array([-0.02 if head.eyes[i, 0] > 0 else 0.02, 0, 0])
        p, local, faces = eyeball(head.eyes[i], head.eye_radius, gaze + toe_in)
        points.append(p)
        rest.append(local)
        triangles.append(faces + count)
        masks.append(np.zeros((len(p), 6), np.float32))
        part.append(np.full(len(p), EYE_PART, np.int32))
        count += len(p)
    posed = _pose(np.concatenate(points), shot)
    faces = np.concatenate(triangles).astype(np.int32)
    return Scene(
        posed, vertex_normals(posed, faces), faces, np.concatenate(rest).astype(np.float32),
        np.concatenate(masks).astype(np.float32), np.concatenate(part),
    )  # fmt: skip


def _cloth_offset(points: Floats, under: Floats, triangles: Ints) -> Floats:
    """Cloth stands off the skin, most at the hem."""
    t = np.clip((under + 0.16) / 0.16, 0, 1)
    return vertex_normals(points, triangles) * (0.045 * t * t * (3 - 2 * t))[:, None]


def _strands(assets: Assets, sitter: Sitter, head: Head, shot: Shot) -> list[Strands]:
    """Hair first (it casts the shadows), then what grows on the face."""
    grown = [sitter.hair, make_brows(assets, sitter.person, head.points)]
    beard = make_beard(assets, sitter.person, head.points)
    grown += [beard] if beard is not None else []
    grown.append(make_lashes(assets, sitter.person, head.points))
    posed = []
    for bundle in grown:
        flat = _pose(bundle.points.reshape(-1, 3), shot).reshape(bundle.points.shape)
        posed.append(Strands(flat, bundle.colours, bundle.width, bundle.gloss))
    return posed


def _shade(
    image: Floats, scene: Scene, sitter: Sitter, shot: Shot, light: Received,
    face: Ints, weights: Floats,
) -> None:  # fmt: skip
    """Colour every pixel that shows a triangle."""
    carried = np.hstack([scene.rest, scene.normals, scene.masks, light.sky, light.lamps])
    shown = face >= 0
    values = interpolate(carried.astype(np.float32), scene.triangles, face, weights)[shown]
    part = scene.part[scene.triangles[face[shown], 0]]
    rest, normal, masks = values[:, :3], values[:, 3:6], values[:, 6:12]
    normal = normal / (np.linalg.norm(normal, axis=1, keepdims=True) + 1e-9)
    sky, lamps = values[:, 12:15], values[:, 15:]
    albedo = np.full((len(values), 3), 0.3, np.float32)
    gloss = np.full(len(values), 0.4, np.float32)
    skin = sitter.skin
    on_skin = (part == SKIN) & (masks[:, 4] <= 0)
    relief = np.stack(relief_at(skin, rest[on_skin]), 1)
    traits = np.array([skin.redness, skin.freckles, skin.age, skin.shadow, skin.lashes], np.float32)
    albedo[on_skin], normal[on_skin], gloss[on_skin] = shade_skin(
        rest[on_skin], normal[on_skin], masks[on_skin, :4], relief, skin.colour, skin.lip, traits,
        skin.seed,
    )  # fmt: skip
    roots = np.array(sitter.person.hair_colour, np.float32) * 0.8
    share = np.clip(masks[:, 5:6] * 0.85, 0, 1) * on_skin[:, None]
    albedo = albedo * (1 - share) + roots * share
    gloss *= 1 - share[:, 0]
    worn = (part == SKIN) & ~on_skin
    albedo[worn], tilt = shade_cloth(
        rest[worn], masks[worn, 4], np.array(sitter.person.shirt, np.float32), skin.seed
    )
    normal[worn] = _unit(normal[worn] + tilt)
    gloss[worn] = 0.0
    teeth = part == TEETH
    # light that bounces between lips and teeth is not traced
    sky[teeth] = np.maximum(sky[teeth], 0.20)
    lamps[teeth] = np.maximum(lamps[teeth], 0.42)
    albedo[teeth] = shade_teeth(rest[teeth], skin.age)
    albedo[part == 2] = (0.42, 0.15, 0.13)
    eyes = part == EYE_PART
    iris = np.array(sitter.person.eye_colour, np.float32)
    albedo[eyes] = eye_colours(rest[eyes], iris, skin.age, skin.seed)
    gloss[eyes] = 0.0
    lamps[eyes] *= 0.85
    surface = develop.Surface(albedo, normal, gloss, sky, lamps, on_skin, eyes)
    image[shown] = develop.light_surface(surface, shot.rig, shown)


def _unit(v: Floats) -> Floats:
    return v / (np.linalg.norm(v, axis=-1, keepdims=True) + 1e-9)
