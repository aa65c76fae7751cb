"""A plain z-buffer renderer, to look at the model's faces."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
from tools.synthetic_people.raster import FAR, draw_triangles, interpolate

from ksame.codecs.face.model import FaceModel

Image = npt.NDArray[np.uint8]


def turn_of(yaw: float, pitch: float) -> npt.NDArray[np.float64]:
    """The rotation by yaw (to the right of the picture) and pitch (downwards), in degrees."""
    a, b = np.radians([yaw, pitch])
    side = np.array([[np.cos(a), 0, -np.sin(a)], [0, 1, 0], [np.sin(a), 0, np.cos(a)]])
    nod = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    return nod @ side


def render(
    model: FaceModel,
    identity: npt.ArrayLike,
    expression: npt.ArrayLike | None = None,
    *,
    yaw: float = 0.0,
    pitch: float = 0.0,
    size: int = 256,
    ground: int = 96,
) -> Image:
    """The face on a grey ground, the distance between the eyes' corners a bit under half of it."""
    weights = model.neutral if expression is None else expression
    shape = model.shape(identity, weights) @ turn_of(yaw, pitch).T
    twice = 2 * size
    points = (shape * [0.42 * twice, 0.42 * twice, 1] + [twice / 2, twice * 0.5, 0]).astype(
        np.float32
    )
    depth = np.full((twice, twice), FAR, np.float32)
    face = np.full((twice, twice), -1, np.int32)
    weight = np.zeros((twice, twice, 2), np.float32)
    draw_triangles(points, model.triangles, 0, face, weight, depth)
    where = interpolate(model.places, model.triangles, face, weight)
    texture = model.texture(identity, weights)
    seen = cv2.remap(texture, where[..., 0], where[..., 1], cv2.INTER_LINEAR)
    seen[face < 0] = ground
    return cv2.resize(seen, (size, size), interpolation=cv2.INTER_AREA)


def sheet(pictures: list[Image], columns: int) -> Image:
    """Pictures of one size, side by side and below each other."""
    while len(pictures) % columns:
        pictures = [*pictures, np.zeros_like(pictures[0])]
    rows = [np.concatenate(pictures[i : i + columns], 1) for i in range(0, len(pictures), columns)]
    return np.concatenate(rows, 0)
