"""What a grouping is: a partition of people, and for each group the group that gives its face."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ksame.arrays import Floats, Ints
from ksame.errors import GuaranteeError
from ksame.faceset import mean_by


@dataclass(frozen=True, eq=False)
class Swap:
    """Groups whose surrogates may come from another group (F: k-Same-furthest).

    Attributes
    ----------
    labels : (n,) int
        The group 0..g-1 of each person.
    source : (g,) int
        The mean of group ``source[i]`` replaces the faces of group i.
    """

    labels: Ints
    source: Ints

    def surrogates(self, X: Floats) -> Floats:
        """Return the code that replaces each group's faces, shape (g, d)."""
        return mean_by(X, self.labels, len(self.source))[self.source]


def as_swap(groups: "Swap | npt.ArrayLike") -> Swap:
    """Return plain labels as a swap in which every group keeps its own mean."""
    if isinstance(groups, Swap):
        return groups
    labels = np.asarray(groups, dtype=np.int64)
    return Swap(labels, np.arange(int(labels.max()) + 1))


def check_groups(labels: Ints, n: int, k: int) -> None:
    """Raise `GuaranteeError` unless the labels 0..g-1 are of n people in groups of at least k."""
    if len(labels) != n or int(labels.min()) < 0:
        raise GuaranteeError(
            f"a grouping of {len(labels)} labels for {n} people must give every person a group. "
            "Correct the grouping function."
        )
    smallest = int(np.bincount(labels).min())
    if smallest < k:
        raise GuaranteeError(
            f"a group of {smallest} people breaks k={k}: every group needs at least k people. "
            "Correct the grouping function."
        )


def information_loss(X: Floats, labels: Ints) -> float:
    """Return the sum of squared distances of each row to the mean of its group.

    The loss that microaggregation minimises: N equation 2, squared and summed over the set.
    """
    means = mean_by(X, labels, int(labels.max()) + 1)
    total = 0.0
    for start in range(0, len(X), 4096):
        part = slice(start, start + 4096)
        total += float(((X[part] - means[labels[part]]) ** 2).sum())
    return total
