"""N figure 10: a random face with its k-1 closest, again and again; the last group takes the rest.

Two engines give the same groups, bit by bit: a short NumPy loop, and a compiled one for large
sets (`ksame.grouping.fast`) where numba is installed. Both keep memory linear in the set.
"""

from typing import Any

import numpy as np

from ksame.arrays import Floats, Ints
from ksame.checks import RandomState, check_k, check_random_state, check_vectors, to_safe_scale
from ksame.compiled import has_numba

# Multiplications below which compiling the fast engine would take longer than the plain loop.
_PLAIN_WORK = 3e8
_PIECE = 32768


def closest(X: Any, k: int, random_state: RandomState = None) -> Ints:
    """Group each seed with the k-1 people closest to it (N figure 10, lines 3 to 10).

    Seeds are taken in random order. As soon as fewer than 2k people are left, they make the last
    group (line 5), so that every group has k to 2k-1 people. Distances are Euclidean; of equally
    close people, the one with the lower row comes first.

    Parameters
    ----------
    X : array-like (n, d)
        One row per person.
    k : int
        At least 2 and at most n.
    random_state : int, Generator or None
        Decides the order of the seeds, nothing else: the same seed gives the same groups on any
        number of threads.

    Returns
    -------
    labels : (n,) int
        Groups are numbered in the order in which they were made.
    """
    X = check_vectors(X)
    k = check_k(k, len(X))
    order = check_random_state(random_state).permutation(len(X))
    X = to_safe_scale(X)[0]
    if X.size * (len(X) / k) / 2 < _PLAIN_WORK or not has_numba():
        return closest_plain(X, k, order)
    from ksame.grouping.fast import closest_fast

    return closest_fast(X, k, order)


def closest_plain(X: Floats, k: int, order: Ints) -> Ints:
    """Group with one pass over the remaining rows per seed, the seeds in the given order."""
    labels = np.full(len(X), -1, dtype=np.int64)
    ids, rows, free, group = np.arange(len(X)), X, len(X), 0
    for seed in order:
        if labels[seed] >= 0:
            continue
        if free < 2 * k:
            labels[labels < 0] = group
            break
        if free < 0.75 * len(ids):
            keep = labels[ids] < 0
            ids, rows = ids[keep], rows[keep]
        distances = squared_distances(rows, X[seed])
        distances[labels[ids] >= 0] = np.inf
        # the seed is first even where others are identical to it
        distances[np.searchsorted(ids, seed)] = -1.0
        labels[ids[smallest(distances, k)]] = group
        free, group = free - k, group + 1
    return labels


def squared_distances(rows: Floats, x: Floats) -> Floats:
    """Return ``((rows - x) ** 2).sum(axis=1)``, bit by bit, in pieces that fit the cache."""
    step = max(_PIECE // rows.shape[1], 1)
    if step >= len(rows):
        return _squared(rows, x)
    found = np.empty(len(rows))
    for start in range(0, len(rows), step):
        found[start : start + step] = _squared(rows[start : start + step], x)
    return found


def _squared(rows: Floats, x: Floats) -> Floats:
    """Return the squared distances of some rows, with one array in between."""
    gaps = rows - x
    gaps *= gaps
    total: Floats = gaps.sum(axis=1)
    return total


def smallest(values: Floats, count: int) -> Ints:
    """Return where the `count` smallest values are; of equal ones the first, in index order.

    A count of 0 takes nothing.
    """
    if count <= 0:
        return np.zeros(0, dtype=np.int64)
    if count >= len(values):
        return np.arange(len(values))
    limit = np.partition(values, count - 1)[count - 1]
    below = np.flatnonzero(values < limit)
    ties = np.flatnonzero(values == limit)[: count - len(below)]
    return np.sort(np.concatenate([below, ties]))
