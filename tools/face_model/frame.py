"""The texture frame: where each point of the mesh lies in the texture, and the triangles."""

from __future__ import annotations

import ast
import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment
from scipy.spatial import Delaunay

from ksame.codecs.face.geometry import (
    EXTRA,
    EYE_RING,
    LANDMARKS,
    MOUTH_COLUMNS,
    OUTLINE,
    SKIN,
    TEETH_HALF_WIDTH,
    eyeball_pattern,
)
from ksame.codecs.face.pose import find_pose

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

SIDE = 384
CENTRE = ((SIDE - 1) / 2, 186.0)
UNIT = 168.0  # texture pixels per unit of the model
AXIS = 0.55  # depth of the axis around which the sides are unrolled
UNROLLED = 0.3  # 0 leaves the frontal projection, 1 unrolls a cylinder
RINGS = (1.05, 1.115)  # widths of the rings over the outline, in the texture
# islands in the texture's free corners: centre x, y and pixels per unit; both eyes share one
EYE_PLACE, EYE_UNIT = (SIDE - 48.0, SIDE - 36.0), 220.0
MOUTH_PLACE, MOUTH_UNIT = (54.0, SIDE - 30.0), 155.0
EYE_DRAWN_IN = (0.78, 0.9)
MOUTH_ROWS = (-0.14, -0.04, 0.05, 0.13)  # heights of its four rows


@dataclass(frozen=True)
class Frame:
    """The frame that all textures share; `mirror` is each skin point's partner across the face."""

    mean: Floats  # (468, 3)
    mirror: Ints  # (468,)
    rings: Floats  # (72, 3)
    places: Floats  # (n, 2)
    triangles: Ints


def mean_shape(points: npt.NDArray[np.float32]) -> tuple[Floats, Ints]:
    """The mean of all faces turned to the front (generalised Procrustes), made symmetric."""
    shapes = points[:, :SKIN].astype(np.float64)
    mean = shapes[0] - shapes[0].mean(axis=0)
    mirror = np.arange(SKIN)
    for turn in range(6):
        mean = np.mean([find_pose(mean, shape).to_model(shape) for shape in shapes], axis=0)
        mean -= mean.mean(axis=0)
        if turn == 2:
            mirror = _partners(mean)
        if turn >= 2:
            flipped = mean[mirror] * [-1, 1, 1]
            mean = _level((mean + find_flip(mean, flipped)) / 2)
            mean = (mean + mean[mirror] * [-1, 1, 1]) / 2
        mean /= np.hypot(*(mean[263] - mean[33])[:2])
    return mean, mirror.astype(np.int32)


def find_flip(mean: Floats, flipped: Floats) -> Floats:
    """The mirrored face laid over the face itself."""
    return find_pose(mean, flipped).to_model(flipped)


def _level(shape: Floats) -> Floats:
    """Upright and straight on: eyes level, forehead and chin equally deep."""
    right, down = shape[263] - shape[33], shape[152] - shape[10]
    x = right / np.linalg.norm(right)
    y = down - x * (down @ x)
    y /= np.linalg.norm(y)
    return shape @ np.column_stack([x, y, np.cross(x, y)])


def _partners(mean: Floats) -> Ints:
    """The point that each one's mirror image lies on, one to one."""
    level = _level(mean)
    level -= level.mean(axis=0)
    flipped = level * [-1, 1, 1]
    cost = ((level[:, None] - flipped[None]) ** 2).sum(-1)
    return linear_sum_assignment(cost)[1].astype(np.int32)


