"""Warp a head from its own mesh to another, triangle by triangle (Matthews & Baker 2004, 2.2).

The 478 points cover the face. Rings around it and the frame's border are added, so that ears, hair
and neck follow the face smoothly and the border stays where it is.
"""

from collections.abc import Sequence

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32, Image, Indices, Ints32
from ksame.composite.frame import HEAD, OUTLINE, WHOLE, Part

RINGS = (1.18, 1.45)  # widths of the rings over the face's outline
_STEPS = 9  # points along each side of the frame


def with_surroundings(points: Floats) -> Floats:
    """The mesh, its rings and the border of the frame: (478 + rings + border, 2)."""
    outline = points[list(OUTLINE)]
    centre = (outline.min(axis=0) + outline.max(axis=0)) / 2
    rings = [centre + (outline[::2] - centre) * width for width in RINGS]
    along = np.linspace(0, 1, _STEPS)
    sides = [
        np.c_[along * (HEAD.width - 1), np.zeros(_STEPS)],
        np.c_[along * (HEAD.width - 1), np.full(_STEPS, HEAD.height - 1)],
        np.c_[np.zeros(_STEPS - 2), along[1:-1] * (HEAD.height - 1)],
        np.c_[np.full(_STEPS - 2, HEAD.width - 1), along[1:-1] * (HEAD.height - 1)],
    ]
    low, high = np.zeros(2), np.array([HEAD.width - 1, HEAD.height - 1])
    return np.concatenate([points, *(np.clip(ring, low, high) for ring in rings), *sides])


def triangulate(points: Floats) -> Indices:
    """The Delaunay triangles of points that reach to the frame's border, as (n, 3) indices."""
    spots = points.astype(np.float32)
    plane = cv2.Subdiv2D((-1, -1, HEAD.width + 2, HEAD.height + 2))
    plane.insert(spots.tolist())
    keys = spots.view(np.complex64).ravel()
    order = np.argsort(keys, kind="stable")
    corners = np.ascontiguousarray(plane.getTriangleList()).view(np.complex64).reshape(-1, 3)
    at = np.minimum(np.searchsorted(keys[order], corners), len(keys) - 1)
    triangles: Indices = order[at]
    ours = (keys[triangles] == corners).all(axis=1)  # others touch the corners of the plane
    triangles = triangles[ours]
    a, b, c = (points[triangles[:, i]].T for i in range(3))
    area = np.abs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])).sum() / 2
    if abs(area - (HEAD.width - 1) * (HEAD.height - 1)) > 1:
        # takes most of a second to import, so it is left to the odd case
        from scipy.spatial import Delaunay

        triangles = Delaunay(points).simplices.astype(np.intp)
    return triangles


class Warp:
    """Brings images onto one target mesh; built once per target, then used for every donor."""

    def __init__(self, points: Floats) -> None:
        self.points = points
        target = with_surroundings(points)
        self.triangles = triangulate(target)
        corners = target[self.triangles]
        square = np.concatenate([corners, np.ones((*corners.shape[:2], 1))], axis=2)
        try:
            self._inverse = np.linalg.inv(square)
        except np.linalg.LinAlgError:  # a triangle without area
            self._inverse = np.linalg.pinv(square)
        self._owner = self._paint(corners)[::2, ::2].astype(np.intp)

    def _paint(self, corners: Floats) -> Ints32:
        """Which triangle each pixel of the frame belongs to."""
        owner = np.zeros((HEAD.height, HEAD.width), np.int32)
        fixed = np.round(corners * 16).astype(np.int32)  # sixteenths of a pixel
        for number, triangle in enumerate(fixed):
            cv2.fillConvexPoly(owner, triangle, number, cv2.LINE_8, 4)
        return owner

    def lookup(self, points: Floats, part: Part = WHOLE) -> tuple[Floats32, Floats32]:
        """Where each pixel of the target, or of a part of it, is found in an image with this mesh.

        The part may have every second row and column alone; it begins at even ones.
        """
        source = with_surroundings(points)[self.triangles]
        affine = (self._inverse @ source).astype(np.float32)  # rows: x, y, 1
        (y0, y1, step), (x0, x1, _) = part[0].indices(HEAD.height), part[1].indices(HEAD.width)
        if step == 2:
            return self._every_second(affine, (y0, y1), (x0, x1), 0.0)
        # one more on each side, for what lies between
        top, left = max(y0 - 2, 0), max(x0 - 2, 0)
        bottom, right = min(y1 + 2, HEAD.height), min(x1 + 2, HEAD.width)
        # enlarging puts a pixel's value half a pixel towards its right and lower neighbour
        places = self._every_second(affine, (top, bottom), (left, right), 0.5)
        inner = np.s_[y0 - top : y1 - top, x0 - left : x1 - left]
        x, y = (cv2.resize(half, None, fx=2, fy=2)[inner] for half in places)
        return x, y

    def _every_second(
        self, affine: Floats32, rows: tuple[int, int], columns: tuple[int, int], offset: float
    ) -> tuple[Floats32, Floats32]:
        """Where every second pixel is found, or what is ``offset`` right of and below it."""
        owner = self._owner[
            rows[0] // 2 : (rows[1] + 1) // 2, columns[0] // 2 : (columns[1] + 1) // 2
        ]
        ax, ay, bx, by, cx, cy = (
            values.take(owner) for values in np.ascontiguousarray(affine.reshape(-1, 6).T)
        )
        x = np.arange(owner.shape[1], dtype=np.float32)[None, :] * 2 + (columns[0] + offset)
        y = np.arange(owner.shape[0], dtype=np.float32)[:, None] * 2 + (rows[0] + offset)
        return ax * x + bx * y + cx, ay * x + by * y + cy

    def __call__(self, image: Image, points: Floats, part: Part = WHOLE) -> Image:
        """The image, or a part of the frame, as it looks on the target mesh."""
        return self.several((image,), points, part)[0]

    def several(self, images: Sequence[Image], points: Floats, part: Part = WHOLE) -> list[Image]:
        """Several images with the same mesh."""
        x, y = self.lookup(points, part)
        return [
            cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            for image in images
        ]
