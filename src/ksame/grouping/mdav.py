"""Microaggregation: groups with less information loss than N figure 10, at the same k.

The optimal partition is NP-hard to find (N section 2). MDAV (maximum distance to average vector,
Domingo-Ferrer and Mateo-Sanz 2002) starts each group at the outside, where the plain order of
seeds leaves stragglers; exchanging people between groups then lowers the loss further.
"""

from typing import Any

import numpy as np

from ksame.arrays import Floats, Ints
from ksame.checks import RandomState, check_k, check_vectors, to_safe_scale
from ksame.grouping.closest import smallest, squared_distances
from ksame.grouping.refine import refine

# Above this many people exchanging takes longer than grouping itself, for a gain of a few percent.
_REFINED = 2000


def mdav(X: Any, k: int, random_state: RandomState = None, refined: bool | None = None) -> Ints:
    """Group from the outside in, then exchange people between groups while the loss falls.

    Parameters
    ----------
    X : array-like (n, d)
        One row per person.
    k : int
    random_state : ignored
        Nothing is random here; the argument is there so that all groupings are called alike.
    refined : bool, optional
        Whether to exchange people; by default for up to 2000 of them.

    Returns
    -------
    labels : (n,) int
        Groups of k to 2k-1 people.
    """
    X = check_vectors(X)
    k = check_k(k, len(X))
    X = to_safe_scale(X)[0]
    labels = mdav_plain(X, k)
    if refined if refined is not None else len(X) <= _REFINED:
        labels = refine(X, labels, k)
    return labels


def mdav_plain(X: Floats, k: int) -> Ints:
    """Group the row furthest from the mean with its k-1 closest, and the row furthest from that."""
    labels = np.full(len(X), -1, dtype=np.int64)
    left, rows = np.arange(len(X)), X
    group = 0
    while len(left) >= 2 * k:
        centre, both = rows.mean(axis=0), len(left) >= 3 * k
        for _ in range(2 if both else 1):
            lead = rows[np.argmax(squared_distances(rows, centre))]
            chosen = smallest(squared_distances(rows, lead), k)
            labels[left[chosen]] = group
            keep = np.ones(len(left), dtype=bool)
            keep[chosen] = False
            left, rows = left[keep], rows[keep]
            centre, group = lead, group + 1
    labels[left] = group
    return labels
