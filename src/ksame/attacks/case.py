"""What an attacker holds, and what an attack makes of it.

A *case* is one release with everything that an attacker may have beside it. Face sets and folders
of photos are cases of two kinds (`ksame.attacks.arrays`, `ksame.attacks.photo_case`); the attacks
(`ksame.attacks.table`) know neither.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ksame.arrays import AnyFloats, Array, Indices
from ksame.attacks.levels import Level
from ksame.attacks.sightings import Sighted
from ksame.recognition.contract import FaceImages

Rows = Indices


@dataclass(frozen=True)
class Side:
    """Faces and who they are, in parallel arrays."""

    faces: FaceImages = field(repr=False)
    persons: Array = field(repr=False)

    def __len__(self) -> int:
        return len(self.persons)

    def take(self, rows: Rows) -> Side:
        """Some of the faces."""
        return Side(self.faces[rows], self.persons[rows])


@dataclass(frozen=True)
class Altered:
    """What the method makes of the attacker's own photos.

    `same[i]` is the gallery column that shows the very file of released face i, or -1: an attacker
    who alters other photos of the people does not hold that file.
    """

    training: Side
    gallery: Side
    same: Rows = field(repr=False)


@dataclass(frozen=True)
class Lesson:
    """Original and released faces of people to learn from, and the rows to attack afterwards."""

    originals: Side
    released: Side
    gallery: Rows = field(repr=False)
    probes: Rows = field(repr=False)


@dataclass(frozen=True)
class Trial:
    """Distances `(probes, gallery)` and who is on each side.

    `own[i]` is the gallery column of the very photo that probe i was made from, or -1. `donors[i]`
    are the people whose faces the surrogate of probe i shows, where that is known.
    """

    distances: AnyFloats = field(repr=False)
    gallery: Array = field(repr=False)
    probes: Array = field(repr=False)
    own: Rows = field(repr=False)
    donors: tuple[tuple[Hashable, ...], ...] = field(default=(), repr=False)
    note: str = ""


@dataclass(frozen=True)
class NoTrial:
    """Why an attack cannot be made on this case; false where a truth value is asked."""

    reason: str

    def __bool__(self) -> bool:
        return False


class Case(Protocol):
    """All that an attacker may hold of one release."""

    @property
    def training(self) -> Side:
        """Unaltered faces to learn from."""

    @property
    def gallery(self) -> Side:
        """Unaltered faces of the people whom the attacker looks for."""

    @property
    def release(self) -> Side:
        """The released faces, with the truth about who they are."""

    @property
    def source(self) -> Rows:
        """The gallery row that each released face was made from, or -1."""

    @property
    def donors(self) -> tuple[tuple[Hashable, ...], ...]:
        """Whose faces each released face shows, where known."""

    @property
    def groups(self) -> Sequence[Hashable | None]:
        """The surrogate of each released face, where known."""

    def together(self) -> tuple[Array, Array] | NoTrial:
        """The photo on which each face of the gallery and of the release is."""

    def altered(self) -> Altered | NoTrial:
        """The method, run on the attacker's own photos of the same people."""

    def again(self) -> Side | NoTrial:
        """The release, made again from the very originals by one who knows the method."""

    def levels(self) -> tuple[Level, ...] | NoTrial:
        """Pixelation or blur of each released face, read from its pixels."""

    def imitate(self, level: Level) -> FaceImages:
        """The gallery, altered as a level says."""

    def sharpened(self) -> tuple[FaceImages, str] | NoTrial:
        """The released faces with their resolution enhanced, and how."""

    def sightings(self) -> tuple[Sighted, Sighted] | NoTrial:
        """Originals and released faces as they lie in their photos."""

    def further(self, faces: FaceImages) -> Sequence[FaceImages]:
        """More pictures of each of these very faces, where they are tracks of clips; else ()."""

    def lessons(self) -> tuple[Lesson, ...] | NoTrial:
        """People to train on, apart from those to attack."""
