"""Leading eigenvectors of a Gram matrix, by blocks of matrix products."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh, qr

Array = npt.NDArray[np.floating]

_OVERSAMPLING = 24
_DEGREE = 4
_MAX_ROUNDS = 40


def leading_eigenpairs(gram: Array, count: int, tolerance: float = 1e-4) -> tuple[Array, Array]:
    """The `count` largest eigenvalues, descending, and their eigenvectors as columns.

    A small matrix, or a large share of the spectrum, goes to LAPACK. Otherwise a Chebyshev
    filtered subspace iteration (Zhou & Saad 2006) is run on the matrix that is already in memory:
    every step is a matrix product, where LAPACK's reduction to tridiagonal form is bound by
    memory. It ends when each of the wanted pairs has a residual `|Gv - lambda v|` below
    `tolerance` times its own eigenvalue, or below the rounding error of the matrix itself; where it
    does not end, LAPACK decides.
    """
    size = len(gram)
    count = min(count, size)
    block = count + _OVERSAMPLING
    if size <= 600 or block > size // 4:
        return _by_lapack(gram, count)
    found = _by_filter(gram, count, block, tolerance)
    return _by_lapack(gram, count) if found is None else found


def _by_lapack(gram: Array, count: int) -> tuple[Array, Array]:
    size = len(gram)
    values, vectors = eigh(
        gram.astype(np.float64), subset_by_index=(size - count, size - 1), check_finite=False
    )
    return values[::-1].astype(gram.dtype), vectors[:, ::-1].astype(gram.dtype)


def _by_filter(gram: Array, count: int, block: int, tolerance: float) -> tuple[Array, Array] | None:
    # A fixed start: the result must not depend on a caller's random state.
    start = np.random.default_rng(0).standard_normal((len(gram), block)).astype(gram.dtype)
    basis = _orthonormal(gram @ start)
    noise = float(np.finfo(gram.dtype).eps) * len(gram) ** 0.5
    for _ in range(_MAX_ROUNDS):
        product = gram @ basis
        values, turn = eigh((basis.T @ product).astype(np.float64), check_finite=False)
        values, turn = values[::-1], turn[:, ::-1].astype(gram.dtype)
        basis, product = basis @ turn, product @ turn
        residual = np.linalg.norm(product - basis * values.astype(gram.dtype), axis=0)[:count]
        allowed = np.maximum(tolerance * values[:count], noise * values[0])
        if np.all(residual <= allowed):
            return values[:count].astype(gram.dtype), basis[:, :count]
        basis = _orthonormal(_chebyshev(gram, basis, product, float(values[-1])))
    return None


def _chebyshev(gram: Array, basis: Array, product: Array, cut: float) -> Array:
    """Damp all eigenvalues within [0, cut] and grow those above it."""
    half = max(cut / 2.0, float(np.finfo(gram.dtype).tiny))
    scale = gram.dtype.type(1.0 / half)
    before, now = basis, product * scale - basis
    for _ in range(_DEGREE - 1):
        before, now = now, (gram @ now) * (2 * scale) - 2 * now - before
    scaled: Array = now / np.linalg.norm(now, axis=0)
    return scaled


def _orthonormal(block: Array) -> Array:
    q: Array = qr(block, mode="economic", overwrite_a=True, check_finite=False)[0]
    return q
