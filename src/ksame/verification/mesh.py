"""The model's mesh in a photo: where each point lies, and which parts of a face are where.

Points are numbered as MediaPipe's 478 landmarks are; what the model adds follows them.
"""

from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np

from ksame.arrays import Bools, Floats, Floats32, Ints32
from ksame.codecs.face import FaceModel
from ksame.verification.steps import LIGHT, LIGHTS, OUTLINE, FaceSteps, weights_of

LANDMARKS = 478
# the closed outline of a face, from the middle of the forehead over the subject's left
RIM = (
    10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377,
    152, 148, 176, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
)  # fmt: skip
# through eyes and lips the eyeballs and the inside of the mouth are seen
OPENINGS = (
    (33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7),
    (263, 466, 388, 387, 386, 385, 384, 398, 362, 382, 381, 380, 374, 373, 390, 249),
    (
        78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308, 324, 318, 402, 317, 14, 87, 178, 88, 95,
    ),
)  # fmt: skip
# what tells people apart: brows with both eyes, and the nose with the mouth
BROWS_AND_EYES = (
    70,
    63,
    105,
    66,
    107,
    336,
    296,
    334,
    293,
    300,
    33,
    145,
    153,
    133,
    263,
    374,
    380,
    362,
)
NOSE_AND_MOUTH = (6, 129, 358, 61, 291, 17, 84, 314, 91, 321)
# how far the replaced region reaches over the outline at the forehead, the sides and the jaw
FOREHEAD, SIDES, JAW = 1.10, 1.02, 1.04
# cosines towards the camera between which the outline is a turned head's silhouette or its side
TURNED = (-0.1, 0.2)
# where light is no longer told: normals turned further aside, places higher or lower on the face
_STEEPEST, _HIGHEST = 0.8, 0.85
_BRIGHTEST = 1.6  # the largest logarithm of a gain; the least is twice as far below
# what the eight functions of brightness are without any number: light from above, as photos have it
_EVERYDAY = (0.0, 0.0, -0.09, 0.0, -0.16, -0.05, -0.065, 0.07)
_INNER, _RAMP = 0.6, 0.35  # of the way to the outline: there offsets begin, and how fast they grow


@dataclass(frozen=True, slots=True)
class Posed:
    """A face's mesh in a photo.

    Attributes
    ----------
    points : (n, 2) places in photo pixels
    depth : (n,) larger is further away
    facing : (n,) cosine between where the face looks there and the camera
    gains : (n, 3) how bright the light makes red, green and blue
    """

    points: Floats = field(repr=False)
    depth: Floats = field(repr=False)
    facing: Floats = field(repr=False)
    gains: Floats = field(repr=False)

    @property
    def half(self) -> float:
        """Half the face's mean width and height, in photo pixels."""
        return max(float(np.ptp(self.points[list(RIM)], axis=0).mean()) / 2, 0.5)

    @property
    def region(self) -> Floats:
        """The polygon (36, 2) that is replaced whole, besides what the face itself covers."""
        rim = self.points[list(RIM)]
        middle = (rim.min(axis=0) + rim.max(axis=0)) / 2
        up = np.cos(np.arange(len(RIM)) * 2 * np.pi / len(RIM))
        reach = SIDES + (FOREHEAD - SIDES) * np.clip(up, 0, 1) ** 0.8
        reach = reach + (JAW - SIDES) * np.clip(-up, 0, 1) ** 0.8
        # a turned head ends at its silhouette
        low, high = TURNED
        seen = np.clip((self.facing[list(RIM)] - low) / (high - low), 0, 1)
        wide: Floats = middle + (rim - middle) * (1 + (reach - 1) * seen)[:, None]
        return wide

    def hull(self, points: tuple[int, ...]) -> Floats:
        """The corners of the smallest convex polygon around some points."""
        found = cv2.convexHull(self.points[list(points)].astype(np.float32))
        return np.asarray(found, np.float64).reshape(-1, 2)


def pose(model: FaceModel, code: Floats32, steps: FaceSteps) -> Posed:
    """The mesh of a code with a face's numbers."""
    shape = model.shape(code, weights_of(steps)).astype(np.float64)
    points = (shape @ steps.turn.T) * steps.scale + steps.place
    offsets = _offsets(model) @ np.array(steps.outline, np.float64) * OUTLINE * steps.scale
    rim = points[list(RIM)]
    rays = points - (rim.min(axis=0) + rim.max(axis=0)) / 2
    points = points + rays / np.maximum(np.hypot(*rays.T), 1e-6)[:, None] * offsets[:, None]
    turn = _rotation(steps.turn)
    normals = _normals(model, shape, turn)
    return Posed(points, shape @ turn[2], -normals[:, 2], _gains(shape, normals, steps))


