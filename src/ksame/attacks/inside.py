"""Attacks inside groups: the attacker knows who the k people of a group are, and asks which one.

This is what 1/k is about. Over the whole set an attack may fail because people are many; inside a
group, anything that passes from a person beside the shared face shows as more than one in k.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ksame.arrays import AnyFloats, Array
from ksame.attacks.case import Rows, Trial
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
    rows: dict[Hashable, list[int]] = defaultdict(list)
    for i, group in enumerate(groups):
        if group is not None:
            rows[group].append(i)
    very: list[Ranking] = []
    other: list[Ranking] = []
    fair = 0.0
    distances = np.asarray(trial.distances, dtype=np.float64)
    for members in rows.values():
        people = np.unique(trial.probes[members])
        if len(people) < 2:
            continue
        columns = np.flatnonzero(np.isin(trial.gallery, people))
        fair += len(members) / len(people)
        part = distances[members][:, columns]
        gallery, probes = trial.gallery[columns], trial.probes[members]
        very.append(ranking(part, gallery, probes))
        other += _others(part, gallery, probes, trial.own[members], columns)
    if not very:
        return None
    count = sum(len(found.better) for found in very)
    return Inside(
        pooled(very).rank1(), pooled(other).rank1() if other else None, round(fair / count, 4)
    )


def _others(
    part: AnyFloats, gallery: Array, probes: Array, own: Rows, columns: Rows
) -> list[Ranking]:
    """The ranking without the very photo, for probes whose person has another one.

    People are compared by the mean over their photos: the nearest of many is nearer by chance, and
    the probe's person has one photo less than the others.
    """
    several = (gallery[None, :] == probes[:, None]).sum(axis=1) > (own >= 0)
    rows = np.flatnonzero(several)
    if not len(rows):
        return []
    people = np.unique(gallery)
    usual = np.empty((len(rows), len(people)))
    for i, row in enumerate(rows):
        used = columns != own[row]
        usual[i] = [part[row, used & (gallery == person)].mean() for person in people]
    return [ranking(np.round(usual, 6), people, probes[rows])]
