"""Triangles over pixels: which one each pixel shows, and how much of its corners is in it."""

import cv2
import numpy as np
import numpy.typing as npt

from ksame.arrays import Bools, Floats, Indices, Ints32
from ksame.verification.grid import SUBPIXEL, subpixels

Places = npt.NDArray[np.integer]


def painted(points: Floats, triangles: Ints32, order: Places, size: tuple[int, int]) -> Ints32:
    """The triangle that each pixel shows, -1 for none; later ones cover earlier ones."""
    owner = np.full((size[1], size[0]), -1, np.int32)
    corners = subpixels(points)[triangles]
    for number in order.tolist():
        cv2.fillConvexPoly(owner, corners[number], number, shift=SUBPIXEL)
    return owner


def nearest(covered: Bools) -> Indices:
    """For each pixel the number of the nearest covered one, itself where it is covered."""
    _, labels = cv2.distanceTransformWithLabels(
        (~covered).astype(np.uint8), cv2.DIST_L2, 5, labelType=cv2.DIST_LABEL_PIXEL
    )
    numbers = np.zeros(int(labels.max()) + 1, np.intp)
    numbers[labels[covered]] = np.flatnonzero(covered)
    return np.asarray(numbers[labels].ravel())


def shares_of(points: Floats, corners: Ints32, x: Places, y: Places) -> Floats:
    """The shares of a triangle's corners (p, 3) in each pixel, held inside of the triangle."""
    a, b, c = (points[corners[:, i]] for i in range(3))
    along, aside = b - a, c - a
    whole = along[:, 0] * aside[:, 1] - along[:, 1] * aside[:, 0]
    whole = np.where(np.abs(whole) < 1e-9, 1e-9, whole)
    dx, dy = x - a[:, 0], y - a[:, 1]
    second = np.clip((dx * aside[:, 1] - dy * aside[:, 0]) / whole, 0, 1)
    third = np.clip((along[:, 0] * dy - along[:, 1] * dx) / whole, 0, 1)
    total = np.maximum(second + third, 1)
    second, third = second / total, third / total
    return np.stack([1 - second - third, second, third], axis=1)
