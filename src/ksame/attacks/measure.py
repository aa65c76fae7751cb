"""From distances to the figures that an attack is reported with."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ksame.arrays import AnyFloats, Array, Bools
from ksame.attacks.case import Trial
from ksame.attacks.inside import Inside, inside_groups
from ksame.metrics.cmc import Cmc, Ranking, curve, person_distances, pooled, ranking
from ksame.metrics.intervals import Rate, clustered_rate, rate
from ksame.metrics.open_set import identified, nearest_strangers
from ksame.metrics.roc import Roc, threshold_at, verification

RATES = (
    "rank1_other",
    "without_donors",
    "tar_10pct",
    "tar_1pct",
    "tar_01pct",
    "open_1pct",
    "top_is_donor",
    "single_donor",
)
SCORES = ("equal_error", "area")


@dataclass(frozen=True)
class Reference:
    """Unaltered photos compared with each other: what an attacker sets thresholds by.

    `pairs` are the distances of faces of different people, each pair once; `nearest` is each face's
    distance to its nearest stranger.
    """

    pairs: AnyFloats = field(repr=False)
    nearest: AnyFloats = field(repr=False)


@dataclass(frozen=True)
class Measured:
    """One attack by one recogniser.

    `rank1` counts the very photo that was altered as part of the gallery; `rank1_other` leaves it
    out, so that another photo of the person has to be found. `tar_10pct`, `tar_1pct` and
    `tar_01pct` accept at the threshold that lets 10%, 1% and 0.1% of different people pass on
    unaltered photos. `open_1pct` is the share found among people of whom most are not enrolled, at
    the threshold that gives 1% of unaltered strangers a name. `equal_error` and `area` are those
    of the attack's own ROC; an attack that knows nothing has 0.5 of both. `without_donors` takes
    the people whose faces the surrogate shows out of the gallery, unless they are the person.
    `top_is_donor` is the share of probes whose best match is a donor, and `single_donor` the share
    of surrogates whose faces all have one and the same donor as best match and accept nobody else
    at 0.1% false accepts. `inside` are the rates among the people of the probe's own group.
    Intervals take people, not photos, for independent.
    """

    recogniser: str
    attack: str
    probes: int
    people: int
    cmc: Cmc = field(repr=False)
    roc: Roc | None = field(default=None, repr=False)
    equal_error: float | None = None
    area: float | None = None
    rank1_other: Rate | None = None
    without_donors: Rate | None = None
    tar_10pct: Rate | None = None
    tar_1pct: Rate | None = None
    tar_01pct: Rate | None = None
    open_1pct: Rate | None = None
    top_is_donor: Rate | None = None
    single_donor: Rate | None = None
    inside: Inside | None = None
    note: str = ""

    @property
    def rank1(self) -> Rate:
        """The share of probes whose person is matched first."""
        return self.cmc.rank1

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON; figures that could not be measured are null."""
        found: dict[str, Any] = {
            "recogniser": self.recogniser,
            "attack": self.attack,
            "probes": self.probes,
            "people": self.people,
            "chance": self.cmc.chance,
            "rank1": self.cmc.rank1.as_dict(),
        }
        for name in RATES:
            value = getattr(self, name)
            found[name] = None if value is None else value.as_dict()
        for name in SCORES:
            found[name] = getattr(self, name)
        found["inside_groups"] = None if self.inside is None else self.inside.as_dict()
        found["cmc"] = [round(float(r), 6) for r in self.cmc.rates]
        return {**found, "note": self.note}


def reference_of(distances: AnyFloats, persons: Array) -> Reference:
    """What unaltered faces tell about strangers, from their distances to each other."""
    return Reference(impostors(distances, persons), nearest_strangers(distances, persons, persons))


def impostors(distances: AnyFloats, persons: Array) -> AnyFloats:
    """Distances between faces of different people, each pair once."""
    i, j = np.triu_indices(len(persons), 1)
    different = persons[i] != persons[j]
    pairs: AnyFloats = np.asarray(distances)[i[different], j[different]]
    return pairs


