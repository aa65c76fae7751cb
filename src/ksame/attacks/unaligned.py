"""Attackers who do not align faces: they compare what else a photo shows.

| attack | what is compared |
|---|---|
| geometry | where the head lies: size, roll and place |
| parameters | the numbers that a model face takes over from the person |
| residual | the replaced region, placement undone, less what the group shares |
| ghost | how strong fine detail is around the head: the outline of what was filled |
| counts | nothing but how many photos everybody has |

Each is compared number by number, weighed by how much two photos of one person differ.
"""

from __future__ import annotations

import numpy as np

from ksame.arrays import Array, Floats
from ksame.attacks.attacker import Attacker
from ksame.attacks.case import NoTrial, Trial


def geometry(attacker: Attacker) -> Trial | NoTrial:
    """Size, roll and place of the released face against those of the originals."""
    return _compared(attacker, "places")


def parameters(attacker: Attacker) -> Trial | NoTrial:
    """The numbers that pass into a model face against those of the originals."""
    return _compared(attacker, "numbers")


def residual(attacker: Attacker) -> Trial | NoTrial:
    """What a released face shows beyond its group's against what a person shows beyond them."""
    found = attacker.case.sightings()
    if isinstance(found, NoTrial):
        return found
    return _trial(attacker, 1 - _beyond_the_group(attacker, found[1].regions, found[0].regions))


def ghost(attacker: Attacker) -> Trial | NoTrial:
    """The fine detail around the released head against the silhouettes of the originals.

    A smooth fill where hair was is as telling as hair: the sign does not count.
    """
    found = attacker.case.sightings()
    if isinstance(found, NoTrial):
        return found
    alike = _beyond_the_group(attacker, found[1].around, found[0].silhouettes)
    return _trial(attacker, 1 - np.abs(alike))


def _beyond_the_group(attacker: Attacker, released: Floats, originals: Floats) -> Floats:
    """Correlations after the mean of the group was taken off both sides: the face that is shared,
    and what the people have in common, tell nothing about who of them it is."""
    case = attacker.case
    groups = np.array([str(group) for group in case.groups])
    alike = np.zeros((len(released), len(originals)))
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        people = np.isin(case.gallery.persons, case.release.persons[rows])
        alike[rows] = _alike(
            released[rows] - released[rows].mean(axis=0),
            originals - originals[people].mean(axis=0),
        )
    return alike


def counts(attacker: Attacker) -> Trial | NoTrial:
    """The person with the most photos, always."""
    persons = attacker.case.gallery.persons
    if isinstance(attacker.case.sightings(), NoTrial):
        return NoTrial("the faces of a set are not counted by photos")
    _, number, many = np.unique(persons, return_inverse=True, return_counts=True)
    row = -many[number].astype(np.float64)
    return _trial(attacker, np.tile(row, (len(attacker.case.release), 1)))


def _compared(attacker: Attacker, name: str) -> Trial | NoTrial:
    found = attacker.case.sightings()
    if isinstance(found, NoTrial):
        return found
    gallery, probes = (np.asarray(getattr(side, name), np.float64) for side in found)
    scale = spread_within(gallery, attacker.case.gallery.persons)
    return _trial(attacker, weighed(probes, gallery, scale))


def weighed(probes: Floats, gallery: Floats, scale: Floats) -> Floats:
    """Distances of rows, each number over its scale; what cannot be read is as far as the mean."""
    return apart(*comparable(probes, gallery, scale))


def comparable(probes: Floats, gallery: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """The rows as `apart` compares them: over their scale, what cannot be read at the mean."""
    usual = np.nanmean(np.where(np.isfinite(gallery), gallery, np.nan), axis=0)
    usual = np.nan_to_num(usual)
    a, b = (np.where(np.isfinite(rows), rows, usual) / scale for rows in (probes, gallery))
    return a, b


def apart(a: Floats, b: Floats) -> Floats:
    """Distances of all rows of a from all of b."""
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1)[None] - 2 * a @ b.T
    # equal rows must tie to the last bit, wherever they stand in a matrix product
    return np.asarray(np.round(np.sqrt(np.maximum(squares, 0)), 6), np.float64)


def spread_within(rows: Floats, persons: Array) -> Floats:
    """How much each number differs between photos of one person; over all where nobody has two."""
    known = rows[np.isfinite(rows).all(axis=1)]
    whose = persons[np.isfinite(rows).all(axis=1)]
    parts = [known[whose == p] - known[whose == p].mean(axis=0) for p in np.unique(whose)]
    several = [part for part in parts if len(part) > 1]
    overall = known.std(axis=0) if len(known) else np.ones(rows.shape[1])
    if not several:
        return np.maximum(overall, 1e-6)
    freedom = sum(len(part) - 1 for part in several)
    within = np.sqrt(sum((part**2).sum(axis=0) for part in several) / freedom)
    # a number that never differs within people must not decide everything
    return np.asarray(np.maximum(within, 0.1 * overall + 1e-6), np.float64)


def _alike(a: Floats, b: Floats) -> Floats:
    """Correlations of rows."""
    a, b = (rows - rows.mean(axis=1, keepdims=True) for rows in (a, b))
    a, b = (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9) for rows in (a, b))
    return np.asarray(np.round(a @ b.T, 6), np.float64)


def _trial(attacker: Attacker, distances: Floats) -> Trial:
    case = attacker.case
    return Trial(distances, case.gallery.persons, case.release.persons, case.source)
