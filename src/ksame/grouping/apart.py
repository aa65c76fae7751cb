"""Groups at random, in which people who are seen together are kept apart.

Where the face of a group belongs to nobody, it does not matter how alike its people are. What
matters is that two of them in one photo would wear one face.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ksame.arrays import Ints
from ksame.checks import RandomState, check_k, check_random_state, check_vectors


def apart(
    X: Any,
    k: int,
    random_state: RandomState = None,
    companions: Sequence[tuple[int, int]] = (),
) -> Ints:
    """Group people at random into as many groups of at least k as there can be.

    Guarantee: every group has k to 2k - 1 people. Companions share a group only where every group
    that still takes people has one of theirs; people with most companions choose first.

    Parameters
    ----------
    X : array-like (n, d)
        One row per person; only their number counts.
    k : int
    random_state : int, Generator or None
    companions : sequence of (int, int)
        Pairs of rows who are seen together.
    """
    rows = check_vectors(X)
    k = check_k(k, len(rows))
    rng = check_random_state(random_state)
    n, count = len(rows), len(rows) // k
    friends: list[set[int]] = [set() for _ in range(n)]
    for one, other in companions:
        if one != other:
            friends[one].add(other)
            friends[other].add(one)
    order = sorted(rng.permutation(n).tolist(), key=lambda person: -len(friends[person]))
    labels = np.full(n, -1, dtype=np.int64)
    # round robin: the next group in turn that takes the person, so that all fill up evenly
    room = np.full(count, n // count)
    room[: n % count] += 1
    turn = 0
    for person in order:
        taken = {int(labels[friend]) for friend in friends[person]}
        chosen = _next_with_room(room, turn, taken)
        labels[person] = chosen
        room[chosen] -= 1
        turn = (chosen + 1) % count
    return labels


def _next_with_room(room: Ints, turn: int, taken: set[int]) -> int:
    """The first group from ``turn`` on that has room and no companion; else any with room."""
    count, fallback = len(room), -1
    for step in range(count):
        group = (turn + step) % count
        if room[group] > 0:
            if group not in taken:
                return group
            fallback = group if fallback < 0 else fallback
    return fallback
