"""Groups that also hide a label: l-diversity and t-closeness over a column of people.

k-anonymity hides who somebody is, not what they have: if all people of a group share a diagnosis,
whoever is known to be in the group is known to have it. Closest groups are merged until their
labels are mixed (l-diversity, Machanavajjhala et al. 2007) or as in the whole set (t-closeness, Li
et al. 2007). Both only ever merge, so that k stays.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from ksame.arrays import Floats, Ints, Labels
from ksame.checks import RandomState, check_column, check_k, check_vectors, number, to_safe_scale
from ksame.errors import GuaranteeError, InputError
from ksame.faceset import mean_by
from ksame.grouping.closest import closest


def l_diverse(X: Any, k: int, labels: Labels, l: int, random_state: RandomState = None) -> Ints:
    """Closest groups of k people or more, each with at least l different labels.

    Parameters
    ----------
    X : array-like (n, d)
        One row per person.
    k : int
    labels : array-like (n,)
        What must not be told by the group: one value per person.
    l : int
        How many different values a group needs.
    random_state : int, Generator or None

    Raises
    ------
    GuaranteeError
        All people together have fewer than l values.
    """
    rows, values = _checked(X, k, labels)
    present = int(values.max()) + 1
    if l < 1:
        raise InputError(f"l={l} must be at least 1.")
    if present < l:
        raise GuaranteeError(
            f"l={l} needs at least {l} different labels; this set has {present}. Lower l."
        )

    def lacks(counts: Floats) -> float:
        return max(l - float((counts > 0).sum()), 0.0)

    return _merged(rows, closest(rows, k, random_state), values, lacks, 0.0)


def t_close(X: Any, k: int, labels: Labels, t: float, random_state: RandomState = None) -> Ints:
    """Closest groups of k people or more whose labels are distributed as in the whole set.

    Guarantee: the variational distance between the shares of the labels in a group and in the whole
    set (the earth mover's distance of categories) is at most t.

    Parameters are those of `l_diverse`, with t in [0, 1]; 0 may leave one group only.
    """
    rows, values = _checked(X, k, labels)
    if not 0 <= t <= 1:
        raise InputError(f"t={t} must lie between 0 and 1.")
    whole = np.bincount(values) / len(values)

    def distance(counts: Floats) -> float:
        return float(np.abs(counts / counts.sum() - whole).sum() / 2)

    # rounding of shares must not merge groups that are as the whole set is
    return _merged(rows, closest(rows, k, random_state), values, distance, t + 1e-12)


def _checked(X: Any, k: int, labels: Labels) -> tuple[Floats, Ints]:
    rows = to_safe_scale(check_vectors(X))[0]
    check_k(k, len(rows))
    return rows, number(check_column(labels, len(rows), "labels"))[0]


def _merged(
    rows: Floats, labels: Ints, values: Ints, fault: Callable[[Floats], float], allowed: float
) -> Ints:
    """Merge the group with the largest fault with the one that mends it best, until none has any.

    Of equally good ones the nearest is taken. All people together have no fault, so that it ends.
    """
    groups = labels.copy()
    while True:
        groups = np.unique(groups, return_inverse=True)[1]
        count = int(groups.max()) + 1
        table = np.zeros((count, int(values.max()) + 1))
        np.add.at(table, (groups, values), 1.0)
        faults = np.array([fault(row) for row in table])
        worst = int(np.argmax(faults))
        if faults[worst] <= allowed or count == 1:
            return np.asarray(groups, dtype=np.int64)
        means = mean_by(rows, groups, count)
        far = ((means - means[worst]) ** 2).sum(axis=1)
        others = [g for g in range(count) if g != worst]
        best = min(others, key=lambda g: (max(fault(table[g] + table[worst]), allowed), far[g]))
        groups[groups == worst] = best
