"""Leading eigenvectors of the matrix of inner products of rows, by blocks of matrix products."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, log

import numpy as np

from ksame.arrays import AnyFloats
from ksame.pca import eigenpairs

_BLOCK = 64
_PROBES = 16
_MOSTLY_INSIDE = 0.5  # squared length that a unit vector keeps outside a basis


def leading_eigenpairs(
    rows: AnyFloats, count: int, tolerance: float = 1e-4
) -> tuple[AnyFloats, AnyFloats, AnyFloats]:
    """The `count` largest eigenvalues of `G = rows @ rows.T`, descending, and two factors.

    The factors `mix (m, count)` and `images (m, N)` give `mix.T @ images`, the eigenvectors `v`
    times `rows`: the principal directions, each of length `sqrt(value)`. They are not multiplied,
    because a caller may want a few of them only.

    A small matrix, or a large share of its spectrum, goes to LAPACK. Otherwise a block Lanczos
    iteration (Golub & Underwood 1977) with full orthogonalisation works on `G`, or, where the
    faces are many and the eigenvectors few, on `rows` alone, without ever making `G`. It ends when
    each of the wanted pairs has a residual `|Gv - lambda v|` below `tolerance` times its own
    eigenvalue, or below the rounding error of `G` itself, and random vectors outside the basis
    show nothing larger that was missed (a value that is repeated more often than a block has
    columns); where it does not end so, LAPACK decides.
    """
    size, pixels = rows.shape
    count = min(count, size)
    # The basis that spectra of faces need, as measured; flatter ones need more.
    reach = 2 * count + 6 * _BLOCK
    if 5 * reach > 3 * size:
        return _by_lapack(rows @ rows.T, rows, count)
    # Multiplications each way; thin products run at four fifths of the speed of the square one.
    pays = size * pixels / 2 + size * reach < 2 * pixels * reach * 5 / 4
    gram = rows @ rows.T if pays else None
    found = _by_lanczos(rows, gram, count, tolerance)
    if found is None:
        return _by_lapack(rows @ rows.T if gram is None else gram, rows, count)
    return found


def _by_lapack(
    gram: AnyFloats, rows: AnyFloats, count: int
) -> tuple[AnyFloats, AnyFloats, AnyFloats]:
    values, vectors = eigenpairs(gram, count)
    return values.astype(gram.dtype), vectors.astype(gram.dtype), rows


def _by_lanczos(
    rows: AnyFloats, gram: AnyFloats | None, count: int, tolerance: float
) -> tuple[AnyFloats, AnyFloats, AnyFloats] | None:
    size, dtype = len(rows), rows.dtype
    images: list[AnyFloats] = []

    def multiply(block: AnyFloats) -> AnyFloats:
        if gram is not None:
            return np.asarray(gram @ block)
        images.append(block.T @ rows)
        return np.asarray(rows @ images[-1].T)

    # A fixed start: the result must not depend on a caller's random state.
    rng = np.random.default_rng(0)
    start = multiply(rng.standard_normal((size, _BLOCK), dtype=dtype))
    images.clear()
    block = _orthonormal(_orthonormal(start))
    last = size * 3 // 4 // _BLOCK * _BLOCK
    basis = np.empty((size, last), dtype, order="F")
    inside = np.zeros((last, last))  # basis.T @ G @ basis
    check = ceil(1.5 * count / _BLOCK) * _BLOCK
    for end in range(_BLOCK, last + 1, _BLOCK):
        here = slice(end - _BLOCK, end)
        basis[:, here] = block
        known = basis[:, :end]
        product = multiply(known[:, here])
        weights = known.T @ product
        inside[:end, here], inside[here, :end] = weights, weights.T
        product -= known @ weights
        if end >= check:
            values, turn = np.linalg.eigh(inside[:end, :end])
            values, turn = values[: -count - 1 : -1], turn[:, : -count - 1 : -1].astype(dtype)
            residual = np.linalg.norm(product @ turn[here], axis=0)
            floor = 2 * float(np.finfo(dtype).eps) * values[0]
            # The smallest number keeps rows of zeros from dividing by zero.
            allowed = np.maximum(tolerance * values, floor) + np.finfo(np.float64).tiny
            excess = float(np.max(residual / allowed))
            if excess <= 1:
                break
            # A block gains a factor of about five, and each look costs a part of a block.
            check = min(end + _BLOCK * max(1, round(log(excess, 5))), last)
        # Twice: what is left after the first time may be rounding error, along the basis again.
        rest = _outside(known, _orthonormal(product))
        # Once more where most of it was: then what is left is mostly rounding error, too.
        if float(np.einsum("ij,ij->j", rest, rest).min()) < _MOSTLY_INSIDE:
            rest = _outside(known, _orthonormal(rest))
        block = _orthonormal(rest)
    else:
        return None
    seen = rows if gram is not None else np.concatenate(images)
    if _missed(multiply, known, rng) > (1 + tolerance) * max(values[-1], floor):
        return None
    return values.astype(dtype), turn if gram is None else known @ turn, seen


def _missed(
    multiply: Callable[[AnyFloats], AnyFloats], basis: AnyFloats, rng: np.random.Generator
) -> float:
    """About the largest eigenvalue outside a basis, from below."""
    start = rng.standard_normal((len(basis), _PROBES), dtype=basis.dtype)
    probes = _orthonormal(_outside(basis, multiply(_outside(basis, start))))
    probes = _orthonormal(_outside(basis, probes))
    return float(np.linalg.eigvalsh(probes.T @ multiply(probes))[-1])


def _outside(basis: AnyFloats, block: AnyFloats) -> AnyFloats:
    """What a basis cannot express of a block."""
    rest: AnyFloats = block - basis @ (basis.T @ block)
    return rest


def _orthonormal(block: AnyFloats) -> AnyFloats:
    """Orthonormal columns of the same span; of a bad block, after a second time."""
    exact = block.astype(np.float64)
    try:
        # A fraction of the time of Householder's reflections; double precision makes up for it.
        factor = np.linalg.cholesky(exact.T @ exact)
        done = exact @ np.linalg.inv(factor).T
    except np.linalg.LinAlgError:
        done = np.linalg.qr(exact)[0]
    return np.asarray(done, dtype=block.dtype)
