"""All that the first pass keeps of one face."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, Self, TypeVar

import cv2
import numpy as np
import numpy.typing as npt

from ksame import geometry
from ksame.arrays import Arrays, Bools, Floats, Image
from ksame.composite import frame
from ksame.composite.code import encode
from ksame.composite.cutout import as_matte, cut_out
from ksame.composite.frame import HEAD, SCENE, HeadFrame
from ksame.composite.matte import Maps, depth_below_jaw, find_maps
from ksame.composite.stray_hair import ends_of_locks, overlooked_locks
from ksame.composite.traits import Traits, traits_of
from ksame.faces import Face
from ksame.states import State
from ksame.vision import NoLandmarks, blendshapes, find_landmarks, person_mask

MAX_YAW: Final = 50.0  # degrees; beyond it one eye is hidden and no frontal head can be placed
MIN_EYES: Final = 6.0  # pixels between the eyes
_SURELY_HEAD: Final = 25  # of 255: what has less of the head matte is not covered by a black box
_SURELY_NECK: Final = 0.6  # of the neck mask
_THROAT: Final = (0.15, 0.7)  # eye distances below the jaw between which the neck is seen
_LONGEST_RUN: Final = 255  # pixels: lengths are kept in a byte
_ENOUGH: Final = 60  # pixels of neck that tell its colour
_YAW_STEP: Final = 8  # degrees: smaller differences do not make a portrait better
_CHEEKS: Final = (50, 280, 205, 425, 6, 197, 118, 347)  # landmarks of cheeks and nose bridge
_PATCH: Final = 0.09  # eye distances around each of them
Seen = TypeVar("Seen", bound=Traits)


@dataclass(frozen=True)
class NoPortrait:
    """Why a face cannot be composited; false where a truth value is asked."""

    reason: str

    def __bool__(self) -> Literal[False]:
        return False


@dataclass(frozen=True)
class Portrait(Traits):
    """One face of one photo, brought into the head frame (512 rows, 448 columns).

    Attributes
    ----------
    points : (478, 2) array
        Landmarks in the frame.
    layer : (512, 448, 4) uint8 array
        The head, RGB premultiplied with its alpha; the neck fades out below the jaw.
    neck : (512, 448) uint8 array
        Which share of the layer's alpha is neck; the rest is head.
    maps : (320, 304, 3) uint8 array
        Person, head and neck (see ``matte.Maps``) in the wider scene frame, for removing the head
        from its photo.
    """

    points: Floats = field(repr=False)
    layer: Image = field(repr=False)
    neck: Image = field(repr=False)
    maps: Image = field(repr=False)

    @property
    def to_scene(self) -> Floats:
        """The similarity from photo pixels to the scene frame."""
        return geometry.then(self.matrix, SCENE.from_head())

    @property
    def box(self) -> Floats:
        """The ``xyxy`` box in the photo that holds the head: what a blackout must cover."""
        shown = frame.bounding_box(self.maps[..., 1] > _SURELY_HEAD)
        if shown[0] == shown[2]:
            raise ValueError("a portrait shows no head")  # its photo is withheld
        corners = geometry.corners(shown)
        return geometry.bounds(geometry.apply(geometry.inverse(self.to_scene), corners))

    def to_arrays(self) -> Arrays:
        """Arrays for a private scratch file; the pictures are packed to about 130 KB."""
        x0, y0, x1, y1 = box = frame.bounding_box(self.layer[..., 3])
        head, neck = self.layer[y0:y1, x0:x1], self.neck[y0:y1, x0:x1]
        colour = cv2.imencode(".jpg", head[..., :3], [cv2.IMWRITE_JPEG_QUALITY, 96])[1]
        return super().to_arrays() | {
            "points": self.points.astype(np.float32),
            "box": np.array(box),
            "colour": np.asarray(colour, np.uint8).ravel(),
            "masks": _pack(head[..., 3], neck),
            "maps": _pack(*cv2.split(self.maps)),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """The inverse of ``to_arrays``. Whoever needs less leaves pictures out: without ``colour``
        the layer is black with its alpha; without ``masks`` layer and neck are empty, and without
        ``maps`` these are, and read-only."""
        layer, neck, maps = _NO_LAYER, _NO_NECK, _NO_MAPS
        if "masks" in arrays:
            layer, neck = _unpacked_layer(arrays)
        if "maps" in arrays:
            maps = cv2.merge(_unpack(arrays["maps"], *[(SCENE.height, SCENE.width)] * 3))
        points = np.asarray(arrays["points"], np.float64)
        return cls(**traits_of(arrays), points=points, layer=layer, neck=neck, maps=maps)


def portray(rgb: Image, face: Face, others: Sequence[Face] = ()) -> Portrait | NoPortrait:
    """Bring one face of a photo into the head frame.

    ``others`` are the other faces of the photo: where heads touch, each pixel belongs to the
    nearer one.

    Falsy, with a reason, where that cannot be done; such a head must be blacked out.
    """
    found = find_landmarks(rgb, face)
    if isinstance(found, NoLandmarks):
        return NoPortrait(found.reason)
    yaw = frame.yaw_of(found.points, found.depth)
    if abs(yaw) > MAX_YAW:
        return NoPortrait(f"the head is turned by {abs(yaw):.0f} degrees; at most {MAX_YAW:.0f}")
    matrix = frame.into_frame(found.points, yaw)
    if (eyes := HEAD.eyes / geometry.scale(matrix)) < MIN_EYES:
        return NoPortrait(f"{eyes:.0f} px between the eyes; at least {MIN_EYES:.0f} are needed")
    points = geometry.apply(matrix, found.points)
    view = frame.view_of(rgb, matrix)
    scene = frame.view_of(rgb, geometry.then(matrix, SCENE.from_head()), SCENE)
    seen = frame.covered_by_photo(rgb.shape, geometry.then(matrix, SCENE.from_head()), SCENE)
    maps = _split(scene, seen, points)
    layer, neck = cut_out(view, scene, maps, points)
    tone = cheek_colour(view, points)
    return Portrait(
        matrix=matrix,
        tone=tone,
        throat=_throat(scene, maps, points),
        blendshapes=np.asarray(blendshapes(found.points), np.float64),
        yaw=yaw,
        code=encode(view, layer, points, tone),
        loose_hair=_loose_hair(layer, points),
        cut_off=float((maps.head * ~seen).sum() / maps.head.sum()),
        points=points,
        layer=layer,
        neck=neck,
        maps=_removable(scene, maps, points, nearer(face, others, matrix)),
    )


def _throat(scene: Image, maps: Maps, points: Floats) -> Floats:
    """The mean colour of the neck below the chin; NaN where hardly any is seen."""
    depth = depth_below_jaw(geometry.apply(SCENE.from_head(), points), SCENE)
    where = (maps.neck > _SURELY_NECK) & (depth > _THROAT[0]) & (depth < _THROAT[1])
    if where.sum() < _ENOUGH:
        return np.full(3, np.nan)
    return np.array(cv2.mean(scene, where.view(np.uint8))[:3])


def _loose_hair(layer: Image, points: Floats) -> float:
    """How much of the frame below the neck the head's layer covers; 1 is a quarter of it."""
    low = depth_below_jaw(points, HEAD) > _THROAT[1]
    return float(cv2.mean(layer, low.astype(np.uint8))[3]) / 255 * 4


