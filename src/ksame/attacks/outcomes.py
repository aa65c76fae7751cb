"""What an attack tells of each probe: all that its figures are counted from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ksame.arrays import AnyFloats, Array, Bools
from ksame.attacks.case import Trial
from ksame.metrics.cmc import Ranking, person_distances, pooled, ranked, ranking
from ksame.metrics.intervals import Rate, clustered_rate
from ksame.metrics.open_set import nearest_strangers
from ksame.metrics.roc import threshold_at

SHARES = (0.1, 0.01, 0.001)  # of different people that pass at the thresholds of `accepted`
NAMED = 0.01  # of strangers that are given a name at the threshold of `named`


@dataclass(frozen=True)
class Reference:
    """Unaltered photos compared with each other: what an attacker sets thresholds by.

    `pairs` are the distances of faces of different people, each pair once; `nearest` is each face's
    distance to its nearest stranger.
    """

    pairs: AnyFloats = field(repr=False)
    nearest: AnyFloats = field(repr=False)


@dataclass(frozen=True)
class Outcome:
    """One trial, probe by probe; None or empty where nothing can be told.

    `people` are in the gallery. `ranked` is against all of them, `other` without the very photo
    (probes whose person has another one), `without_donors` without those whose faces the surrogate
    shows. `accepted` holds, by the share of different people that pass, which probes match a photo
    of their person, `named` how probably a probe is given its person's name among strangers. `best`
    is each probe's best match, `is_donor` whether that is a donor, `alone` whether nobody else is
    accepted with it.
    """

    people: int
    ranked: Ranking
    other: Ranking | None
    without_donors: Ranking | None
    accepted: Mapping[float, AnyFloats] = field(repr=False)
    named: AnyFloats | None = field(repr=False)
    best: Array = field(repr=False)
    is_donor: Bools | None = field(repr=False)
    alone: Bools | None = field(repr=False)


def outcome_of(trial: Trial, reference: Reference | None = None) -> Outcome:
    """What a trial tells of its probes; donors count if the trial has any entry for them.

    Nothing of the trial's distances is kept: it may be one block of many.
    """
    found = ranking(trial.distances, trial.gallery, trial.probes)
    nearest, people = person_distances(np.asarray(trial.distances), trial.gallery)
    own = nearest[np.arange(len(nearest)), np.searchsorted(people, trial.probes)]
    fair = reference if reference is not None and len(reference.pairs) else None
    limits = {} if fair is None else {s: threshold_at(fair.pairs, s) for s in SHARES}
    best = people[np.argmin(nearest, axis=1)]
    donors = trial.donors
    alone = (nearest <= limits[min(SHARES)]).sum(axis=1) == 1 if limits and donors else None
    return Outcome(
        people=len(people),
        ranked=found,
        other=_other_photo(trial),
        without_donors=_without_donors(trial, nearest, people) if donors else None,
        accepted={share: (own <= limit).astype(np.float64) for share, limit in limits.items()},
        named=None if fair is None else found.hits() * (own <= threshold_at(fair.nearest, NAMED)),
        best=best,
        is_donor=np.array([b in d for b, d in zip(best, donors, strict=True)]) if donors else None,
        alone=alone,
    )


def _other_photo(trial: Trial) -> Ranking | None:
    """The ranking without the very photo that was altered, for people who have another one."""
    people, counts = np.unique(trial.gallery, return_counts=True)
    several = counts[np.searchsorted(people, trial.probes)] > 1
    rows = np.flatnonzero((trial.own >= 0) & several)
    if not len(rows):
        return None
    distances = np.array(trial.distances[rows], dtype=np.float64)
    distances[np.arange(len(rows)), trial.own[rows]] = np.inf
    return ranking(distances, trial.gallery, trial.probes[rows])


def _without_donors(trial: Trial, nearest: AnyFloats, people: Array) -> Ranking:
    """The ranking with each probe's donors out of its gallery, unless they are the person."""
    out = np.stack([np.isin(people, [str(p) for p in d]) for d in trial.donors])
    out &= people[None, :] != trial.probes[:, None]
    return ranked(np.where(out, np.inf, nearest), people, trial.probes)


def reference_of(distances: AnyFloats, persons: Array) -> Reference:
    """What unaltered faces tell about strangers, from their distances to each other."""
    return Reference(impostors(distances, persons), nearest_strangers(distances, persons, persons))


def impostors(distances: AnyFloats, persons: Array) -> AnyFloats:
    """Distances between faces of different people, each pair once."""
    member = np.unique(persons, return_inverse=True)[1]  # numbers: names take much more memory
    i, j = np.triu_indices(len(persons), 1)
    different = member[i] != member[j]
    pairs: AnyFloats = np.asarray(distances)[i[different], j[different]]
    return pairs


def rank1_of(rankings: Sequence[Ranking | None]) -> Rate | None:
    """Rank-1 of those that could be made, pooled."""
    found = [one for one in rankings if one is not None]
    return pooled(found).rank1() if found else None


def rate_of(outcomes: Sequence[AnyFloats | None], of: Sequence[Outcome]) -> Rate | None:
    """The share of hits over the probes for which there are any."""
    both = [(hits, o.ranked.persons) for hits, o in zip(outcomes, of, strict=True)
            if hits is not None]  # fmt: skip
    if not both:
        return None
    hits, persons = (np.concatenate(side) for side in zip(*both, strict=True))
    return clustered_rate(hits, persons)
