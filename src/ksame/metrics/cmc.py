"""Cumulative match characteristic: how often the right person is among the first r matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from ksame.arrays import AnyFloats, Array, Bools, Floats, Ints, Labels
from ksame.errors import InputError
from ksame.metrics.intervals import Rate, clustered_rate

_ROWS: Final = 256


@dataclass(frozen=True)
class Ranking:
    """Where the right person stands for each probe.

    `better` counts the people who are strictly closer to the probe than its own person, `tied`
    those at exactly the same distance; `people` is how many people could have been named, and
    `persons` who the probe is: what is independent is a person, not a probe.
    """

    better: Ints
    tied: Ints
    people: Ints
    persons: Array = field(repr=False)

    def __len__(self) -> int:
        return len(self.better)

    def hits(self, r: int = 1) -> Floats:
        """Probability, per probe, that the right person is within the first r matches.

        Ties are broken at random: a probe that carries no information scores 1 / n, so neither
        an attacker nor a defender gains from the order in which the gallery is stored.
        """
        return np.clip((r - self.better) / (self.tied + 1.0), 0.0, 1.0)

    def rank1(self) -> Rate:
        """The share matched first, with an interval by people."""
        return clustered_rate(self.hits(), self.persons)


@dataclass(frozen=True)
class Cmc:
    """The curve (N section 5.2 b, M section 3): `rates[r - 1]` is the share matched by rank r."""

    rates: Floats
    rank1: Rate
    chance: float


def person_distances(
    distances: AnyFloats, gallery: Labels
) -> tuple[AnyFloats, npt.NDArray[np.generic]]:
    """Distance of each probe to the nearest gallery image of each person, and those people."""
    people, column = np.unique(np.asarray(gallery), return_inverse=True)
    if len(people) == distances.shape[1]:
        order = np.argsort(column)
        return distances[:, order], people
    order = np.argsort(column, kind="stable")
    first = np.searchsorted(column[order], np.arange(len(people)))
    nearest = np.empty((len(distances), len(people)), dtype=distances.dtype)
    for at in range(0, len(distances), _ROWS):  # ordered by people, a few rows take memory at once
        part = distances[at : at + _ROWS, order]
        nearest[at : at + _ROWS] = np.minimum.reduceat(part, first, axis=1)
    return nearest, people


def ranking(
    distances: AnyFloats,
    gallery: Labels,
    probes: Labels,
    excluded: Bools | None = None,
) -> Ranking:
    """Rank people (not images) by distance, and find each probe's own person among them.

    Parameters
    ----------
    distances
        `(n_probes, n_gallery)`; smaller is more alike.
    gallery, probes
        The person on each column and row. The universe is closed: every probe's person must be
        in the gallery, as in the papers' protocol.
    excluded
        `(n_probes, n_gallery)` mask of gallery images that this probe may not match, for example
        its donors. The probe's own images are never taken out by it.
    """
    distances = np.asarray(distances)
    if distances.ndim != 2 or distances.shape != (len(probes), len(gallery)):
        raise InputError(
            f"distances of shape {distances.shape} must be (probes, gallery) = "
            f"({len(probes)}, {len(gallery)}). Pass one row per probe and one column per image."
        )
    if not len(probes):
        raise InputError("0 probes: a ranking needs at least one. Pass the released faces.")
    if np.isnan(distances).any():
        raise InputError("distances hold NaN: every pair must be compared. Check the recogniser.")
    if excluded is not None:
        own = np.asarray(gallery)[None, :] == np.asarray(probes)[:, None]
        distances = np.where(excluded & ~own, np.inf, distances)
    return ranked(*person_distances(distances, gallery), probes)


def ranked(nearest: AnyFloats, people: npt.NDArray[np.generic], probes: Labels) -> Ranking:
    """The ranking by each probe's distance to each person, whose columns are in order."""
    column = np.searchsorted(people, np.asarray(probes))
    inside = np.clip(column, 0, len(people) - 1)
    strangers = int(np.sum(people[inside] != np.asarray(probes)))
    if strangers:
        raise InputError(
            f"{strangers} probes have no image of their person in the gallery; the universe is "
            "closed. Enrol these people, or leave their probes out."
        )
    own_distance = nearest[np.arange(len(nearest)), inside][:, None]
    better = np.sum(nearest < own_distance, axis=1)
    tied = np.sum(nearest == own_distance, axis=1) - 1
    possible = np.sum(np.isfinite(nearest), axis=1)
    return Ranking(better, tied, possible, np.asarray(probes))


def cmc(
    distances: AnyFloats,
    gallery: Labels,
    probes: Labels,
    excluded: Bools | None = None,
) -> Cmc:
    """The CMC curve of a recogniser, with the rank-1 rate's 95% interval.

    See `ranking` for the parameters. A recogniser that is told the answer scores 1 at rank 1; one
    that cannot tell people apart scores 1 / n.
    """
    return curve(ranking(distances, gallery, probes, excluded))


def curve(found: Ranking) -> Cmc:
    """The CMC curve of rankings already made, for example those of several random splits."""
    longest = int(found.people.max())
    return Cmc(
        rates=np.array([found.hits(r).mean() for r in range(1, longest + 1)]),
        rank1=found.rank1(),
        chance=float(np.mean(1.0 / found.people)),
    )


def pooled(rankings: Sequence[Ranking]) -> Ranking:
    """The rankings of several splits, one after the other (M section 5.2 averages five).

    People keep their names over the splits: the interval of a pooled rate counts them once.
    """
    if not rankings:
        raise InputError("0 rankings: nothing to pool. Run at least one split.")
    return Ranking(
        np.concatenate([r.better for r in rankings]),
        np.concatenate([r.tied for r in rankings]),
        np.concatenate([r.people for r in rankings]),
        np.concatenate([r.persons for r in rankings]),
    )
