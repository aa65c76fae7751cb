"""The compiled inner loops of `ksame.grouping.fast`; nothing here is parallel or random."""

from typing import Any

import numpy as np

from ksame.arrays import Ints
from ksame.compiled import compiled

# the rough distance of rows that have a group: finite, so that no product can become NaN
DEAD = np.float32(1e30)


def summing_plan(n: int) -> Ints:
    """Return NumPy's order of adding n numbers: rows of (start, length, additions after it).

    Distances that are equal on paper must round as in ``((X - x)**2).sum(1)``, or ties would be
    broken differently here and in the plain loop. NumPy halves long sums down to 128 numbers. The
    plan is made here because cached recursive functions crash in numba.
    """
    leaves: list[list[int]] = []

    def halve(start: int, length: int) -> None:
        if length <= 128:
            leaves.append([start, length, 0])
            return
        half = length // 2
        half -= half % 8
        halve(start, half)
        halve(start + half, length - half)
        leaves[-1][2] += 1

    halve(0, n)
    return np.array(leaves, dtype=np.int64)


@compiled
def _part(a: Any, b: Any, start: int, n: int) -> float:
    """Return the squared distance over n <= 128 coordinates, in eight interleaved sums."""
    total = 0.0
    if n < 8:
        for i in range(start, start + n):
            total += (a[i] - b[i]) * (a[i] - b[i])
        return total
    r0 = r1 = r2 = r3 = r4 = r5 = r6 = r7 = 0.0
    whole = start + n - n % 8
    for i in range(start, whole, 8):
        r0 += (a[i] - b[i]) * (a[i] - b[i])
        r1 += (a[i + 1] - b[i + 1]) * (a[i + 1] - b[i + 1])
        r2 += (a[i + 2] - b[i + 2]) * (a[i + 2] - b[i + 2])
        r3 += (a[i + 3] - b[i + 3]) * (a[i + 3] - b[i + 3])
        r4 += (a[i + 4] - b[i + 4]) * (a[i + 4] - b[i + 4])
        r5 += (a[i + 5] - b[i + 5]) * (a[i + 5] - b[i + 5])
        r6 += (a[i + 6] - b[i + 6]) * (a[i + 6] - b[i + 6])
        r7 += (a[i + 7] - b[i + 7]) * (a[i + 7] - b[i + 7])
    total = ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7))
    for i in range(whole, start + n):
        total += (a[i] - b[i]) * (a[i] - b[i])
    return total


@compiled
def squared_distance(a: Any, b: Any, plan: Any) -> float:
    """Return the squared distance of two rows, rounded as NumPy rounds it."""
    if len(plan) == 1:
        return _part(a, b, 0, len(a))
    stack = np.empty(64, np.float64)
    top = 0
    for leaf in range(len(plan)):
        stack[top] = _part(a, b, plan[leaf, 0], plan[leaf, 1])
        top += 1
        for _ in range(plan[leaf, 2]):
            top -= 1
            stack[top - 1] += stack[top]
    total: float = stack[0]
    return total


@compiled
def keep_smallest(products: Any, ids: Any, first: int, values: Any, rows: Any) -> None:
    """Merge a block of rough distances (b, c) into each seed's sorted list of the L smallest.

    Counting what lies below the limit, 64 columns at a time, is a loop that vectorises; almost
    always nothing does, and the columns are passed over.
    """
    n_seeds, width = products.shape
    length = values.shape[1]
    for seed in range(n_seeds):
        limit = values[seed, length - 1]
        line = products[seed]
        for block in range(0, width, 64):
            end = min(block + 64, width)
            below = np.int32(0)
            if end == block + 64:
                for column in range(64):
                    below += np.int32(line[block + column] < limit)
            if below == 0 and end == block + 64:
                continue
            for column in range(block, end):
                value = line[column]
                if value < limit:
                    place = length - 1
                    while place > 0 and values[seed, place - 1] > value:
                        values[seed, place] = values[seed, place - 1]
                        rows[seed, place] = rows[seed, place - 1]
                        place -= 1
                    values[seed, place] = value
                    rows[seed, place] = ids[first + column]
                    limit = values[seed, length - 1]


