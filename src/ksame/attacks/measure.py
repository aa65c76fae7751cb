"""From distances to the figures that an attack is reported with."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ksame.attacks.trials import Trial
from ksame.metrics.cmc import Cmc, curve, person_distances, pooled, ranking
from ksame.metrics.intervals import Rate, rate
from ksame.metrics.roc import verification

Floats = npt.NDArray[np.floating]

_RATES = (
    "rank1_other",
    "without_donors",
    "tar_1pct",
    "tar_01pct",
    "top_is_donor",
    "single_donor",
)


@dataclass(frozen=True)
class Measured:
    """One attack by one recogniser.

    `rank1` counts the very photo that was altered as part of the gallery; `rank1_other` leaves it
    out, so that another photo of the person has to be found. `tar_1pct` and `tar_01pct` accept at
    the threshold that lets 1% and 0.1% of different people pass on unaltered photos.
    `without_donors` takes the people whose faces the surrogate shows out of the gallery, unless
    they are the person. `top_is_donor` is the share of probes whose best match is a donor, and
    `single_donor` the share of surrogates whose faces all have one and the same donor as best match
    and accept nobody else at 0.1% false accepts.
    """

    recogniser: str
    attack: str
    probes: int
    people: int
    cmc: Cmc = field(repr=False)
    rank1_other: Rate | None = None
    without_donors: Rate | None = None
    tar_1pct: Rate | None = None
    tar_01pct: Rate | None = None
    top_is_donor: Rate | None = None
    single_donor: Rate | None = None
    note: str = ""

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
        for name in _RATES:
            value = getattr(self, name)
            found[name] = None if value is None else value.as_dict()
        found["cmc"] = [round(float(r), 6) for r in self.cmc.rates]
        return {**found, "note": self.note}


def measure(
    recogniser: str,
    attack: str,
    trials: Sequence[Trial],
    reference: Floats | None = None,
    groups: Sequence[Hashable | None] = (),
) -> Measured:
    """All figures of one attack; the trials of several splits are pooled.

    `reference` holds distances between unaltered photos of different people; without it there is
    no fair threshold and verification is left out.
    """
    found = curve(pooled([ranking(t.distances, t.gallery, t.probes) for t in trials]))
    first = trials[0]
    checked = None
    if reference is not None and len(trials) == 1 and len(reference):
        checked = verification(first.distances, first.gallery, first.probes, reference)
    donors = _donor_figures(first, reference, groups) if len(trials) == 1 else (None, None)
    return Measured(
        recogniser=recogniser,
        attack=attack,
        probes=sum(len(t.probes) for t in trials),
        people=len(np.unique(first.gallery)),
        cmc=found,
        rank1_other=_other_photo(trials),
        without_donors=_without_donors(trials),
        tar_1pct=None if checked is None else _accepted(first, checked.threshold_at(0.01)),
        tar_01pct=None if checked is None else _accepted(first, checked.threshold_at(0.001)),
        top_is_donor=donors[0],
        single_donor=donors[1],
        note=first.note,
    )


def impostors(distances: Floats, persons: npt.NDArray[Any]) -> Floats:
    """Distances between faces of different people, each pair once."""
    i, j = np.triu_indices(len(persons), 1)
    different = persons[i] != persons[j]
    pairs: Floats = np.asarray(distances)[i[different], j[different]]
    return pairs


def _accepted(trial: Trial, threshold: float) -> Rate:
    """Probes that match some gallery photo of their own person at a threshold."""
    nearest, people = person_distances(np.asarray(trial.distances), trial.gallery)
    own = nearest[np.arange(len(nearest)), np.searchsorted(people, trial.probes)]
    return rate(int(np.sum(own <= threshold)), len(own))


def _other_photo(trials: Sequence[Trial]) -> Rate | None:
    """Rank-1 without the very photo that was altered, for people who have another one."""
    hits, count = 0.0, 0
    for t in trials:
        same = t.gallery[None, :] == t.probes[:, None]
        rows = np.flatnonzero((t.own >= 0) & (same.sum(axis=1) > 1))
        if len(rows):
            distances = np.array(t.distances[rows], dtype=np.float64)
            distances[np.arange(len(rows)), t.own[rows]] = np.inf
            hits += float(ranking(distances, t.gallery, t.probes[rows]).hits().sum())
            count += len(rows)
    return rate(hits, count) if count else None


def _without_donors(trials: Sequence[Trial]) -> Rate | None:
    """Rank-1 with each probe's donors out of its gallery."""
    hits, count = 0.0, 0
    for t in trials:
        if any(t.donors):
            taken = _donor_mask(t)
            hits += float(ranking(t.distances, t.gallery, t.probes, taken).hits().sum())
            count += len(t.probes)
    return rate(hits, count) if count else None


def _donor_mask(trial: Trial) -> npt.NDArray[np.bool_]:
    return np.stack([np.isin(trial.gallery, [str(p) for p in d]) for d in trial.donors])


def _donor_figures(
    trial: Trial, reference: Floats | None, groups: Sequence[Hashable | None]
) -> tuple[Rate | None, Rate | None]:
    """Share of probes whose best match is a donor, and of surrogates that single one out."""
    if not any(trial.donors):
        return None, None
    nearest, people = person_distances(np.asarray(trial.distances), trial.gallery)
    best = people[np.argmin(nearest, axis=1)]
    is_donor = np.array([b in d for b, d in zip(best, trial.donors, strict=True)])
    share = rate(int(is_donor.sum()), len(best))
    if reference is None or not len(reference) or len(groups) != len(best):
        return share, None
    alone = (nearest <= np.quantile(reference, 0.001)).sum(axis=1) == 1
    singled, surrogates = 0, 0
    for group in {g for g in groups if g is not None}:
        rows = np.array([g == group for g in groups])
        surrogates += 1
        singled += int(is_donor[rows].all() and alone[rows].all() and len(set(best[rows])) == 1)
    return share, rate(singled, surrogates) if surrogates else None
