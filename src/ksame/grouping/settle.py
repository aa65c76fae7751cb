"""People change places between groups until each has a face that suits, and no group is smaller."""

from collections.abc import Sequence

import numpy as np

from ksame.arrays import Floats, Ints

_ROUNDS = 6  # passes over all people; most of the gain is in the first two
_PARTNERS = 512  # people that each one is compared with in a pass: no n x n matrices


def settle(
    cost: Floats,
    labels: Ints,
    rng: np.random.Generator,
    companions: Sequence[tuple[int, int]] = (),
) -> Ints:
    """Swap people between groups as long as the sum of their costs falls.

    Guarantee: every group keeps its number of people, so that k holds if it held before; the sum
    of the costs does not rise; nobody comes into a group with a companion who was in another one.

    Parameters
    ----------
    cost : (n, g)
        What it costs to have person i in group j.
    labels : (n,) int
        The group of each person, 0 to g - 1.
    rng : numpy.random.Generator
    companions : sequence of (int, int)
        Pairs of people who are seen together.
    """
    found: Ints = np.array(labels, dtype=np.int64)
    friends: dict[int, set[int]] = {}
    for one, other in companions:
        friends.setdefault(one, set()).add(other)
        friends.setdefault(other, set()).add(one)
    n = len(found)
    for _ in range(_ROUNDS):
        moved = False
        for person in rng.permutation(n).tolist():
            others = rng.choice(n, min(_PARTNERS, n), replace=False)
            own, theirs = found[person], found[others]
            change = cost[person, theirs] + cost[others, own] - cost[person, own]
            change -= cost[others, theirs]
            for place in np.argsort(change, kind="stable")[:8].tolist():
                other = int(others[place])
                if change[place] >= -1e-9:
                    break
                if _meets(friends, found, person, other) or _meets(friends, found, other, person):
                    continue
                found[person], found[other] = found[other], found[person]
                moved = True
                break
        if not moved:
            break
    return found


def _meets(friends: dict[int, set[int]], labels: Ints, person: int, other: int) -> bool:
    """Whether somebody would find a companion in the other's group, the other one left aside."""
    place = labels[other]
    return any(labels[friend] == place for friend in friends.get(person, ()) if friend != other)
