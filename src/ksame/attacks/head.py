"""A linear head: what a release does to features, undone as far as a linear map can."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ksame.arrays import AnyFloats, Floats, Labels
from ksame.errors import InputError

_PENALTIES = np.geomspace(1e-3, 1e3, 13)  # of ridge regression, over the mean variance of features
_FOLDS = 5


@dataclass(frozen=True)
class Head:
    """`features @ matrix + offset`."""

    matrix: Floats = field(repr=False)
    offset: Floats = field(repr=False)

    def apply(self, features: AnyFloats) -> Floats:
        """Features of released faces as they may have been before."""
        found: Floats = np.asarray(features, dtype=np.float64) @ self.matrix + self.offset
        return found


def fit_head(
    released: AnyFloats,
    originals: AnyFloats,
    persons: Labels,
) -> Head:
    """Ridge regression from released to original features, pair by pair.

    The penalty is the one that predicts people best who were left out, five at a time in turn: no
    person who is attacked is looked at. A large penalty leads to the mean of the originals, which
    recognises nobody.
    """
    x, y = (np.asarray(part, dtype=np.float64) for part in (released, originals))
    people, member = np.unique(np.asarray(persons), return_inverse=True)
    if len(x) != len(y) or len(people) < 2:
        raise InputError(
            f"{len(x)} released and {len(y)} original features of {len(people)} people: a head "
            "needs pairs of at least 2 people."
        )
    fold = np.random.default_rng(0).permutation(len(people))[member] % min(_FOLDS, len(people))
    errors = np.zeros(len(_PENALTIES))
    for number in np.unique(fold):
        kept, left = fold != number, fold == number
        for i, head in enumerate(_heads(x[kept], y[kept])):
            errors[i] += float(((head.apply(x[left]) - y[left]) ** 2).sum())
    return _heads(x, y)[int(np.argmin(errors))]


def _heads(x: Floats, y: Floats) -> list[Head]:
    """One head per penalty, from one decomposition."""
    centre, target = x.mean(axis=0), y.mean(axis=0)
    u, size, vt = np.linalg.svd(x - centre, full_matrices=False)
    unit = max(float((size**2).mean()), 1e-30)
    mixed = u.T @ (y - target)
    heads = []
    for penalty in _PENALTIES:
        matrix = vt.T @ ((size / (size**2 + penalty * unit))[:, None] * mixed)
        heads.append(Head(matrix, target - centre @ matrix))
    return heads
