"""k-Diff-furthest: faces that are far from their people and still differ from each other.

k-Same shows k people one face, so that nobody can be followed through a video. k-Diff-furthest
(after the idea of Sun, Meng & Ariyaeeinia 2015) moves a group of faces as a whole to where another
group is: the differences inside a group stay. What is given up is k-anonymity: a face that is
one person's alone can be traced by whoever knows the method and the originals.
"""

import warnings
from typing import Any

import numpy as np

from ksame.arrays import Floats
from ksame.checks import RandomState, check_vectors
from ksame.errors import NoGuaranteeWarning
from ksame.faceset import mean_by
from ksame.grouping.furthest import furthest


def k_diff_furthest(X: Any, k: int, random_state: RandomState = None) -> Floats:
    """The code that replaces each person's, (n, d): their own, moved to a far group.

    Guarantee: people of one group differ by exactly what they differed by before. There is **no**
    k-anonymity, which a `NoGuaranteeWarning` says.

    Parameters
    ----------
    X : array-like (n, d)
        One row per person, n >= 2k.
    k : int
        How many people are moved together.
    random_state : int, Generator or None
    """
    rows = check_vectors(X)
    warnings.warn(
        "'k-diff-furthest' gives every person a face of their own: there is no k-anonymity. "
        "Use 'furthest' for it.",
        NoGuaranteeWarning,
        stacklevel=2,
    )
    swap = furthest(rows, k, random_state)
    means = mean_by(rows, swap.labels, len(swap.source))
    moved: Floats = rows + (means[swap.source] - means)[swap.labels]
    return np.ascontiguousarray(moved)