@compiled
def _insert(distance: float, row: int, count: int, found: Any, chosen: Any) -> int:
    """Insert a row into the list of nearest rows, sorted by (distance, row); return its length."""
    size = len(chosen)
    if count == size:
        if distance > found[size - 1] or (distance == found[size - 1] and row > chosen[size - 1]):
            return count
        count -= 1
    place = count
    while place > 0 and (
        found[place - 1] > distance or (found[place - 1] == distance and chosen[place - 1] > row)
    ):
        found[place] = found[place - 1]
        chosen[place] = chosen[place - 1]
        place -= 1
    found[place] = distance
    chosen[place] = row
    return count + 1


@compiled
def _search(X: Any, seed: int, ids: Any, labels: Any, plan: Any, found: Any, chosen: Any) -> None:
    """Find the nearest free rows of a seed by comparing it with all of them."""
    width = X.shape[1]
    count = 0
    for row in ids:
        if labels[row] >= 0 or row == seed:
            continue
        if count == len(chosen) and width > 16:
            # a few coordinates are enough to rule most rows out; the margin covers rounding
            part = 0.0
            for i in range(12):
                part += (X[row, i] - X[seed, i]) * (X[row, i] - X[seed, i])
            if part * (1 - 1e-9) > found[count - 1]:
                continue
        distance = squared_distance(X[row], X[seed], plan)
        count = _insert(distance, row, count, found, chosen)


@compiled
def walk(
    X: Any, plan: Any, k: int, seeds: Any, ids: Any, labels: Any, state: Any, lists: Any
) -> None:
    """Make the groups of a batch of seeds, in order, exactly as a plain loop would.

    A seed's list of rough distances is trusted only where the k-1 exact distances found in it lie
    below everything that the list may have left out; elsewhere all rows are searched.

    Parameters
    ----------
    plan : the summing plan of the rows' length
    state : (3,) int
        Free rows, next group, and searches of all rows; changed in place, as are the labels.
    lists : tuple of three arrays
        (b, L) rough squared distances, less the seed's own square; (b, L) their rows; (b, 3) the
        seed's square, the rounding factor, and the scale from exact to rough squares. L = 0: none.
    """
    rough, rows, bound = lists
    found = np.empty(k - 1, np.float64)
    chosen = np.empty(k - 1, np.int64)
    for b in range(len(seeds)):
        seed = seeds[b]
        if labels[seed] >= 0:
            continue
        if state[0] < 2 * k:
            return
        count, complete = 0, False
        for place in range(rows.shape[1]):
            row = rows[b, place]
            if rough[b, place] >= DEAD / 2 or labels[row] >= 0 or row == seed:
                continue
            distance = squared_distance(X[row], X[seed], plan)
            count = _insert(distance, row, count, found, chosen)
        if count == k - 1:
            square, rounding, scale = bound[b]
            last = found[k - 2] * scale
            reach = 2 * np.sqrt(square) + np.sqrt(last)
            error = rounding * reach * reach + 1e-35
            complete = last + error < rough[b, rows.shape[1] - 1] + square
        if not complete:
            _search(X, seed, ids, labels, plan, found, chosen)
            state[2] += 1
        labels[seed] = state[1]
        for row in chosen:
            labels[row] = state[1]
        state[0] -= k
        state[1] += 1


@compiled
def drop_grouped(Y: Any, ids: Any, labels: Any, compact: bool) -> int:
    """Hide the rows that have a group, or close the gaps they leave; return the rows kept."""
    kept = 0
    for place in range(len(ids)):
        grouped = labels[ids[place]] >= 0
        if compact:
            if grouped:
                continue
            if kept != place:
                Y[kept] = Y[place]
                ids[kept] = ids[place]
            kept += 1
        elif grouped:
            Y[place, -1] = DEAD
    return kept if compact else len(ids)
