"""Linkage over a whole release: who is on how many photos, and with whom.

The attacker looks at no face. They know how many photos of the collection show each person and in
whose company, and see which released faces are alike. Scenes are not compared: whoever knows which
released photo was made from which original needs no more than the original.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ksame.arrays import Array, Bools, Floats, Ints
from ksame.checks import number
from ksame.errors import InputError

HIDDEN = ""
"""In the place of a surrogate: a face that was filled or blacked out."""

MOST_PHOTOS = 2000
"""Photos with 400 people take half a minute; the time grows with their square."""


@dataclass(frozen=True)
class Appearances:
    """Faces in photos: the photo of each face and whose face it is, or whose surrogate."""

    photos: Array = field(repr=False)
    who: Array = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.photos) != len(self.who) or not len(self.who):
            raise InputError(
                f"{len(self.photos)} photos and {len(self.who)} names; one of each a face."
            )

    @cached_property
    def shown(self) -> list[list[int]]:
        """Who is on each photo, by their numbers."""
        photos, count = number(np.asarray(self.photos))
        found: list[list[int]] = [[] for _ in range(count)]
        for photo, person in zip(photos.tolist(), self.numbers.tolist(), strict=True):
            found[photo].append(person)
        return found

    @cached_property
    def numbers(self) -> Ints:
        """The number of each face's person or surrogate, in order of first appearance."""
        return number(np.asarray(self.who))[0]

    @cached_property
    def casts(self) -> tuple[list[tuple[int, ...]], list[int]]:
        """The different sets of people on photos, and which of them each photo shows."""
        seen: dict[tuple[int, ...], int] = {}
        which = [seen.setdefault(tuple(sorted(people)), len(seen)) for people in self.shown]
        return list(seen), which

    @cached_property
    def photos_of(self) -> list[list[int]]:
        """The photos on which everybody is, each once."""
        found: list[list[int]] = [[] for _ in range(self.count)]
        for photo, people in enumerate(self.shown):
            for person in set(people):
                found[person].append(photo)
        return found

    @property
    def is_hidden(self) -> Bools:
        """Which of the surrogates, by their numbers, is no surrogate but all hidden faces."""
        found = np.zeros(self.count, dtype=bool)
        found[self.numbers[np.asarray(self.who) == HIDDEN]] = True
        return found

    @property
    def with_hidden(self) -> list[int]:
        """The photos with a hidden face."""
        return [p for n in np.flatnonzero(self.is_hidden) for p in self.photos_of[n]]

    @property
    def count(self) -> int:
        """How many people or surrogates there are."""
        return int(self.numbers.max()) + 1


def possible(originals: Appearances, released: Appearances) -> Bools:
    """Which people can be behind which surrogates, (people, surrogates), by counts and company.

    A person can be behind a surrogate if each of their photos can be one of the surrogate's, no two
    of them the same one. A photo can be another if both show equally many faces and everybody on
    the one can be behind somebody on the other. What is ruled out rules out more, until nothing
    changes. A hidden face (`HIDDEN`) can be anybody's. Guarantee: if every person has one surrogate
    and no face is missing on either side, the truth is never ruled out.
    """
    fits = np.ones((originals.count, released.count), dtype=bool)
    while True:
        before = fits.copy()
        alike = _photos_alike(originals, released, fits)
        for person, surrogate in np.argwhere(fits & ~released.is_hidden):
            fits[person, surrogate] = _placed(originals, released, alike, person, surrogate)
        if np.array_equal(before, fits):
            return fits


def suspicion(originals: Appearances, released: Appearances) -> Floats:
    """How likely each person (rows) is on a face of each surrogate, (people, surrogates), 0 to 1.

    Those who are not ruled out share it by how many photos they are on: of the faces that a
    surrogate has, most are of whoever is there most often.
    """
    counts = np.bincount(originals.numbers, minlength=originals.count).astype(np.float64)
    weights = possible(originals, released) * counts[:, None]
    return np.asarray(weights / np.maximum(weights.sum(axis=0), 1e-12))


def _photos_alike(originals: Appearances, released: Appearances, fits: Bools) -> Bools:
    """Whether each original photo (rows) can have become each released one.

    Photos that show the same people are looked at once.
    """
    (people, x), (surrogates, y) = originals.casts, released.casts
    alike = np.zeros((len(people), len(surrogates)), dtype=bool)
    for i, cast in enumerate(people):
        for j, shown in enumerate(surrogates):
            if len(cast) == len(shown):
                alike[i, j] = _covered(fits[np.ix_(cast, shown)])
    return np.asarray(alike[np.ix_(x, y)], dtype=bool)


def _placed(
    originals: Appearances, released: Appearances, alike: Bools, person: int, surrogate: int
) -> bool:
    """Whether all photos of a person can be different photos of a surrogate."""
    # a photo on which a surrogate is twice can be two people's, but one person's only once
    mine, theirs = originals.photos_of[person], released.photos_of[surrogate]
    theirs = sorted({*theirs, *released.with_hidden})
    return len(mine) <= len(theirs) and _covered(alike[np.ix_(mine, theirs)])


def _covered(allowed: Bools) -> bool:
    """Whether every row can have a column of its own."""
    if not allowed.any(axis=1).all():
        return False
    if allowed.all() or len(allowed) == 1:
        return bool(allowed.shape[0] <= allowed.shape[1])
    from scipy.optimize import linear_sum_assignment  # slow to import

    rows, columns = linear_sum_assignment(~allowed)
    return bool(allowed[rows, columns].all())
