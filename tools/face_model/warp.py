"""Bring pictures onto the texture frame."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Box = tuple[slice, slice]

_SPREAD = 95.0**2  # of the landmarks in the texture: the root of their covariance's determinant


class TextureWarp:
    """Looks up, for every pixel of the texture, where it lies in a picture with given points."""

    def __init__(self, places: Floats, triangles: npt.NDArray[np.int32], side: int) -> None:
        owner = np.full((side, side), -1, np.int32)
        for number, corners in enumerate(places[triangles]):
            spots = np.round(corners * 16).astype(np.int32)
            cv2.fillConvexPoly(owner, spots, number, cv2.LINE_8, 4)
        self.owner, self.inside = owner, owner >= 0
        rows, columns = np.nonzero(self.inside.any(1))[0], np.nonzero(self.inside.any(0))[0]
        self.box: Box = (
            slice(int(rows[0]), int(rows[-1]) + 1),
            slice(int(columns[0]), int(columns[-1]) + 1),
        )
        y, x = np.nonzero(self.inside)
        chosen = places[triangles[owner[y, x]]]
        square = np.concatenate([chosen, np.ones((len(x), 3, 1))], axis=2)
        spot = np.column_stack([x, y, np.ones(len(x))])
        self._weights = np.linalg.solve(square.transpose(0, 2, 1), spot[:, :, None])[:, :, 0]
        self._corners = triangles[owner[y, x]]

    def spread(self, values: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
        """Values of the points, (n, c), at every pixel of the texture; zero outside."""
        out = np.zeros((*self.inside.shape, values.shape[1]), np.float32)
        out[self.inside] = np.einsum("pk,pkc->pc", self._weights, values[self._corners])
        return out

    def take(self, image: npt.NDArray[np.generic], points: Floats) -> npt.NDArray[np.generic]:
        """The box of the texture that has pixels, of a picture whose points lie at (n, 2)."""
        # what shrinks to less than half is taken from a smaller copy, lest it alias
        factor = np.sqrt(np.sqrt(abs(np.linalg.det(np.cov(points[:468].T)))) / np.sqrt(_SPREAD))
        while factor > 1.6:
            image = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
            points, factor = (points + 0.5) / 2 - 0.5, factor / 2
        where = self.spread(points)[self.box]
        return cv2.remap(
            image, where[..., 0], where[..., 1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
        )
