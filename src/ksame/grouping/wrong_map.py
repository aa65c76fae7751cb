"""Wrong-map (N section 7): nobody is recognised, and as much of the face as possible stays.

N asks for faces that replace "a face not in the cluster that composed it but one near that
cluster", and leaves open how most detail is kept. Here closest groups lend each other their means,
every group to another one, so that the distances between lender and borrower are smallest in total
and no person is the nearest original of the face that they get.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ksame.arrays import Floats, Ints
from ksame.checks import RandomState, check_random_state, check_vectors, to_safe_scale
from ksame.errors import GuaranteeError
from ksame.faceset import mean_by
from ksame.grouping.closest import closest
from ksame.grouping.furthest import View, check_pairs, nearest_rows
from ksame.grouping.groups import Swap

_TRIES = 20  # other groups, where no lender is left that nobody would be recognised by


def wrong_map(X: Any, k: int, random_state: RandomState = None, views: Sequence[View] = ()) -> Swap:
    """Group the closest people and give each group the mean of a near one, recognition being zero.

    Guarantee: every face is shared by k people or more, and no person is the nearest original, by
    Euclidean distance in `X` and in every view, of the face that they get; ties count as nearest.

    Parameters
    ----------
    X : array-like (n, d)
        One row per person, n >= 2k.
    k : int
    random_state : int, Generator or None
        Decides the order of the seeds.
    views : sequence of View
        Further spaces in which the zero must hold.

    Raises
    ------
    GuaranteeError
        There are fewer than 2k people, or no groups were found that reach zero.
    """
    rows = to_safe_scale(check_vectors(X))[0]
    k = check_pairs(k, len(rows))
    rng = check_random_state(random_state)
    everywhere = [View(rows, rows, np.arange(len(rows))), *views]
    for _ in range(_TRIES):
        labels = closest(rows, k, rng)
        source = _lenders(rows, labels, everywhere)
        if source is not None:
            return Swap(labels, source)
    raise GuaranteeError(
        f"k={k}: in {_TRIES} groupings of {len(rows)} people somebody was the nearest original of "
        "every face that could replace theirs. Lower k, add people, or use 'closest'."
    )


def _lenders(rows: Floats, labels: Ints, views: Sequence[View]) -> Ints | None:
    """The group that lends each group its mean, or None where zero cannot be reached."""
    from scipy.optimize import linear_sum_assignment  # slow to import, and rarely needed

    count = int(labels.max()) + 1
    if count < 2:
        return None
    means = mean_by(rows, labels, count)
    cost = ((means[:, None] - means[None]) ** 2).sum(axis=2)
    np.fill_diagonal(cost, np.inf)
    for view in views:
        lent = mean_by(view.codes, labels, count)
        for lender, near in enumerate(nearest_rows(lent, view.gallery)):
            cost[labels[view.owners[near]], lender] = np.inf
    try:
        borrowers, lenders = linear_sum_assignment(cost)
    except ValueError:  # no assignment avoids what is forbidden
        return None
    source = np.empty(count, dtype=np.int64)
    source[borrowers] = lenders
    return source
