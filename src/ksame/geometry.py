"""Plane geometry: (2, 3) maps of points, and ``xyxy`` boxes.

A map is a (2, 3) matrix: points p (n, 2), x first, go to ``p @ M[:, :2].T + M[:, 2]``, which is
also what OpenCV's ``warpAffine`` takes. Boxes are arrays (..., 4) of x0, y0, x1, y1; functions of
two boxes broadcast, so that one box is compared with many in one call.
"""

import numpy as np
import numpy.typing as npt

from ksame.arrays import Floats
from ksame.errors import InputError

_TINY = 1e-12  # keeps points that coincide, and boxes without area, from dividing by zero


def similarity(source: Floats, target: Floats) -> Floats:
    """The (2, 3) similarity (scale, rotation, shift) that brings points closest to others.

    Least squares in closed form (Umeyama 1991, without reflection): the same result on every
    machine, unlike a sampled estimate.
    """
    centre, goal = source.mean(axis=0), target.mean(axis=0)
    a, b = source - centre, target - goal
    spread = max(float((a * a).sum()), _TINY)
    cos = float((a * b).sum()) / spread
    sin = float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum()) / spread
    turn = np.array([[cos, -sin], [sin, cos]])
    return np.column_stack([turn, goal - turn @ centre])


def affine(source: Floats, target: Floats) -> Floats:
    """The (2, 3) affine map that brings points closest to others, by least squares."""
    ones = np.c_[source, np.ones(len(source))]
    rows = np.linalg.lstsq(ones, target, rcond=None)[0]
    return np.asarray(rows.T, np.float64)


def inverse(matrix: Floats) -> Floats:
    """The (2, 3) map that undoes another one."""
    (a, b, x), (c, d, y) = matrix.tolist()
    determinant = a * d - b * c
    if determinant == 0:
        raise InputError("a map that flattens the plane cannot be undone; check its points.")
    factor = 1 / determinant
    a, b, c, d = d * factor, -b * factor, -c * factor, a * factor
    return np.array([[a, b, -a * x - b * y], [c, d, -c * x - d * y]])


def apply(matrix: Floats, points: Floats) -> Floats:
    """Points (n, 2) moved by a (2, 3) map."""
    moved: Floats = points @ matrix[:, :2].T + matrix[:, 2]
    return moved


def then(first: Floats, second: Floats) -> Floats:
    """The (2, 3) map that applies ``first`` and then ``second``."""
    both = np.empty((2, 3))
    both[:, :2] = second[:, :2] @ first[:, :2]
    both[:, 2] = second[:, :2] @ first[:, 2] + second[:, 2]
    return both


def scale(matrix: Floats) -> float:
    """By how much a similarity enlarges."""
    return float(np.hypot(matrix[0, 0], matrix[1, 0]))


def bounds(points: Floats) -> Floats:
    """The ``xyxy`` box around points (n, 2)."""
    return np.concatenate([points.min(axis=0), points.max(axis=0)])


def corners(box: npt.ArrayLike) -> Floats:
    """The four corners (4, 2) of a box, around it from the first."""
    x0, y0, x1, y1 = np.asarray(box, np.float64)
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


def centre(boxes: Floats) -> Floats:
    """The middle (..., 2) of boxes."""
    middle: Floats = (boxes[..., :2] + boxes[..., 2:]) / 2
    return middle


def area(boxes: Floats) -> Floats:
    """The area (...) of boxes."""
    size: Floats = (boxes[..., 2:] - boxes[..., :2]).prod(axis=-1)
    return size


def intersection(a: Floats, b: Floats) -> Floats:
    """The area (...) that boxes share."""
    low = np.maximum(a[..., :2], b[..., :2])
    high = np.minimum(a[..., 2:], b[..., 2:])
    shared: Floats = np.clip(high - low, 0, None).prod(axis=-1)
    return shared


def iou(a: Floats, b: Floats) -> Floats:
    """Intersection over union (...) of boxes, 0 to 1."""
    shared = intersection(a, b)
    share: Floats = shared / np.maximum(area(a) + area(b) - shared, _TINY)
    return share


def share_inside(a: Floats, b: Floats) -> Floats:
    """Which share (...) of boxes ``a`` lies in boxes ``b``, 0 to 1."""
    share: Floats = intersection(a, b) / np.maximum(area(a), _TINY)
    return share


def is_seen_again(box: Floats, others: Floats) -> bool:
    """Whether a box shows one of the others (n, 4) again: half of either lies in the other."""
    inside, around = share_inside(box, others), share_inside(others, box)
    return bool(((inside > 0.5) | (around > 0.5)).any())
