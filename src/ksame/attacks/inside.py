"""Attacks inside groups: the attacker knows who the k people of a group are, and asks which one.

This is what 1/k is about. Over the whole set an attack may fail because people are many; inside a
group, anything that passes from a person beside the shared face shows as more than one in k.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ksame.arrays import AnyFloats
from ksame.attacks.case import Rows, Trial
from ksame.attacks.many import trials_of_groups
from ksame.metrics.cmc import Ranking, pooled, ranking
from ksame.metrics.intervals import Rate


@dataclass(frozen=True)
class Inside:
    """Rank-1 among the people of the probe's group, with intervals by people.

    `very` has the photo that was altered in the gallery, `other` only further photos of the people;
    `fair` is what guessing achieves: the mean of one over the group's people.
    """

    very: Rate | None
    other: Rate | None
    fair: float

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON."""
        return {
            "very": None if self.very is None else self.very.as_dict(),
            "other": None if self.other is None else self.other.as_dict(),
            "fair": self.fair,
        }


def inside_groups(trial: Trial, groups: Sequence[Hashable | None]) -> Inside | None:
    """The rates of one attack inside groups; None where no group is known.

    `groups` are the surrogates of the trial's probes, in their order.
    """
    if len(groups) != len(trial.probes):
        return None
    distances = np.asarray(trial.distances)

    def compare(rows: Rows, columns: Rows) -> AnyFloats:
        return distances[np.ix_(rows, columns)]

    return inside_each(trials_of_groups(compare, trial.gallery, trial.probes, trial.own, groups))


def inside_each(parts: Iterable[Trial]) -> Inside | None:
    """The rates of one attack inside groups, from a trial of each group.

    The trials are asked for one by one, so that never more than one need be in memory: distances
    between all faces of a release grow with the square of its faces.
    """
    very: list[Ranking] = []
    other: list[Ranking] = []
    fair = 0.0
    for part in parts:
        people = np.unique(part.probes)
        if len(people) < 2:
            continue
        fair += len(part.probes) / len(people)
        very.append(ranking(part.distances, part.gallery, part.probes))
        other += _others(part)
    if not very:
        return None
    count = sum(len(found.better) for found in very)
    return Inside(
        pooled(very).rank1(), pooled(other).rank1() if other else None, round(fair / count, 4)
    )


def _others(part: Trial) -> list[Ranking]:
    """The ranking without the very photo, for probes whose person has another one.

    People are compared by the mean over their photos: the nearest of many is nearer by chance, and
    the probe's person has one photo less than the others.
    """
    gallery, probes, own = part.gallery, part.probes, part.own
    several = (gallery[None, :] == probes[:, None]).sum(axis=1) > (own >= 0)
    rows = np.flatnonzero(several)
    if not len(rows):
        return []
    people = np.unique(gallery)
    usual = np.empty((len(rows), len(people)))
    number = np.arange(len(gallery))
    for i, row in enumerate(rows):
        used = number != own[row]
        usual[i] = [part.distances[row, used & (gallery == person)].mean() for person in people]
    return [ranking(np.round(usual, 6), people, probes[rows])]
