"""Faces as they are: the code is the row of pixels, grey or colour (N k-Same-Pixel)."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ksame.arrays import Floats
from ksame.checks import check_faces, check_frame


class Pixels(BaseEstimator):  # type: ignore[misc]
    """The identity codec: decode(encode(X)) equals X, so that averages lose nothing but identity.

    Attributes
    ----------
    shape_ : tuple of int
        The shape of one face, (d,), (h, w) or (h, w, 3).
    """

    shape_: tuple[int, ...]

    def fit(self, X: Any) -> "Pixels":
        """Remember the shape of a face."""
        self.shape_ = check_faces(X).shape[1:]
        return self

    def encode(self, X: Any) -> Floats:
        """Return faces (n, ...) as rows (n, d)."""
        faces = check_faces(X)
        check_frame(faces, self.shape_)
        return np.ascontiguousarray(faces.reshape(len(faces), -1))

    def decode(self, codes: Floats) -> Floats:
        """Return rows (n, d) as faces (n, ...)."""
        return np.asarray(codes, dtype=np.float64).reshape(len(codes), *self.shape_)