def nearer(face: Face, others: Sequence[Face], matrix: Floats) -> Bools:
    """Which pixels of the scene frame are nearer to this face than to any other, by size."""
    to_scene = geometry.then(matrix, SCENE.from_head())
    x, y = np.arange(SCENE.width)[None, :], np.arange(SCENE.height)[:, None]

    def distance(which: Face) -> Floats:
        centre = geometry.apply(to_scene, geometry.centre(which.box)[None])[0]
        apart: Floats = np.hypot(x - centre[0], y - centre[1]) / max(which.size, 1.0)
        return apart

    mine = np.ones((SCENE.height, SCENE.width), bool)
    if others := [other for other in others if other is not face]:
        own = distance(face)
        for other in others:
            mine &= own <= distance(other)
    return mine


def best_first(person: Sequence[Seen]) -> list[Seen]:
    """A person's portraits: neutral, frontal and large ones first."""
    return sorted(
        person,
        key=lambda p: (p.grey, p.pose is not State.NEUTRAL, abs(p.yaw) // _YAW_STEP, -p.eyes),
    )


def best_portrait(person: Sequence[Seen]) -> Seen:
    """The most neutral, frontal and largest portrait of a person."""
    return best_first(person)[0]


def cheek_colour(view: Image, points: Floats) -> Floats:
    """The mean colour of cheeks and nose bridge, without the darkest and the lightest fifth."""
    spots = points[list(_CHEEKS)]
    side = int(_PATCH * HEAD.eyes)
    limit = np.array([HEAD.width, HEAD.height]) - side - 1
    patches = [
        view[y - side : y + side + 1, x - side : x + side + 1].reshape(-1, 3)
        for x, y in np.clip(np.round(spots).astype(int), side, limit)
    ]
    pixels = np.concatenate(patches).astype(np.float64)
    order = np.argsort(pixels.sum(axis=1))
    fifth = len(order) // 5
    tone: Floats = np.maximum(pixels[order[fifth:-fifth]].mean(axis=0), 1.0)
    return tone


def _split(scene: Image, seen: Bools, points: Floats) -> Maps:
    """Person, head and neck in the scene frame."""
    points = geometry.apply(SCENE.from_head(), points)
    return find_maps(scene, person_mask(scene), points, SCENE, seen)


def _removable(scene: Image, maps: Maps, points: Floats, own: Bools) -> Image:
    """The maps of the scene frame with all that has to be taken out of the photo as head."""
    points = geometry.apply(SCENE.from_head(), points)
    head = np.maximum(maps.head, overlooked_locks(scene, maps, points, SCENE))
    head = np.maximum(head, ends_of_locks(maps, head, points, SCENE)) * own
    stacked: Image = cv2.merge([as_matte(part) for part in (maps.person, head, maps.neck * own)])
    return stacked


def _pack(*masks: Image) -> Image:
    """Masks without loss, as runs of equal pixels: values, then lengths.

    They are larger than what zlib makes of them by a half, and take a quarter of the time.
    """
    values = np.concatenate([mask.ravel() for mask in masks])
    ends = np.empty(values.size, np.bool_)
    np.not_equal(values[1:], values[:-1], out=ends[:-1])
    ends[_LONGEST_RUN - 1 :: _LONGEST_RUN] = ends[-1:] = True
    at = np.flatnonzero(ends)
    lengths = np.diff(at, prepend=-1).astype(np.uint8)
    return np.concatenate([values[at], lengths])


def _unpack(packed: npt.NDArray[np.generic], *shapes: tuple[int, int]) -> list[Image]:
    """Masks of these shapes."""
    parts = np.frombuffer(packed.tobytes(), np.uint8)
    values = np.repeat(*np.split(parts, 2))
    masks = []
    for height, width in shapes:
        masks.append(values[: height * width].reshape(height, width))
        values = values[height * width :]
    return masks


def _unpacked_layer(arrays: Arrays) -> tuple[Image, Image]:
    """A portrait's layer, black if its colour is left out, and its neck."""
    x0, y0, x1, y1 = np.asarray(arrays["box"], np.intp)
    head = (int(y1 - y0), int(x1 - x0))
    alpha, part = _unpack(arrays["masks"], head, head)
    layer, neck = np.zeros_like(_NO_LAYER), np.zeros_like(_NO_NECK)
    if "colour" in arrays:
        packed = np.asarray(arrays["colour"], np.uint8)
        colour = cv2.split(cv2.imdecode(packed, cv2.IMREAD_UNCHANGED))
        layer[y0:y1, x0:x1] = cv2.merge([*(np.minimum(c, alpha) for c in colour), alpha])
    else:
        layer[y0:y1, x0:x1, 3] = alpha
    neck[y0:y1, x0:x1] = part
    return layer, neck


def _nothing(frame: HeadFrame, *channels: int) -> Image:
    """An empty picture of a frame, for everybody who leaves it out."""
    empty = np.zeros((frame.height, frame.width, *channels), np.uint8)
    empty.flags.writeable = False
    return empty


_NO_LAYER, _NO_NECK, _NO_MAPS = _nothing(HEAD, 4), _nothing(HEAD), _nothing(SCENE, 3)
