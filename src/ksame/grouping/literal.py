"""F figure 2 to the letter, kept for comparison: its zero does not always hold.

Its remaining faces (lines 40 to 45) take the mean of the further of the last two clusters without
a look at who is nearest to it, and after an early break (lines 17 and 26) the clusters are filled
up with faces that the means do not contain. `docs/methods.md` has the counter-example; the default
`furthest` enforces what F theorem 3 claims.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ksame.arrays import Floats, Ints
from ksame.checks import RandomState, check_random_state, check_vectors
from ksame.errors import NoGuaranteeWarning
from ksame.grouping.closest import smallest
from ksame.grouping.furthest import check_pairs


@dataclass(frozen=True, eq=False)
class LiteralSwap:
    """The outcome of F figure 2: group of each row, and the code that replaces each group.

    The code is given itself, for it need not be the mean of a whole group.
    """

    labels: Ints
    codes: Floats

    def surrogates(self, X: Floats) -> Floats:
        """Return the code that replaces each group's faces, shape (g, d)."""
        return self.codes


def furthest_literal(X: Any, k: int, random_state: RandomState = None) -> LiteralSwap:
    """Group as F figure 2 says, the faces of M taken in random order.

    k-anonymity holds: every code replaces at least k people. Zero recognition (F theorem 3) is
    **not** enforced, which a `NoGuaranteeWarning` says. Groups have up to 3k-1 people.
    """
    X = check_vectors(X)
    k = check_pairs(k, len(X))
    warnings.warn(
        "'furthest-literal' is F figure 2 as printed: zero recognition is not enforced. "
        "Use 'furthest' for the guarantee.",
        NoGuaranteeWarning,
        stacklevel=2,
    )
    return literal_in_order(X, k, check_random_state(random_state).permutation(len(X)))


def literal_in_order(X: Floats, k: int, order: Ints) -> LiteralSwap:
    """Run F figure 2 with the outer loop (line 3) over the rows in the given order."""
    labels = np.full(len(X), -1, dtype=np.int64)
    codes: list[Floats] = []
    M = set(range(len(X)))
    for i in order.tolist():
        if labels[i] >= 0:
            continue
        if len(M) >= 2 * k:
            C_c, C_f, mean_c, mean_f = _two_clusters(X, k, i, M)
            labels[C_c], labels[C_f] = len(codes), len(codes) + 1
            codes += [mean_f, mean_c]
            M -= {*C_c, *C_f}
        else:
            # lines 41 to 45; codes[-2] is the last mean_f and codes[-1] the last mean_c
            to_f, to_c = np.linalg.norm(X[i] - codes[-2]), np.linalg.norm(X[i] - codes[-1])
            labels[i] = len(codes) - 2 if to_f > to_c else len(codes) - 1
    return LiteralSwap(labels, np.array(codes))


def _two_clusters(
    X: Floats, k: int, i: int, M: set[int]
) -> tuple[list[int], list[int], Floats, Floats]:
    """Grow the cluster of row i and the one furthest from it (lines 5 to 37)."""
    left = M - {i}
    far = _pick(X, left, X[i], 1, furthest=True)[0]
    left.discard(far)
    C = {"c": [i], "f": [far]}
    while len(C["c"]) < k and len(C["f"]) < k and left:
        if not (_grow(X, C, "f", left) and left and _grow(X, C, "c", left)):
            break
    mean_c, mean_f = X[C["c"]].mean(axis=0), X[C["f"]].mean(axis=0)
    for name, mean in (("f", mean_f), ("c", mean_c)):
        filling = _pick(X, left, mean, k - len(C[name]))
        C[name] += filling
        left -= set(filling)
    return C["c"], C["f"], mean_c, mean_f


def _grow(X: Floats, C: dict[str, list[int]], name: str, left: set[int]) -> bool:
    """Add the closest remaining face to a cluster unless the two then overlap (lines 11 to 28)."""
    added = _pick(X, left, X[C[name]].mean(axis=0), 1)[0]
    C[name].append(added)
    mean_c, mean_f = X[C["c"]].mean(axis=0), X[C["f"]].mean(axis=0)
    r_c = np.linalg.norm(X[C["c"]] - mean_c, axis=1).max()
    r_f = np.linalg.norm(X[C["f"]] - mean_f, axis=1).max()
    if np.linalg.norm(mean_c - mean_f) <= r_c + r_f:
        C[name].pop()
        return False
    left.discard(added)
    return True


def _pick(X: Floats, left: set[int], to: Floats, count: int, furthest: bool = False) -> list[int]:
    """Return the `count` rows of `left` closest to, or furthest from, a point."""
    rows = np.array(sorted(left), dtype=np.int64)
    distances = ((X[rows] - to) ** 2).sum(axis=1)
    chosen: list[int] = rows[smallest(-distances if furthest else distances, count)].tolist()
    return chosen
