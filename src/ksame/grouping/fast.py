"""N figure 10 for large sets: the groups of the plain loop, bit by bit, many times faster.

For a batch of seeds at a time, a single-precision matrix product gives rough distances to all free
rows, of which each seed keeps a short list. The seeds are then taken in order; each list is
decided with exact double-precision distances, and it counts only if a bound on the rounding of
the product proves that nothing outside of it can be closer. Otherwise the seed is compared with
all free rows. The result is therefore independent of the matrix library and of its threads.
Memory: one single-precision copy of the set.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from ksame.arrays import Floats, Floats32, Ints
from ksame.grouping import kernels
from ksame.grouping.kernels import DEAD
from ksame.threads import one_blas_thread, processors

_BATCH = 512
_BLOCK = 1024
_SMALL = 1000


def closest_fast(X: Floats, k: int, order: Ints) -> Ints:
    """Group as `closest_plain` does, the seeds in the given order, on all processors."""
    # one BLAS thread each: our own threads share the seeds of a batch among them
    with one_blas_thread(), ThreadPoolExecutor(processors()) as pool:
        return group_rows(X, k, order, pool)


def group_rows(X: Floats, k: int, order: Ints, pool: ThreadPoolExecutor | None = None) -> Ints:
    """Group as `closest_plain` does, in the calling thread or with the help of a pool."""
    labels = np.full(len(X), -1, dtype=np.int64)
    ids = np.arange(len(X))
    state = np.array([len(X), 0, 0])
    plan = kernels.summing_plan(X.shape[1])
    Y, scale = _rough_copy(X)
    done = 0
    while state[0] > max(_SMALL, 16 * k):
        size = int(np.clip(state[0] // (8 * k), 16, _BATCH))
        batch, done = _next_seeds(order, labels, done, size)
        lists = _short_lists(Y[: len(ids)], ids, batch, 3 * k + 16, scale, pool)
        kernels.walk(X, plan, k, batch, ids, labels, state, lists)
        compact = len(ids) - state[0] > len(ids) // 16
        ids = ids[: kernels.drop_grouped(Y, ids, labels, compact)]
    ids = ids[labels[ids] < 0]
    none = np.empty((len(order), 0))
    lists = none.astype(np.float32), none.astype(np.int64), none
    kernels.walk(X, plan, k, order[done:], ids, labels, state, lists)
    labels[labels < 0] = state[1]
    return labels


def _rough_copy(X: Floats) -> tuple[Floats32, float]:
    """Return rows (-2x, |x|^2) of the centred set in single precision, and the scale of squares.

    The product of such a row with (s, 1) is the squared distance less |s|^2.
    """
    centre = X.mean(axis=0)
    spread = max(float((X.max(axis=0) - centre).max()), float((centre - X.min(axis=0)).max()))
    factor = 2.0 ** -int(np.frexp(spread)[1]) if spread > 0 else 1.0
    Y = np.empty((len(X), X.shape[1] + 1), dtype=np.float32)
    for start in range(0, len(X), 65536):
        part = (X[start : start + 65536] - centre) * factor
        Y[start : start + 65536, :-1] = -2 * part
        Y[start : start + 65536, -1] = (part**2).sum(axis=1)
    return Y, factor * factor


def _next_seeds(order: Ints, labels: Ints, done: int, size: int) -> tuple[Ints, int]:
    """Return the next seeds that have no group yet, and how far the order has been used up."""
    found: list[Ints] = []
    have = 0
    while have < size and done < len(order):
        part = order[done : done + size - have]
        done += len(part)
        free = part[labels[part] < 0]
        found.append(free)
        have += len(free)
    return np.concatenate(found), done


def _short_lists(
    Y: Floats32, ids: Ints, batch: Ints, length: int, scale: float, pool: ThreadPoolExecutor | None
) -> tuple[Floats32, Ints, Floats]:
    """Return each seed's rough nearest rows and what `walk` needs to bound their rounding."""
    rough = np.full((len(batch), length), DEAD, dtype=np.float32)
    rows = np.zeros((len(batch), length), dtype=np.int64)
    where = np.searchsorted(ids, batch)
    seeds = Y[where] * np.float32(-0.5)
    squares = Y[where, -1].astype(np.float64)
    seeds[:, -1] = 1.0

    def work(part: slice) -> None:
        out = np.empty((len(seeds[part]), _BLOCK), dtype=np.float32)
        for start in range(0, len(Y), _BLOCK):
            block = Y[start : start + _BLOCK]
            products = out[:, : len(block)] if len(block) == _BLOCK else seeds[part] @ block.T
            if len(block) == _BLOCK:
                np.dot(seeds[part], block.T, out=products)
            kernels.keep_smallest(products, ids, start, rough[part], rows[part])

    if pool is None:
        work(slice(None))
    else:
        cuts = np.linspace(0, len(batch), processors() + 1).astype(int)
        list(pool.map(work, [slice(a, b) for a, b in pairwise(cuts)]))
    bound = np.empty((len(batch), 3))
    bound[:, 0] = squares
    # gamma of a dot product of d+1 terms whose factors are rounded as well, and a margin
    bound[:, 1] = (Y.shape[1] + 7) * 2.0**-24 * 1.05
    bound[:, 2] = scale
    return rough, rows, bound
