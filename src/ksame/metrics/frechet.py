"""Frechet distance between two sets of features: how far one population is from another."""

import numpy as np

from ksame.arrays import AnyFloats
from ksame.errors import InputError


def frechet_distance(some: AnyFloats, others: AnyFloats) -> float:
    """The squared Frechet distance between normal distributions fitted to rows of features.

    ``|m - n|^2 + tr(C + D - 2 (C D)^(1/2))`` (Dowson & Landau 1982). It is what the "FID" of
    images is of Inception's features; of other features it is another figure, and must be named
    after them. Few rows make it too large: compare figures of equally many rows only.

    Parameters
    ----------
    some, others : (n, d) and (m, d)
        At least two rows each.
    """
    a, b = np.asarray(some, np.float64), np.asarray(others, np.float64)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1] or min(len(a), len(b)) < 2:
        raise InputError(
            f"features of shapes {a.shape} and {b.shape}; two rows or more of equal length are "
            "needed on both sides."
        )
    mean_a, mean_b = a.mean(axis=0), b.mean(axis=0)
    rows_a, rows_b = (a - mean_a) / np.sqrt(len(a) - 1), (b - mean_b) / np.sqrt(len(b) - 1)
    # tr (C D)^(1/2) is the sum of the singular values of A B^T, where C = A^T A and D = B^T B
    shared = float(np.linalg.svd(rows_a @ rows_b.T, compute_uv=False).sum())
    spread = float((rows_a**2).sum() + (rows_b**2).sum())
    return max(float(((mean_a - mean_b) ** 2).sum()) + spread - 2 * shared, 0.0)
