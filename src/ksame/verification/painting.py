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
    # covered pixels are labelled in their order, from 1 on
    numbers: Indices = np.flatnonzero(covered).take(labels.ravel() - 1)
    return numbers


def shares_of(points: Floats, corners: Ints32, x: Places, y: Places) -> Floats:
    """The shares of a triangle's corners (p, 3) in each pixel, held inside of the triangle."""
    # column by column: NumPy is slow along axes of two and three
    places = np.ascontiguousarray(points.T)
    (ax, ay), (bx, by), (cx, cy) = (places.take(corner, axis=1) for corner in corners.T)
    along_x, along_y, aside_x, aside_y = bx - ax, by - ay, cx - ax, cy - ay
    whole = along_x * aside_y - along_y * aside_x
    whole = np.where(np.abs(whole) < 1e-9, 1e-9, whole)
    dx, dy = x - ax, y - ay
    second = np.clip((dx * aside_y - dy * aside_x) / whole, 0, 1)
    third = np.clip((along_x * dy - along_y * dx) / whole, 0, 1)
    total = np.maximum(second + third, 1)
    second, third = second / total, third / total
    return np.stack([1 - second - third, second, third], axis=1)
