"""The attack rates of a certificate, from features that the release's own passes measured."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from ksame.arrays import AnyFloats
from ksame.attacks.case import Trial
from ksame.attacks.measure import Measured, measure, reference_of
from ksame.errors import InputError
from ksame.recognition.contract import Recogniser


def release_rates(
    recogniser: Recogniser,
    originals: AnyFloats,
    released: AnyFloats,
    persons: Sequence[str],
    *,
    groups: Sequence[Hashable | None] = (),
    donors: Sequence[Sequence[str]] = (),
) -> Measured | None:
    """The naive attack (N 5.2) on a release: originals are the gallery, released faces the probes.

    Parameters
    ----------
    recogniser
        Gives its name and its distance; nothing is trained or described.
    originals, released
        `(n, d)` features of the same n faces before and after. A row of NaN is a face that was
        not found on that side: this recogniser cannot compare it.
    persons
        Whose face each row is.
    groups, donors
        The surrogate of each row and whose faces it shows, where there are surrogates.

    Returns
    -------
    Measured or None
        None where fewer than two people can be told apart: there is nothing to attack.
    """
    gallery, probes = (np.asarray(side, dtype=np.float64) for side in (originals, released))
    names = np.asarray([str(person) for person in persons])
    if gallery.shape != probes.shape or len(gallery) != len(names):
        raise InputError(
            f"originals {gallery.shape}, released {probes.shape} and {len(names)} persons must "
            "have one row per face, in the same order."
        )
    kept, seen = np.isfinite(gallery).all(axis=1), np.isfinite(probes).all(axis=1)
    rows = np.flatnonzero(seen & np.isin(names, names[kept])).tolist()
    if not rows or len(set(names[kept].tolist())) < 2:
        return None
    column = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.intp)
    trial = Trial(
        recogniser.distances(probes[rows], gallery[kept]),
        names[kept],
        names[rows],
        column[rows],
        tuple(tuple(str(d) for d in donors[i]) for i in rows) if len(donors) else (),
    )
    within = recogniser.distances(gallery[kept], gallery[kept])
    return measure(
        recogniser.name,
        "naive",
        (trial,),
        (reference_of(within, names[kept]),),
        [groups[i] for i in rows] if len(groups) else (),
    )
