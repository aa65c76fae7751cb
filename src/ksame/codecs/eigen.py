"""Faces as weights of eigenfaces (N figures 7 and 8), learned by the snapshot method."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ksame.checks import Floats, check_faces, to_safe_scale
from ksame.errors import InputError
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
    With M faces of N pixels, M < N, the eigenvectors v of the M x M matrix A A^T give the
    eigenfaces A^T v (the snapshot method, N figure 7, lines 5 to 8). All products run in one
    thread: the result is the same on any machine size.
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
            squares, vectors = _principal(A)
        count = self._count(squares)
        self.components_ = vectors[:count]
        total = float(squares.sum())
        self.explained_variance_ratio_ = squares[:count] / total if total > 0 else squares[:count]
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
            shares = np.cumsum(squares) / max(float(squares.sum()), np.finfo(float).tiny)
            return min(int(np.searchsorted(shares, wanted)) + 1, len(squares))
        raise InputError(
            f"n_components={wanted!r} must be a whole number of at least 1, a share of the "
            "variance between 0 and 1, or None for all. Correct it."
        )

    def encode(self, X: Any) -> Floats:
        """Return the weights of the eigenfaces (N figure 8), shape (n, c)."""
        faces = check_faces(X)
        if faces.shape[1:] != self.shape_:
            raise InputError(
                f"faces of shape {faces.shape[1:]} do not fit a codec of faces of shape "
                f"{self.shape_}. Register all faces to one frame."
            )
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


def _principal(A: Floats) -> tuple[Floats, Floats]:
    """Return the variances and the unit eigenfaces of centred rows, the largest first."""
    n, d = A.shape
    if n <= d:
        squares, V = np.linalg.eigh(A @ A.T)
        vectors = V.T @ A
    else:
        squares, V = np.linalg.eigh(A.T @ A)
        vectors = V.T
    squares, vectors = squares[::-1], vectors[::-1]
    keep = squares > max(float(squares[0]), 0.0) * max(n, d) * np.finfo(float).eps
    if not keep.any():
        # identical faces: one direction is kept, so that a code is never empty
        return np.zeros(1), np.eye(1, d)
    squares, vectors = squares[keep], vectors[keep]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    # the sign of an eigenvector is arbitrary; fix it, so that codes can be compared
    signs = np.sign(vectors[np.arange(len(vectors)), np.abs(vectors).argmax(axis=1)])
    return squares, vectors * signs[:, None]
