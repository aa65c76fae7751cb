"""Parts of the 478-point mesh, and what is fixed for a model: zones, rings, a grid of texels."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Protocol

import cv2
import numpy as np

from ksame.arrays import Bools, Floats, Floats32, Image, Ints32
from ksame.render.numbers import OUTLINE_SIZE

POINTS: Final = 478
# the closed outline of the mesh, from the middle of the forehead over the subject's left
OUTLINE: Final = (
    10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377,
    152, 148, 176, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
)  # fmt: skip
RIGHT_EYE: Final = (33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7)
LEFT_EYE: Final = (263, 466, 388, 387, 386, 385, 384, 398, 362, 382, 381, 380, 374, 373, 390, 249)
RIGHT_BROW: Final = (70, 63, 105, 66, 107, 55, 65, 52, 53, 46)
LEFT_BROW: Final = (300, 293, 334, 296, 336, 285, 295, 282, 283, 276)
LIPS: Final = (
    61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291, 375, 321, 405, 314, 17, 84, 181, 91, 146,
)  # fmt: skip
NOSTRILS: Final = (98, 97, 2, 326, 327, 294, 278, 344, 1, 115, 48, 64)
INNER_LIPS: Final = (
    78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308, 324, 318, 402, 317, 14, 87, 178, 88, 95,
)  # fmt: skip
HOLES: Final = (RIGHT_EYE, LEFT_EYE, INNER_LIPS)  # through them eyeballs and teeth are seen
# what tells a person from others: brows and eyes, nose and mouth
UPPER: Final = (70, 63, 105, 66, 107, 336, 296, 334, 293, 300, 340, 348, 195, 119, 111)
LOWER: Final = (6, 129, 358, 287, 273, 17, 43, 57, 206, 426)
SELDOM_HIDDEN: Final = (9, 117, 346, 205, 425, 123, 352, 4)  # nose and upper cheeks
RIM: Final = (0.84, 0.98)  # of the outline's radius: where the texture fades into plain skin
GRID: Final = 72  # texels a side at which light is measured: finer than light is


class FaceModel(Protocol):
    """What is asked of a face model: see ``ksame.codecs.face``."""

    @property
    def side(self) -> int: ...
    @property
    def places(self) -> Floats32: ...
    @property
    def triangles(self) -> Ints32: ...
    @property
    def identity_size(self) -> int: ...
    @property
    def expression_size(self) -> int: ...
    def shape(self, identity: Floats32, expression: Floats32) -> Floats32: ...
    @property
    def neutral(self) -> Floats32: ...
    def texture(self, identity: Floats32, expression: Floats32) -> Image: ...
    def expression(self, points: Floats) -> Floats32: ...


@dataclass(frozen=True)
class Anatomy:
    """What follows from a model's mesh alone.

    Attributes
    ----------
    triangles : (t, 3) array
        All turned one way, so that the sign of a posed area tells front from back.
    skin_triangles : (t,) array
        Which belong to the skin; the others are eyeballs and the inside of the mouth, seen
        through the holes that lids and lips leave.
    outward : (n, 9) array
        How much each outline offset moves each point; 0 inside of the face.
    texel_corners, texel_weights : (g * g, 3) arrays
        The triangle of each texel of the grid, as points and their shares.
    skin : (g, g) array
        1 where a texel shows bare skin on every face, 0 on features, rim and outside.
    middle : (g, g) array
        1 on the skin of nose and upper cheeks, 0 elsewhere.
    rim : (g, g) array
        0 on the face, rising to 1 at its outline and beyond: where skin goes on from inside.
    brow : (g, g) array
        1 above the lower lids, where no mask reaches, 0 below.
    """

    triangles: Ints32
    skin_triangles: Bools
    outward: Floats
    texel_corners: Ints32
    texel_weights: Floats32
    skin: Floats32
    middle: Floats32
    brow: Floats32
    rim: Floats32

    @cached_property
    def inner(self) -> Floats32:
        """1 on texels (g, g) of the inner face whose triangle is skin."""
        points = np.unique(self.triangles[self.skin_triangles])
        on = np.isin(self.texel_corners, points).all(axis=1).reshape(self.rim.shape)
        return (on & (self.rim <= 0)).astype(np.float32)


def anatomy(model: FaceModel) -> Anatomy:
    """The anatomy of a model; worked out once per process."""
    return _anatomy(model.side, model.places.tobytes(), model.triangles.tobytes())


@lru_cache(maxsize=4)
def _anatomy(side: int, places_bytes: bytes, triangle_bytes: bytes) -> Anatomy:
    places = np.frombuffer(places_bytes, np.float32).reshape(-1, 2).astype(np.float64)
    triangles = np.frombuffer(triangle_bytes, np.int32).reshape(-1, 3).copy()
    a, b, c = (places[triangles[:, i]] for i in range(3))
    wrong = _cross(b - a, c - a) < 0
    triangles[wrong] = triangles[wrong][:, [0, 2, 1]]
    skin_points = _joined(triangles, len(places))
    outward = _outward(places) * skin_points[:, None]
    corners, weights = _texels((places + 0.5) * GRID / side - 0.5, triangles)
    skin = _skin(places * GRID / side)
    middle = np.zeros((GRID, GRID), np.uint8)
    hull = cv2.convexHull(np.round(places[list(SELDOM_HIDDEN)] * GRID / side).astype(np.int32))
    cv2.fillConvexPoly(middle, hull, 1)
    brow = np.zeros((GRID, GRID), np.float32)
    brow[: int(places[[145, 374], 1].mean() * GRID / side)] = 1
    of_skin: Bools = np.asarray(skin_points[triangles].all(axis=1), bool)
    return Anatomy(
        triangles, of_skin, outward, corners, weights, skin,
        skin * middle, brow, _rim(places * GRID / side, of_skin, corners, triangles),
    )  # fmt: skip


def _joined(triangles: Ints32, count: int) -> Bools:
    """Which points hang together with the outline: the skin."""
    reached = np.zeros(count, bool)
    reached[list(OUTLINE)] = True
    while True:
        touched = triangles[reached[triangles].any(axis=1)]
        before = int(reached.sum())
        reached[touched] = True
        if int(reached.sum()) == before:
            return reached


def _cross(a: Floats, b: Floats) -> Floats:
    z: Floats = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return z


def _outward(places: Floats) -> Floats:
    """Shares of the offsets in each point: linear along the outline, rising towards it."""
    outline = places[list(OUTLINE)]
    centre = (outline.min(axis=0) + outline.max(axis=0)) / 2
    way = _angles(outline - centre)
    order = np.argsort(way)
    angle = _angles(places - centre)
    reach = np.hypot(*(outline - centre).T)
    around = np.interp(angle, way[order], reach[order], period=2 * np.pi)
    radius = np.hypot(*(places - centre).T) / around
    along = _along(angle, way) * OUTLINE_SIZE / len(OUTLINE)
    share = np.zeros((len(places), OUTLINE_SIZE))
    first = np.floor(along).astype(int) % OUTLINE_SIZE
    part = along - np.floor(along)
    rows = np.arange(len(places))
    share[rows, first] = 1 - part
    share[rows, (first + 1) % OUTLINE_SIZE] += part
    ramp = np.clip((radius - 0.6) / 0.35, 0, 1)
    moved: Floats = share * (ramp * ramp * (3 - 2 * ramp))[:, None]
    return moved


def _rim(places: Floats, of_skin: Bools, corners: Ints32, triangles: Ints32) -> Floats32:
    """How far each texel lies towards the outline and beyond; 0 on eyeballs and teeth."""
    outline = places[list(OUTLINE)]
    centre = (outline.min(axis=0) + outline.max(axis=0)) / 2
    way = _angles(outline - centre)
    order = np.argsort(way)
    y, x = np.mgrid[:GRID, :GRID].astype(np.float64)
    spots = np.stack([x.ravel(), y.ravel()], axis=1) - centre
    reach = np.hypot(*(outline - centre).T)[order]
    around = np.interp(_angles(spots), way[order], reach, period=2 * np.pi)
    ramp = np.clip((np.hypot(*spots.T) / around - RIM[0]) / (RIM[1] - RIM[0]), 0, 1)
    soft: Floats32 = (ramp * ramp * (3 - 2 * ramp)).astype(np.float32).reshape(GRID, GRID)
    islands = np.isin(corners, np.unique(triangles[~of_skin])).all(axis=1).reshape(GRID, GRID)
    soft[cv2.dilate(islands.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0] = 0
    return soft


def _angles(vectors: Floats) -> Floats:
    """Clockwise from the top of the picture."""
    angles: Floats = np.arctan2(vectors[:, 0], -vectors[:, 1]) % (2 * np.pi)
    return angles


def _along(angle: Floats, way: Floats) -> Floats:
    """The position along the outline (0 to 36) that lies at an angle."""
    turned = np.unwrap(way)
    turned -= 2 * np.pi * np.round(turned[0] / (2 * np.pi))
    steps = np.arange(len(way) + 1, dtype=np.float64)
    closed = np.append(turned, turned[0] + 2 * np.pi)
    along: Floats = np.interp(turned[0] + (angle - turned[0]) % (2 * np.pi), closed, steps)
    return along


def _texels(places: Floats, triangles: Ints32) -> tuple[Ints32, Floats32]:
    """The triangle over each texel of the grid, and the shares of its corners."""
    owner = np.full((GRID, GRID), -1, np.int32)
    for number, corners in enumerate(places[triangles]):
        cv2.fillConvexPoly(owner, np.round(corners * 16).astype(np.int32), number, shift=4)
    y, x = np.mgrid[:GRID, :GRID].astype(np.float64)
    spots = np.stack([x.ravel(), y.ravel()], axis=1)
    # beyond the mesh a texel goes on as its nearest one, so that nothing fades at the edges
    _, labels = cv2.distanceTransformWithLabels(
        (owner < 0).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    nearest = np.zeros(int(labels.max()) + 1, np.intp)
    nearest[labels[owner >= 0]] = np.flatnonzero(owner >= 0)
    source = nearest[labels.ravel()]
    own, spots = owner.ravel()[source], spots[source]
    a, b, c = (places[triangles[own, i]] for i in range(3))
    area = _cross(b - a, c - a)
    area = np.where(np.abs(area) < 1e-9, 1e-9, area)
    # held inside of the triangle, which may be smaller than a texel
    v = np.clip(_cross(spots - a, c - a) / area, 0, 1)
    w = np.clip(_cross(b - a, spots - a) / area, 0, 1)
    over = np.maximum(v + w, 1)
    shares = np.stack([1 - (v + w) / over, v / over, w / over], axis=1)
    return triangles[own], shares.astype(np.float32)


def _skin(places: Floats) -> Floats32:
    """The texels of bare skin: inside of the outline, away from all features."""
    mask = np.zeros((GRID, GRID), np.uint8)
    outline = places[list(OUTLINE)]
    centre = (outline.min(axis=0) + outline.max(axis=0)) / 2
    cv2.fillPoly(mask, [np.round(centre + 0.9 * (outline - centre)).astype(np.int32)], 1)
    for part in (RIGHT_EYE, LEFT_EYE, RIGHT_BROW, LEFT_BROW, LIPS, NOSTRILS):
        hull = cv2.convexHull(np.round(places[list(part)]).astype(np.int32))
        hole = np.zeros_like(mask)
        cv2.fillConvexPoly(hole, hull, 1)
        mask[cv2.dilate(hole, np.ones((3, 3), np.uint8)) > 0] = 0
    return mask.astype(np.float32)


_last: dict[str, tuple[bytes, Image]] = {}  # a face is measured and then rendered: decoded once


def texture_of(model: FaceModel, identity: Floats32, expression: Floats32) -> Image:
    """The model's texture; the one asked for last is kept."""
    key = str(id(model)).encode() + np.asarray(identity).tobytes() + expression.tobytes()
    kept = _last.get("texture")
    if kept is None or kept[0] != key:
        kept = key, model.texture(identity, expression)
        _last["texture"] = kept
    return kept[1]
