"""Labels of groups, counted: l-diversity and t-closeness, independently of who made the groups."""

from typing import Any

import numpy as np

from ksame.arrays import Floats
from ksame.checks import number
from ksame.errors import GuaranteeError, InputError

_ROUNDING = 1e-9  # of shares: a group that is as the whole set is has no distance


def fewest_labels(groups: Any, labels: Any) -> int:
    """How many different labels the group with the fewest has (Machanavajjhala et al. 2007).

    Parameters
    ----------
    groups, labels : array-like (n,)
        The group and the label of each person.
    """
    return int((_table(groups, labels) > 0).sum(axis=1).min())


def furthest_share(groups: Any, labels: Any) -> float:
    """The largest distance of a group's labels from everybody's (t-closeness, Li et al. 2007).

    The variational distance of shares: the earth mover's distance where all labels differ equally.
    """
    table = _table(groups, labels)
    whole = table.sum(axis=0) / table.sum()
    shares = table / table.sum(axis=1, keepdims=True)
    return float(np.abs(shares - whole).sum(axis=1).max() / 2)


def check_diversity(groups: Any, labels: Any, l: int) -> None:
    """Raise `GuaranteeError` unless every group has at least l different labels."""
    found = fewest_labels(groups, labels)
    if found < l:
        raise GuaranteeError(
            f"a group has {found} different labels; l={l} is promised. Nothing is released; "
            "correct the grouping function."
        )


def check_closeness(groups: Any, labels: Any, t: float) -> None:
    """Raise `GuaranteeError` unless every group's labels are within t of everybody's."""
    found = furthest_share(groups, labels)
    if found > t + _ROUNDING:
        raise GuaranteeError(
            f"the labels of a group are {found:.3f} from everybody's; t={t} is promised. Nothing "
            "is released; correct the grouping function."
        )


def _table(groups: Any, labels: Any) -> Floats:
    """How many people of each group have each label."""
    rows, count = number(np.asarray(groups))
    values, kinds = number(np.asarray(labels))
    if len(rows) != len(values) or not len(rows):
        raise InputError(f"{len(rows)} groups and {len(values)} labels; pass one of each a person.")
    table = np.zeros((count, kinds))
    np.add.at(table, (rows, values), 1.0)
    return table
