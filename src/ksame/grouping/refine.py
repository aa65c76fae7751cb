"""Lower the information loss of a partition by moving and exchanging people, at the same k."""

import numpy as np

from ksame.arrays import Floats, Ints

# An exchange must lower the loss by this share of it: less is rounding.
_GAIN = 1e-9
_PASSES = 50


def refine(X: Floats, labels: Ints, k: int) -> Ints:
    """Return labels whose groups keep k to 2k-1 people and whose loss no single step lowers.

    For each person in turn, the best move to another group or exchange with another person is
    made if it lowers the loss (`information_loss`), until a pass changes nothing (or 50 passes).
    No step can raise the loss. Sums run in a fixed order: the number of threads changes nothing.
    """
    search = _Exchange(X - X.mean(axis=0), labels, k)
    for _ in range(_PASSES):
        if not sum(search.improve(person) for person in range(len(X))):
            break
    return np.unique(search.labels, return_inverse=True)[1].astype(np.int64)


class _Exchange:
    """The state of the search: labels, sizes and group sums, from which every gain follows.

    With S the sum of a group of m rows, its loss is sum |x|^2 - |S|^2 / m, so that only |S|^2 / m
    changes in a step. A matrix of inner products is kept only where it is smaller than X itself.
    """

    def __init__(self, X: Floats, labels: Ints, k: int) -> None:
        self.X, self.k = X, k
        self.labels = labels.copy()
        self.products = np.einsum("id,jd->ij", X, X) if len(X) <= X.shape[1] else None
        self.squares = (X**2).sum(axis=1)
        self.sizes = np.bincount(labels).astype(np.float64)
        self.own = np.zeros(len(X))
        self.sums = np.zeros(len(self.sizes))
        for group in range(len(self.sizes)):
            self._renew(group)
        self.least = _GAIN * max(float(self.squares.sum()), np.finfo(float).tiny)

    def _with(self, rows: Ints) -> Floats:
        """Return the inner products of every row with the sum of some rows."""
        if self.products is not None:
            total: Floats = self.products[rows].sum(axis=0)
            return total
        product: Floats = np.einsum("ij,j->i", self.X, self.X[rows].sum(axis=0))
        return product

    def _renew(self, group: int) -> None:
        """Recompute |S|^2 of a group, and x.S of its members."""
        members = np.flatnonzero(self.labels == group)
        self.own[members] = self._with(members)[members]
        self.sums[group] = self.own[members].sum()

    def improve(self, person: int) -> bool:
        """Make the best step for one person if it lowers the loss; say whether it did."""
        here = int(self.labels[person])
        with_me = self._with(np.array([person]))
        with_sums: Floats = np.bincount(self.labels, with_me, len(self.sizes)).astype(float)
        to, gain = self._best_move(person, here, with_sums)
        other, exchange = self._best_exchange(person, here, with_me, with_sums)
        if max(gain, exchange) <= self.least:
            return False
        if exchange >= gain:
            to = int(self.labels[other])
            self.labels[other] = here
        else:
            self.sizes[here] -= 1
            self.sizes[to] += 1
        self.labels[person] = to
        self._renew(here)
        self._renew(to)
        return True

    def _best_move(self, person: int, here: int, with_sums: Floats) -> tuple[int, float]:
        """Return the group that gains most from taking the person, and the loss that it saves."""
        if self.sizes[here] <= self.k:
            return here, 0.0
        square, sizes = self.squares[person], self.sizes
        leaves = (self.sums[here] - 2 * with_sums[here] + square) / (sizes[here] - 1)
        stays = self.sums / sizes
        gains = (self.sums + 2 * with_sums + square) / (sizes + 1) - stays
        gains += leaves - stays[here]
        gains[here] = -np.inf
        gains[sizes >= 2 * self.k - 1] = -np.inf
        best = int(np.argmax(gains))
        return best, float(gains[best])

    def _best_exchange(
        self, person: int, here: int, with_me: Floats, with_sums: Floats
    ) -> tuple[int, float]:
        """Return whom to exchange the person with, and the loss that it saves."""
        gap = self.squares + self.squares[person] - 2 * with_me
        mine = self._with(np.flatnonzero(self.labels == here)) - with_sums[here]
        theirs = self.own - with_sums[self.labels]
        gains = (2 * mine + gap) / self.sizes[here] + (gap - 2 * theirs) / self.sizes[self.labels]
        gains[self.labels == here] = -np.inf
        best = int(np.argmax(gains))
        return best, float(gains[best])
