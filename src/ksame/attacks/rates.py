"""The attack rates of a certificate, from features that the release's own passes measured."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ksame.arrays import AnyFloats, Array, Floats
from ksame.attacks.case import Rows, Trial
from ksame.attacks.inside import Inside, inside_each
from ksame.attacks.many import blocks, drawn, rows_of, trials_of_groups
from ksame.attacks.measure import Measured, figures
from ksame.attacks.outcomes import Reference, impostors, outcome_of
from ksame.errors import InputError
from ksame.metrics.open_set import nearest_strangers
from ksame.metrics.roc import Roc, roc
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

    Every released face is compared with every original, a block of them at a time: memory grows
    with the faces, not with their square. Above `many.MOST` faces thresholds, the ROC and what is
    told inside a large group are those of faces drawn by chance.

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
    faces = _Faces(recogniser, probes[rows], names[rows], gallery[kept], names[kept], column[rows])
    shown = [tuple(str(d) for d in donors[i]) for i in rows] if len(donors) else []
    surrogates = [groups[i] for i in rows] if len(groups) else []
    reference = faces.reference()
    outcomes = [
        outcome_of(faces.trial(block, shown if any(shown) else ()), reference)
        for block in blocks(len(rows), len(faces.gallery))
    ]
    found = figures(recogniser.name, "naive", outcomes, [faces.curve()], surrogates)
    return replace(found, inside=faces.inside(surrogates) if surrogates else None)


@dataclass(frozen=True)
class _Faces:
    """Described faces of both sides; never are all of them compared at once."""

    recogniser: Recogniser
    probes: Floats = field(repr=False)
    persons: Array = field(repr=False)
    gallery: Floats = field(repr=False)
    people: Array = field(repr=False)
    own: Rows = field(repr=False)

    def apart(self, rows: Rows, columns: Rows) -> AnyFloats:
        """Distances of some released faces from some originals."""
        return self.recogniser.distances(self.probes[rows], self.gallery[columns])

    def trial(self, rows: Rows, donors: Sequence[tuple[str, ...]]) -> Trial:
        """Some of the released faces against all originals."""
        distances = self.recogniser.distances(self.probes[rows], self.gallery)
        shown = tuple(donors[i] for i in rows) if len(donors) else ()
        return Trial(distances, self.people, self.persons[rows], self.own[rows], shown)

    def inside(self, groups: Sequence[Hashable | None]) -> Inside | None:
        """The rates inside groups."""
        return inside_each(
            trials_of_groups(self.apart, self.people, self.persons, self.own, groups)
        )

    def reference(self) -> Reference:
        """What unaltered faces tell about strangers; of very many, some are asked."""
        some = drawn(len(self.gallery))
        pairs = self.recogniser.distances(self.gallery[some], self.gallery[some])
        nearest = [
            nearest_strangers(
                self.recogniser.distances(self.gallery[some[block]], self.gallery),
                self.people,
                self.people[some[block]],
            )
            for block in blocks(len(some), len(self.gallery))
        ]
        return Reference(impostors(pairs, self.people[some]), np.concatenate(nearest))

    def curve(self) -> Roc:
        """The ROC; of very many faces, that of some with all photos of their people."""
        rows, columns = drawn(len(self.probes)), drawn(len(self.gallery))
        distances = self.apart(rows, columns)
        others = distances[self.persons[rows][:, None] != self.people[columns][None, :]]
        photos = rows_of(self.people.tolist())
        mine = []
        for person, asked in rows_of(self.persons[rows].tolist()).items():
            own = photos[person]
            mine.append(self.apart(rows[asked], own[drawn(len(own))]).ravel())
        return roc(np.concatenate(mine), others)
