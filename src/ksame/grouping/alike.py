"""Groups of people of like looks, in which people who are seen together are kept apart.

Where the face of a group belongs to nobody, it should suit all who share it: the more alike they
are, the better it suits. Where there are too few people of a kind, those who are least unlike join
them, and not a whole class another one. Two people of a group in one photo would wear one face.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ksame.arrays import Floats, Ints
from ksame.checks import RandomState, check_k, check_random_state, check_vectors
from ksame.grouping.mdav import mdav_plain

# squared distance that is as bad as two people of one photo in a group
_COMPANY = 4.0
_ROUNDS = 8  # passes over all people; most of the gain is in the first two
_GAIN = 1e-9  # less is rounding
_AT_ONCE = 512  # people who are compared with each other: no n x n matrices for large collections


def alike(
    X: Any,
    k: int,
    random_state: RandomState = None,
    companions: Sequence[tuple[int, int]] = (),
) -> Ints:
    """Group people whose rows are near each other, companions apart where that costs less.

    Guarantee: every group has k to 2k - 1 people.

    Parameters
    ----------
    X : array-like (n, d)
        One row per person; a squared distance of 4 between two people is as bad as two companions
        in one group.
    k : int
    random_state : int, Generator or None
        Who comes first of those who are equally near, and in which order people change places.
    companions : sequence of (int, int)
        Pairs of rows who are seen together.
    """
    rows = check_vectors(X)
    k = check_k(k, len(rows))
    rng = check_random_state(random_state)
    friends: list[list[int]] = [[] for _ in range(len(rows))]
    for one, other in {(min(pair), max(pair)) for pair in companions if pair[0] != pair[1]}:
        friends[one].append(other)
        friends[other].append(one)
    labels = np.empty(len(rows), np.int64)
    count = 0
    # shuffled: whoever is as near as another is grouped by chance, not by the order of names
    for part in _parts(rows, rng.permutation(len(rows)), k):
        inside = mdav_plain(rows[part], k)
        place = {int(row): i for i, row in enumerate(part)}
        known = [[place[f] for f in friends[row] if f in place] for row in part.tolist()]
        labels[part] = count + _exchanged(rows[part], inside, known, rng)
        count += int(inside.max()) + 1
    return labels


def _parts(rows: Floats, part: Ints, k: int) -> list[Ints]:
    """People in parts of like rows, small enough to compare everybody with everybody."""
    if len(part) <= max(_AT_ONCE, 4 * k):
        return [part]
    widest = int(np.argmax(rows[part].std(axis=0)))
    order = part[np.argsort(rows[part, widest], kind="stable")]
    half = len(part) // (2 * k) * k
    return [*_parts(rows, order[:half], k), *_parts(rows, order[half:], k)]


def _exchanged(
    rows: Floats, labels: Ints, friends: Sequence[Sequence[int]], rng: np.random.Generator
) -> Ints:
    """Labels after people changed places while distances and companions in groups got fewer."""
    found = labels.copy()
    n, count = len(rows), int(labels.max()) + 1
    sizes = np.bincount(found, minlength=count).astype(np.float64)
    sums = np.zeros((count, rows.shape[1]))
    np.add.at(sums, found, rows)
    met = np.zeros((n, count))  # how many companions everybody has in each group
    for person, known in enumerate(friends):
        for friend in known:
            met[person, found[friend]] += 1
    is_friend = np.zeros((n, n), bool)
    for person, known in enumerate(friends):
        is_friend[person, list(known)] = True
    for _ in range(_ROUNDS):
        moved = False
        for person in rng.permutation(n).tolist():
            here = int(found[person])
            # of a group of m people with sum S only |S|^2 / m changes in an exchange
            step = rows - rows[person]
            norm = (step**2).sum(axis=1)
            loss = -(2 * step @ sums[here] + norm) / sizes[here]
            loss += (2 * (step * sums[found]).sum(axis=1) - norm) / sizes[found]
            company = met[person][found] - is_friend[person] - met[person, here]
            company += met[:, here] - is_friend[person] - met[np.arange(n), found]
            change = loss + _COMPANY * company
            change[found == here] = 0.0
            other = int(np.argmin(change))
            if change[other] >= -_GAIN:
                continue
            there = int(found[other])
            found[person], found[other] = there, here
            sums[here] += rows[other] - rows[person]
            sums[there] += rows[person] - rows[other]
            for mover, start, end in ((person, here, there), (other, there, here)):
                for friend in friends[mover]:
                    met[friend, start] -= 1
                    met[friend, end] += 1
            moved = True
        if not moved:
            break
    return found
