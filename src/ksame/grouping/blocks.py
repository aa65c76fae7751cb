"""Sets of millions: cut the space into balanced blocks first, then group exactly inside each."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from ksame.arrays import Floats, Ints
from ksame.checks import RandomState, check_k, check_random_state, check_vectors, to_safe_scale
from ksame.compiled import has_numba
from ksame.grouping.closest import closest, closest_plain
from ksame.threads import one_blas_thread, processors

_SAMPLE = 4096
_TURNS = 12


def blocks(X: Any, k: int, random_state: RandomState = None, block_size: int = 4096) -> Ints:
    """Group inside blocks of neighbours: work grows with n, not with its square.

    The set is halved across its direction of largest variance until no block has more than
    `block_size` people; each block is then grouped as `closest` does. Groups have k to 2k-1
    people, as everywhere. Groups cannot cross a block's border: `docs/methods.md` says how much
    that costs in information loss.

    Parameters
    ----------
    X : array-like (n, d)
        One row per person.
    k : int
    random_state : int, Generator or None
    block_size : int
        Raised to 4k where smaller, so that every block can be grouped.

    Returns
    -------
    labels : (n,) int
    """
    X = check_vectors(X)
    k = check_k(k, len(X))
    rng = check_random_state(random_state)
    X = to_safe_scale(X)[0]
    parts = _cut(X, max(int(block_size), 4 * k))
    if len(parts) == 1:
        return closest(X, k, rng)
    orders = [rng.permutation(len(part)) for part in parts]
    return _group_parts(X, k, parts, orders)


def _cut(X: Floats, limit: int) -> list[Ints]:
    """Halve the rows again and again; return blocks of at most `limit` row numbers."""
    waiting, parts = [np.arange(len(X))], []
    while waiting:
        rows = waiting.pop()
        if len(rows) <= limit:
            parts.append(np.sort(rows))
            continue
        stride = -(-len(rows) // _SAMPLE)
        direction = main_direction(X[rows[::stride]])
        places = np.empty(len(rows))
        for start in range(0, len(rows), 65536):
            part = rows[start : start + 65536]
            places[start : start + 65536] = np.einsum("ij,j->i", X[part], direction)
        order = np.argpartition(places, len(rows) // 2)
        waiting += [rows[order[len(rows) // 2 :]], rows[order[: len(rows) // 2]]]
    return parts


def main_direction(X: Floats) -> Floats:
    """Return a unit vector near the direction of largest variance, by power iteration.

    `einsum` adds in one fixed order, so that the blocks do not depend on the number of threads.
    """
    Z = X - X.mean(axis=0)
    direction = np.zeros(X.shape[1])
    direction[np.argmax((Z**2).sum(axis=0))] = 1.0
    for _ in range(_TURNS):
        turned = np.einsum("ij,i->j", Z, np.einsum("ij,j->i", Z, direction))
        length = float(np.sqrt((turned**2).sum()))
        if length == 0.0:
            break
        direction = turned / length
    return direction


def _group_parts(X: Floats, k: int, parts: list[Ints], orders: list[Ints]) -> Ints:
    """Group each block in a thread of its own; number the groups block after block."""
    group = _engine()

    def work(item: tuple[Ints, Ints]) -> Ints:
        rows, order = item
        return group(np.ascontiguousarray(X[rows]), k, order)

    labels = np.empty(len(X), dtype=np.int64)
    groups = 0
    with one_blas_thread(), ThreadPoolExecutor(processors()) as pool:
        for rows, inside in zip(
            parts, pool.map(work, zip(parts, orders, strict=True)), strict=True
        ):
            labels[rows] = inside + groups
            groups += int(inside.max()) + 1
    return labels


def _engine() -> Callable[[Floats, int, Ints], Ints]:
    """What groups one block: compiled where numba is installed; the groups are the same."""
    if not has_numba():
        return closest_plain
    from ksame.grouping.fast import group_rows

    return group_rows
