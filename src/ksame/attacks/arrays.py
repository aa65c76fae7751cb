"""Cases of registered faces: the papers' protocol of training, gallery, probe and random splits."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

import numpy as np

from ksame.arrays import Array
from ksame.attacks.case import Altered, Lesson, NoTrial, Rows, Side
from ksame.attacks.enhance import enhance
from ksame.attacks.levels import Level, apply_level, find_level, find_pixelation
from ksame.errors import InputError
from ksame.recognition.contract import FaceImages

Alter = Callable[[FaceImages, Rows], FaceImages]
"""A method: alters faces; the numbers of their people tell it who shares a person or a class."""


@dataclass(frozen=True)
class Universe:
    """A closed set of people with gallery and probe faces.

    `probe` may be the same images as `gallery` (N) or other photos of the same people (G, M).
    `gallery_people` and `probe_people` number the person on each row from 0; without them there is
    one face per person on each side, row by row.
    """

    gallery: FaceImages = field(repr=False)
    probe: FaceImages = field(repr=False)
    gallery_people: Rows | None = field(default=None, repr=False)
    probe_people: Rows | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if (self.gallery_people is None) != (self.probe_people is None):
            raise InputError("people must be numbered on both sides of a universe or on neither.")
        if self.gallery_people is None and self.gallery.shape != self.probe.shape:
            raise InputError(
                f"gallery {self.gallery.shape} and probe {self.probe.shape} must have one face "
                "per person, row by row. Number the people where they have several."
            )
        owners, shown = self.owners, self.shown
        if len(owners) != len(self.gallery) or len(shown) != len(self.probe):
            raise InputError("every face of a universe needs the number of its person.")
        everyone = np.arange(owners.max() + 1)
        for side in (owners, shown):
            if not np.array_equal(np.unique(side), everyone):
                raise InputError(
                    "people must be numbered from 0, and everybody must be on both sides of a "
                    "universe: it is closed. Leave out those who are not."
                )

    def __len__(self) -> int:
        return int(self.owners.max()) + 1

    @property
    def owners(self) -> Rows:
        """The person on each gallery face."""
        return _numbers(self.gallery_people, len(self.gallery))

    @property
    def shown(self) -> Rows:
        """The person on each probe face."""
        return _numbers(self.probe_people, len(self.probe))


@dataclass(frozen=True)
class Protocol:
    """How people are divided.

    `training` is the share of people who are for training only; 0 trains on the gallery itself, as
    N does. `people` caps the gallery (N takes 200 at random). `splits` random divisions are pooled.
    """

    training: float = 0.3
    splits: int = 5
    people: int | None = None
    seed: int = 0

    def divisions(self, count: int) -> Iterator[tuple[Rows, Rows]]:
        """Random `(training, gallery)` people; disjoint unless training is 0."""
        rng = np.random.default_rng(self.seed)
        for _ in range(self.splits):
            order = rng.permutation(count).astype(np.intp)
            cut = round(self.training * count)
            rows = np.sort(order[cut:][: self.people])
            yield (np.sort(order[:cut]) if cut else rows), rows


class ArrayCase:
    """One split of a universe, released by a method that the attacker can run as well.

    A universe has one released face per probe face. `source` is known where probe and gallery are
    the same images.
    """

    donors: tuple[tuple[Hashable, ...], ...] = ()
    groups: Sequence[Hashable | None] = ()

    def __init__(self, universe: Universe, alter: Alter, training: Rows, people: Rows) -> None:
        self._alter = once(alter)
        self._disjoint = not np.isin(training, people).any()
        self.training = _side(universe.gallery, universe.owners, training)
        self.gallery = _side(universe.gallery, universe.owners, people)
        self._probe = _side(universe.probe, universe.shown, people)
        self.release = Side(np.asarray(self._run(self._probe)), self._probe.persons)
        same = universe.probe is universe.gallery
        self.source = np.arange(len(self.release)) if same else _nobody(len(self.release))

    def _run(self, side: Side) -> FaceImages:
        return self._alter(side.faces, side.persons)

    def together(self) -> NoTrial:
        """Registered faces have been taken out of their photos."""
        return NoTrial("registered faces are in no photos, and have no company there")

    def altered(self) -> Altered:
        """The method on training and gallery: the attacker knows it."""
        training, gallery = (Side(self._run(s), s.persons) for s in (self.training, self.gallery))
        return Altered(training, gallery, _nobody(len(self.release)))

    def again(self) -> Side:
        """The method on the very probes."""
        return Side(self._run(self._probe), self._probe.persons)

    @cached_property
    def _levels(self) -> tuple[Level, ...]:
        return tuple(find_level(face) for face in self.release.faces)

    def levels(self) -> tuple[Level, ...]:
        """The level of each released face; M reads it face by face (section 6.2.1)."""
        return self._levels

    def imitate(self, level: Level) -> FaceImages:
        """The whole face is altered."""
        return np.stack([apply_level(face, level) for face in self.gallery.faces])

    def sharpened(self) -> tuple[FaceImages, str] | NoTrial:
        """Each face by its own block; what is not pixelated stays as it is."""
        if self.release.faces.ndim != 3:
            return NoTrial("resolution is enhanced on grey faces only")
        faces = [enhance(face[None], find_pixelation(face))[0] for face in self.release.faces]
        return np.stack(faces), ""

    def sightings(self) -> NoTrial:
        """Registered faces lie in no photo."""
        return NoTrial("the faces of a set lie in no photo")

    def further(self, faces: FaceImages) -> tuple[FaceImages, ...]:
        """A face of a set is one picture."""
        return ()

    def lessons(self) -> tuple[Lesson, ...] | NoTrial:
        """The training people of this split, with the method run on their faces."""
        if not self._disjoint:
            return NoTrial("training people are those of the gallery; train on others to attack")
        made = Side(self._run(self.training), self.training.persons)
        everything = np.arange(len(self.gallery)), np.arange(len(self.release))
        return (Lesson(self.training, made, *everything),)


def unaltered(faces: FaceImages, people: Rows) -> FaceImages:
    """The method that changes nothing: the baseline."""
    return faces


def _numbers(people: Rows | None, count: int) -> Rows:
    return np.arange(count) if people is None else np.asarray(people, dtype=np.intp)


def _nobody(count: int) -> Rows:
    return np.full(count, -1, np.intp)


def _side(faces: Array, owners: Rows, people: Rows) -> Side:
    rows = np.flatnonzero(np.isin(owners, people))
    return Side(np.asarray(faces[rows]), owners[rows])


def once(alter: Alter) -> Alter:
    """The same method, run once for the same faces: several attacks alter the gallery alike."""
    made: dict[bytes, FaceImages] = {}

    def remembered(faces: FaceImages, people: Rows) -> FaceImages:
        key = blake2b(np.ascontiguousarray(faces).tobytes() + people.tobytes()).digest()
        if key not in made:
            made[key] = np.asarray(alter(faces, people))
        return made[key]

    return remembered
