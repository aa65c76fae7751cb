"""Principal components of rows: one implementation for shapes, textures, eigenfaces and codes."""

from dataclasses import dataclass, field

import numpy as np

from ksame.arrays import AnyFloats, Floats

SINGLE_PRECISION = 1e-6
"""Share of the largest below which products of single-precision rows hold only rounding."""


@dataclass(frozen=True, eq=False)
class Components:
    """Orthonormal directions in which rows vary, the largest first.

    Attributes
    ----------
    squares : (c,) array
        Sum of the rows' squares along each direction: n times its variance.
    axes : (c, d) array
        The directions, of the rows' precision. Each one's largest number is positive, so that
        codes of two runs can be compared.
    """

    squares: Floats = field(repr=False)
    axes: AnyFloats = field(repr=False)

    def __len__(self) -> int:
        return len(self.squares)


def principal(
    rows: AnyFloats, count: int | None = None, *, negligible: float | None = None
) -> Components:
    """The principal components of centred rows (n, d); none where all rows are zero.

    The smaller of the two matrices of products is decomposed, in double precision: with n < d the
    eigenvectors v of A A^T give the directions A^T v (the snapshot method, N figure 7, lines 5
    to 8). Besides the rows, that matrix and the directions nothing is held.

    Parameters
    ----------
    rows : (n, d) array
        Single or double precision; the products are formed in it.
    count : int, optional
        The most directions to return; all by default.
    negligible : float, optional
        Directions whose squares are not above this share of the largest are rounding, and left
        out. By default what double precision leaves of a zero.
    """
    n, d = rows.shape
    few = n <= d
    squares, vectors = eigenpairs(rows @ rows.T if few else rows.T @ rows, count)
    least = max(n, d) * float(np.finfo(np.float64).eps) if negligible is None else negligible
    real = squares > max(float(squares[0]), 0.0) * least
    squares, vectors = squares[real], vectors[:, real]
    axes = vectors.T.astype(rows.dtype)
    if few:
        axes = axes @ rows
        axes /= np.sqrt(np.einsum("ij,ij->i", axes, axes))[:, None]
    if len(axes):
        axes *= np.sign(np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1))
    return Components(squares, axes)


def eigenpairs(gram: AnyFloats, count: int | None = None) -> tuple[Floats, Floats]:
    """The largest eigenvalues (c,) of a symmetric matrix, descending, and vectors (n, c)."""
    size = len(gram)
    wanted = size if count is None else min(count, size)
    exact = gram.astype(np.float64)
    # divide and conquer finds all eigenvectors in the time in which the other finds a quarter
    if 4 * wanted > size:
        values, vectors = np.linalg.eigh(exact)
    else:
        from scipy.linalg import eigh

        values, vectors = eigh(
            exact,
            driver="evr",
            subset_by_index=(size - wanted, size - 1),
            overwrite_a=True,
            check_finite=False,
        )
    leading = slice(None, -wanted - 1, -1)
    return values[leading], vectors[:, leading]


def count_for_share(squares: AnyFloats, share: float) -> int:
    """How many leading components hold a share (0 to 1) of the sum of all."""
    total = max(float(squares.sum(dtype=np.float64)), float(np.finfo(np.float64).tiny))
    held = np.cumsum(squares, dtype=np.float64) / total
    return min(len(squares), int(np.searchsorted(held, share)) + 1)
