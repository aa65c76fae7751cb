"""Faces as they are: the code is the row of pixels, grey or colour (N k-Same-Pixel)."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ksame.checks import Floats, check_faces
from ksame.errors import InputError


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
        if faces.shape[1:] != self.shape_:
            raise InputError(
                f"faces of shape {faces.shape[1:]} do not fit a codec of faces of shape "
                f"{self.shape_}. Register all faces to one frame."
            )
        return np.ascontiguousarray(faces.reshape(len(faces), -1))

    def decode(self, codes: Floats) -> Floats:
        """Return rows (n, d) as faces (n, ...)."""
        return np.asarray(codes, dtype=np.float64).reshape(len(codes), *self.shape_)