def build_frame(points: npt.NDArray[np.float32], wheel: Path) -> Frame:
    """The frame of a set of faces; the triangles of the skin are MediaPipe's."""
    mean, mirror = mean_shape(points)
    places = np.zeros((LANDMARKS + EXTRA, 2))
    places[:SKIN] = unrolled(mean) * UNIT + CENTRE
    outline = places[OUTLINE]
    middle = (outline.min(axis=0) + outline.max(axis=0)) / 2
    at = LANDMARKS
    for width in RINGS:
        places[at : at + len(OUTLINE)] = middle + (outline - middle) * width
        at += len(OUTLINE)
    triangles = [skin_triangles(wheel), _band(OUTLINE, LANDMARKS), _band(None, LANDMARKS)]
    eye = eyeball_pattern()
    for first in (SKIN, SKIN + 5):
        ring = np.arange(at, at + EYE_RING)
        own = np.concatenate([np.arange(first, first + 5), ring])
        # the ring is drawn in: what lies far behind the lids needs no pixels
        drawn = np.where(np.arange(len(eye))[:, None] < 5, eye, eye * EYE_DRAWN_IN)
        places[own] = drawn * EYE_UNIT + EYE_PLACE
        triangles.append(own[Delaunay(places[own]).simplices])
        at += EYE_RING
    columns = len(MOUTH_COLUMNS)
    for row, y in enumerate(MOUTH_ROWS):
        first = at + row * columns
        places[first : first + columns] = np.column_stack(
            [MOUTH_COLUMNS * TEETH_HALF_WIDTH * MOUTH_UNIT, np.full(columns, y * MOUTH_UNIT)]
        ) + np.array(MOUTH_PLACE)
    grid = at + np.arange(4 * columns).reshape(4, columns)
    a, b, c, d = grid[:-1, :-1], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]
    triangles.append(np.stack([a, b, c], -1).reshape(-1, 3))
    triangles.append(np.stack([b, d, c], -1).reshape(-1, 3))
    return Frame(
        mean, mirror, ring_offsets(mean), places, np.concatenate(triangles).astype(np.int32)
    )


def unrolled(mean: Floats) -> Floats:
    """The mean face seen from the front, its sides unrolled part of the way."""
    around = 0.85 * np.arctan2(mean[:, 0], AXIS - mean[:, 2])
    return np.column_stack([mean[:, 0] + UNROLLED * (around - mean[:, 0]), mean[:, 1]])


def ring_offsets(mean: Floats) -> Floats:
    """How the rings leave the outline: outwards and, more and more, backwards."""
    outline = mean[OUTLINE]
    middle = (outline.min(axis=0) + outline.max(axis=0)) / 2
    out = (outline - middle)[:, :2]
    up = np.clip(-out[:, 1] / np.abs(out[:, 1]).max(), 0, 1)[:, None]
    down = np.clip(out[:, 1] / np.abs(out[:, 1]).max(), 0, 1)[:, None]
    side = np.clip(np.abs(out[:, :1]) / np.abs(out[:, 0]).max(), 0, 1)
    offsets = []
    for near, back in ((0.05, 0.07), (0.10, 0.20)):
        # the forehead goes on upwards, the sides lead back to the ears, the jaw turns under
        wide = near * (up * 1.15 + down * 0.75 + 0.25 * side)
        deep = back * (0.55 * up + 0.9 * down + 0.8 * side)
        offsets.append(np.column_stack([out * wide, deep[:, 0]]))
    return np.concatenate(offsets)


def _band(inner: npt.NDArray[np.intp] | None, first: int) -> Ints:
    """Triangles between two closed rings: the outline and the first one, or the two rings."""
    count = len(OUTLINE)
    a = inner if inner is not None else np.arange(first, first + count)
    b = np.arange(first, first + count) + (0 if inner is not None else count)
    c, d = np.roll(a, -1), np.roll(b, -1)
    return np.concatenate([np.stack([a, c, b], -1), np.stack([c, d, b], -1)]).astype(np.int32)


MESH_WHEEL = "mediapipe==0.10.21"
MESH_MEMBER = "mediapipe/python/solutions/face_mesh_connections.py"
MESH_SHA256 = "cc7171e44d0612db38720cb2fd2516c395992cdd7457efe341543be6f3c22d87"


def skin_triangles(wheel: Path) -> Ints:
    """MediaPipe's 852 triangles, listed in its wheel as three edges each; nothing is run."""
    with zipfile.ZipFile(wheel) as archive:
        raw = archive.read(MESH_MEMBER)
    if hashlib.sha256(raw).hexdigest() != MESH_SHA256:
        raise ValueError(f"{wheel.name} is not {MESH_WHEEL}: the mesh's sha256 differs")
    for node in ast.parse(raw.decode("utf-8")).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "FACEMESH_TESSELATION":  # type: ignore[attr-defined]
            edges = ast.literal_eval(node.value.args[0])  # type: ignore[attr-defined]
            return np.array([edge[0] for edge in edges], np.int32).reshape(-1, 3)
    raise ValueError(f"{wheel.name} holds no FACEMESH_TESSELATION")
