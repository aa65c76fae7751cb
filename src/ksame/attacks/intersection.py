"""Intersection: what several groups of one person give away together.

Every release of a person says "one of these k". Two releases that were grouped independently say
"one of those who are in both". The same happens inside one release if several images of a person
are grouped one by one. k must therefore count people, and a person keeps one group.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from ksame.arrays import Array, Ints
from ksame.errors import InputError
from ksame.metrics.cmc import Ranking, ranking
from ksame.recognition.contract import Recogniser

Labels = Sequence[int] | npt.NDArray[np.integer]


def candidates(releases: Sequence[Labels]) -> Ints:
    """How many people remain possible for each person, given the groups of every release.

    Parameters
    ----------
    releases
        Per release, the group of each person; the same people in the same order.
    """
    if not releases or len({len(labels) for labels in releases}) != 1:
        raise InputError(
            f"{len(releases)} releases must group the same people, in the same order. "
            "Pass one label per person for each."
        )
    together = np.stack([np.asarray(labels) for labels in releases], axis=1)
    _, member, sizes = np.unique(together, axis=0, return_inverse=True, return_counts=True)
    return np.asarray(sizes[member.ravel()], dtype=np.int64)


def informed_rate(releases: Sequence[Labels]) -> float:
    """Expected rank-1 rate of an attacker who knows all groups: the mean of 1 / candidates."""
    return float(np.mean(1.0 / candidates(releases)))


def fused_ranking(
    recogniser: Recogniser,
    gallery: Array,
    releases: Sequence[Array],
    persons: Sequence[Hashable] | Array | None = None,
    k: int = 1,
) -> Ranking:
    """Rank people by their mean distance over several releases of the same people.

    The recogniser is trained already; each release holds one face per person, in the gallery's
    order. The mean of the distances is the attacker's simplest way to intersect without knowing
    any group. One who knows k undoes the shrinking towards the average face that a mean of k
    faces brings: k times the difference from it is compared, the best linear guess of a member.
    """
    known = recogniser.describe(gallery)
    centre = known.mean(axis=0)
    described = [centre + k * (recogniser.describe(r) - centre) for r in releases]
    total = sum(recogniser.distances(codes, known) for codes in described)
    who = np.arange(len(gallery)) if persons is None else np.asarray(persons)
    return ranking(np.asarray(total) / len(releases), who, who)
