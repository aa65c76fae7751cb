"""Faces as weights of eigenfaces (N figures 7 and 8), learned by the snapshot method."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ksame.arrays import Floats
from ksame.checks import check_faces, check_frame, to_safe_scale
from ksame.errors import InputError
from ksame.pca import count_for_share, principal
from ksame.threads import one_blas_thread


class Eigen(BaseEstimator):  # type: ignore[misc]
    """Principal components of the faces; components that are dropped blur what is decoded.

    Parameters
    ----------
    n_components : int, float in (0, 1) or None
        How many eigenfaces are kept, or the share of the variance that they must explain; None
        keeps all, and then decoding loses nothing.

    Attributes
    ----------
    mean_ : (d,)
        The average face (N equation 1).
    components_ : (c, d)
        Orthonormal eigenfaces, the largest variance first.
    explained_variance_ratio_ : (c,)
    scale_ : float
        A power of two, 1 for ordinary values, by which codes are divided so that nothing overflows.

    Notes
    -----
    `ksame.pca` finds the eigenfaces by the snapshot method (N figure 7, lines 5 to 8). All products
    run in one thread: the result is the same on any machine size.
    """

    mean_: Floats
    components_: Floats
    explained_variance_ratio_: Floats
    scale_: float
    shape_: tuple[int, ...]

    def __init__(self, n_components: int | float | None = None) -> None:
        self.n_components = n_components

    def fit(self, X: Any) -> "Eigen":
        """Learn the average face and the eigenfaces of the set."""
        faces = check_faces(X)
        self.shape_ = faces.shape[1:]
        rows, self.scale_ = to_safe_scale(faces.reshape(len(faces), -1))
        centre = rows.mean(axis=0)
        self.mean_ = centre * self.scale_
        A = rows - centre
        with one_blas_thread():
            found = principal(A)
        if len(found):
            count = self._count(found.squares)
            self.components_ = np.asarray(found.axes[:count], dtype=np.float64)
            self.explained_variance_ratio_ = found.squares[:count] / float(found.squares.sum())
        else:
            # identical faces: one direction is kept, so that a code is never empty
            self._count(np.zeros(1))
            self.components_, self.explained_variance_ratio_ = np.eye(1, A.shape[1]), np.zeros(1)
        return self

    def _count(self, squares: Floats) -> int:
        """Return how many components the parameter asks for."""
        wanted = self.n_components
        if wanted is None:
            return len(squares)
        if isinstance(wanted, Integral) and not isinstance(wanted, bool):
            if wanted >= 1:
                return min(int(wanted), len(squares))
        elif isinstance(wanted, Real) and 0 < wanted < 1:
            return count_for_share(squares, float(wanted))
        raise InputError(
            f"n_components={wanted!r} must be a whole number of at least 1, a share of the "
            "variance between 0 and 1, or None for all. Correct it."
        )

    def encode(self, X: Any) -> Floats:
        """Return the weights of the eigenfaces (N figure 8), shape (n, c)."""
        faces = check_faces(X)
        check_frame(faces, self.shape_)
        rows = faces.reshape(len(faces), -1) / self.scale_ - self.mean_ / self.scale_
        with one_blas_thread():
            weights: Floats = rows @ self.components_.T
        return weights

    def decode(self, codes: Floats) -> Floats:
        """Return the faces of some weights, shape (n, ...)."""
        with one_blas_thread():
            rows = np.asarray(codes, dtype=np.float64) @ self.components_
        rows = (rows + self.mean_ / self.scale_) * self.scale_
        return rows.reshape(len(codes), *self.shape_)