def measure(
    recogniser: str,
    attack: str,
    trials: Sequence[Trial],
    references: Sequence[Reference] = (),
    groups: Sequence[Hashable | None] = (),
) -> Measured:
    """All figures of one attack; the trials of several splits are pooled.

    `references` holds one for each trial; without them there is no fair threshold, and what needs
    one is left out. `groups` are the surrogates of the probes of a single trial.
    """
    found = curve(pooled([ranking(t.distances, t.gallery, t.probes) for t in trials]))
    curves = [verification(t.distances, t.gallery, t.probes) for t in trials if _both_kinds(t)]
    fair = list(zip(trials, references, strict=True)) if len(references) else []
    fair = [pair for pair in fair if len(pair[1].pairs)]
    single = _donor_figures(trials[0], references, groups) if len(trials) == 1 else (None, None)
    return Measured(
        recogniser=recogniser,
        attack=attack,
        probes=sum(len(t.probes) for t in trials),
        people=len(np.unique(trials[0].gallery)),
        cmc=found,
        roc=curves[0] if len(curves) == 1 else None,
        equal_error=float(np.mean([c.equal_error for c in curves])) if curves else None,
        area=float(np.mean([c.area for c in curves])) if curves else None,
        rank1_other=_other_photo(trials),
        without_donors=_without_donors(trials),
        tar_10pct=_accepted(fair, 0.1),
        tar_1pct=_accepted(fair, 0.01),
        tar_01pct=_accepted(fair, 0.001),
        open_1pct=_open(fair, 0.01),
        top_is_donor=single[0],
        single_donor=single[1],
        inside=inside_groups(trials[0], groups) if len(trials) == 1 else None,
        note=trials[0].note,
    )


def _both_kinds(trial: Trial) -> bool:
    """Whether there are pairs of one person and pairs of two."""
    return len(np.unique(trial.gallery)) > 1


def _accepted(fair: Sequence[tuple[Trial, Reference]], share: float) -> Rate | None:
    """Probes that match some gallery photo of their own person where `share` of strangers do."""
    outcomes = []
    for trial, reference in fair:
        threshold = threshold_at(reference.pairs, share)
        nearest, people = person_distances(np.asarray(trial.distances), trial.gallery)
        own = nearest[np.arange(len(nearest)), np.searchsorted(people, trial.probes)]
        outcomes.append((own <= threshold).astype(np.float64))
    return _pooled_rate(outcomes, fair)


def _open(fair: Sequence[tuple[Trial, Reference]], share: float) -> Rate | None:
    """Probes whose person is found at a threshold that names `share` of strangers."""
    outcomes = [
        identified(t.distances, t.gallery, t.probes, threshold_at(r.nearest, share))
        for t, r in fair
    ]
    return _pooled_rate(outcomes, fair)


def _pooled_rate(
    outcomes: Sequence[AnyFloats], fair: Sequence[tuple[Trial, Reference]]
) -> Rate | None:
    if not outcomes:
        return None
    persons = np.concatenate([trial.probes for trial, _ in fair])
    return clustered_rate(np.concatenate(outcomes), persons)


def _other_photo(trials: Sequence[Trial]) -> Rate | None:
    """Rank-1 without the very photo that was altered, for people who have another one."""
    found = []
    for t in trials:
        same = t.gallery[None, :] == t.probes[:, None]
        rows = np.flatnonzero((t.own >= 0) & (same.sum(axis=1) > 1))
        if len(rows):
            distances = np.array(t.distances[rows], dtype=np.float64)
            distances[np.arange(len(rows)), t.own[rows]] = np.inf
            found.append(ranking(distances, t.gallery, t.probes[rows]))
    return _pooled_rank1(found)


def _without_donors(trials: Sequence[Trial]) -> Rate | None:
    """Rank-1 with each probe's donors out of its gallery."""
    return _pooled_rank1(
        [ranking(t.distances, t.gallery, t.probes, _donor_mask(t)) for t in trials if any(t.donors)]
    )


def _pooled_rank1(found: Sequence[Ranking]) -> Rate | None:
    return pooled(found).rank1() if found else None


def _donor_mask(trial: Trial) -> Bools:
    return np.stack([np.isin(trial.gallery, [str(p) for p in d]) for d in trial.donors])


def _donor_figures(
    trial: Trial, references: Sequence[Reference], groups: Sequence[Hashable | None]
) -> tuple[Rate | None, Rate | None]:
    """Share of probes whose best match is a donor, and of surrogates that single one out."""
    if not any(trial.donors):
        return None, None
    nearest, people = person_distances(np.asarray(trial.distances), trial.gallery)
    best = people[np.argmin(nearest, axis=1)]
    is_donor = np.array([b in d for b, d in zip(best, trial.donors, strict=True)])
    share = clustered_rate(is_donor.astype(np.float64), trial.probes)
    if not references or not len(references[0].pairs) or len(groups) != len(best):
        return share, None
    alone = (nearest <= threshold_at(references[0].pairs, 0.001)).sum(axis=1) == 1
    singled, surrogates = 0, 0
    for group in {g for g in groups if g is not None}:
        rows = np.array([g == group for g in groups])
        surrogates += 1
        singled += int(is_donor[rows].all() and alone[rows].all() and len(set(best[rows])) == 1)
    return share, rate(singled, surrogates) if surrogates else None