def _rotation(turn: Floats) -> Floats:
    """The rotation (3, 3) that is nearest to the two rows of a turn."""
    left, _, right = np.linalg.svd(turn, full_matrices=False)
    across, down = left @ right
    return np.stack([across, down, np.cross(across, down)])


@cache
def turned_one_way(model: FaceModel) -> Ints32:
    """The model's triangles, all in the same sense in the texture: seen from behind, they flip."""
    triangles = np.array(model.triangles, np.int32)
    wrong = area(np.asarray(model.places, np.float64), triangles) < 0
    triangles[wrong] = triangles[wrong][:, ::-1]
    return triangles


def area(points: Floats, triangles: Ints32) -> Floats:
    """Twice the area of each triangle, negative where it is turned the other way."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    found: Floats = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    return found


def skin_points(triangles: Ints32, count: int) -> Bools:
    """Which points are joined with the outline; the others are eyeballs and the mouth's inside."""
    joined = np.zeros(count, bool)
    joined[list(RIM)] = True
    for _ in range(count):
        grown = joined.copy()
        grown[triangles[joined[triangles].any(axis=1)]] = True
        if (grown == joined).all():
            break
        joined = grown
    return joined


@cache
def _offsets(model: FaceModel) -> Floats:
    """How much each of the nine outline numbers moves each point outwards: (n, 9)."""
    places = np.asarray(model.places, np.float64)
    rim = places[list(RIM)]
    middle = (rim.min(axis=0) + rim.max(axis=0)) / 2
    rays = places - middle
    angle = np.arctan2(rays[:, 0], -rays[:, 1])
    around = np.unwrap(angle[list(RIM)])  # falls or rises all the way around
    if around[-1] < around[0]:
        raise ValueError("the outline of the model runs the other way around")
    # three times around, so that every angle has neighbours on both sides
    turns = np.concatenate([around - 2 * np.pi, around, around + 2 * np.pi])
    number = np.concatenate([np.arange(36) - 36, np.arange(36), np.arange(36) + 36])
    reach = np.tile(np.hypot(*(rim - middle).T), 3)
    along = np.interp(angle, turns, number.astype(np.float64)) / 4  # four points an offset
    radius = np.hypot(*rays.T) / np.interp(angle, turns, reach)
    away = np.abs((along[:, None] - np.arange(9) + 4.5) % 9 - 4.5)
    rise = np.clip((radius - _INNER) / _RAMP, 0, 1)
    share = np.clip(1 - away, 0, None) * (rise * rise * (3 - 2 * rise))[:, None]
    found: Floats = share * skin_points(model.triangles, len(places))[:, None]
    return found


def _normals(model: FaceModel, shape: Floats, turn: Floats) -> Floats:
    """Where each point of the face looks, in the photo's axes; z is -1 towards the camera."""
    triangles = turned_one_way(model)
    a, b, c = (shape[triangles[:, i]] for i in range(3))
    faces = np.cross(b - a, c - a)
    normals = np.zeros_like(shape)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], faces)
    looks: Floats = -normals @ turn.T
    looks /= np.maximum(np.linalg.norm(looks, axis=1), 1e-9)[:, None]
    return looks


def _gains(shape: Floats, looks: Floats, steps: FaceSteps) -> Floats:
    """The light on each point, by where it faces and how high it lies."""
    x, y = (
        np.clip(looks[:, 0], -_STEEPEST, _STEEPEST),
        np.clip(looks[:, 1], -_STEEPEST, _STEEPEST),
    )
    tall = max(float(np.ptp(shape[:LANDMARKS, 1])), 1e-6)
    high = np.clip(2 * shape[:, 1] / tall, -_HIGHEST, _HIGHEST)
    waves = [np.ones_like(x), x, y, x * y, x * x - 0.25, y * y - 0.25, high, high * high - 0.3]
    light = np.array(steps.light, np.float64) * LIGHT
    bright, red, blue = np.split(light, np.cumsum(LIGHTS)[:2])

    def total(weights: Floats) -> Floats:
        found: Floats = np.stack(waves[: len(weights)], axis=1) @ weights
        return found

    green = total(bright + np.array(_EVERYDAY))
    logs = np.stack([green + total(red), green, green + total(blue)], axis=1)
    gains: Floats = np.exp(np.clip(logs, -2 * _BRIGHTEST, _BRIGHTEST))
    return gains
