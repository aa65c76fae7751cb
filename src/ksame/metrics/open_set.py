"""Open-set identification: most people that an attacker meets are in no gallery."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ksame.arrays import AnyFloats, Labels
from ksame.metrics.cmc import person_distances
from ksame.metrics.intervals import Rate, clustered_rate
from ksame.metrics.roc import threshold_at


@dataclass(frozen=True)
class OpenSet:
    """Identification at a threshold that names strangers at a fixed rate.

    `found` is the share of probes whose person is matched first and within the threshold (TPIR),
    `wrong` the share that would be given a name though their person were not enrolled (FPIR), both
    on the attacked probes.
    """

    found: Rate
    wrong: Rate
    threshold: float


def nearest_strangers(distances: AnyFloats, gallery: Labels, probes: Labels) -> AnyFloats:
    """Distance of each probe to the nearest face of somebody else: its match if not enrolled."""
    distances = np.asarray(distances, dtype=np.float64)
    own = np.asarray(probes)[:, None] == np.asarray(gallery)[None, :]
    nearest: AnyFloats = np.where(own, np.inf, distances).min(axis=1)
    return nearest


def open_set(
    distances: AnyFloats,
    gallery: Labels,
    probes: Labels,
    fpir: float = 0.01,
    reference: AnyFloats | None = None,
) -> OpenSet:
    """Rates of open-set identification, every probe once enrolled and once not.

    Parameters
    ----------
    distances
        `(n_probes, n_gallery)`; smaller is more alike.
    gallery, probes
        The person on each column and row.
    fpir
        The false positive identification rate that the attacker accepts.
    reference
        Distances of unaltered faces to their nearest stranger (`nearest_strangers`), by which an
        attacker sets the threshold before the release is seen; those of the probes if None.
    """
    distances = np.asarray(distances, dtype=np.float64)
    strangers = nearest_strangers(distances, gallery, probes)
    threshold = threshold_at(strangers if reference is None else reference, fpir)
    return OpenSet(
        found=clustered_rate(identified(distances, gallery, probes, threshold), probes),
        wrong=clustered_rate((strangers <= threshold).astype(np.float64), probes),
        threshold=threshold,
    )


def identified(
    distances: AnyFloats, gallery: Labels, probes: Labels, threshold: float
) -> AnyFloats:
    """Probability, per probe, that its person is matched first and within a threshold.

    Ties are broken at random.
    """
    nearest, people = person_distances(np.asarray(distances, dtype=np.float64), gallery)
    own = nearest[np.arange(len(nearest)), np.searchsorted(people, np.asarray(probes))][:, None]
    first = np.where((nearest < own).any(axis=1), 0.0, 1.0 / np.sum(nearest == own, axis=1))
    found: AnyFloats = first * (own[:, 0] <= threshold)
    return found
