"""Face stills in the papers' frames, of real or of the built-in people."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from ksame.arrays import Array, Floats, Floats32, Image, Indices
from ksame.datasets import KnownFaces, known_faces, listed_faces, read_points
from ksame.datasets.demo_people import demo_people
from ksame.errors import InputError
from ksame.media import read_photo
from ksame.recognition.crops import crop
from ksame.vision import Landmarks, find_faces, find_landmarks, register

# Of the 478 landmarks: pupils, tip of the nose, corners of the mouth; of the demo's 68 likewise.
_FIVE_OF_478 = (468, 473, 1, 61, 291)
_MESH = 468


@dataclass(frozen=True)
class Stills:
    """Photos of people with one set of landmarks each, in parallel tuples.

    Frames are cut on first use and kept. The repr gives counts only.
    """

    images: tuple[Callable[[], Image], ...] = field(repr=False)
    persons: Array = field(repr=False)
    gender: Array = field(repr=False)
    expression: Array = field(repr=False)
    five: Floats = field(repr=False)
    shapes: Floats = field(repr=False)
    missed: int = 0

    def __len__(self) -> int:
        return len(self.persons)

    @cached_property
    def newton(self) -> Floats32:
        """N's frame: grey, 134 rows of 99."""
        return self._framed("newton")

    @cached_property
    def gross(self) -> Floats32:
        """G's frame: grey, 92 rows of 81."""
        return self._framed("gross")

    @cached_property
    def crops(self) -> Image:
        """The attacker's colour crops for deep recognisers."""
        return np.stack([crop(i(), p) for i, p in zip(self.images, self.five, strict=True)])

    def _framed(self, frame: str) -> Floats32:
        faces = [
            register(i(), p, frame).pixels for i, p in zip(self.images, self.five, strict=True)
        ]
        return np.stack(faces).astype(np.float32)

    def digest(self) -> str:
        """Which faces these are and where they lie, in 16 letters; says nothing about anybody."""
        where = np.ascontiguousarray(np.round(self.five, 6)).tobytes()
        return blake2b(
            where + np.ascontiguousarray(self.shapes).tobytes(), digest_size=8
        ).hexdigest()

    def take(self, rows: Sequence[int] | Indices) -> Stills:
        """Some of the stills, in the given order."""
        index = np.asarray(rows, dtype=np.intp)
        return Stills(
            tuple(self.images[i] for i in index),
            self.persons[index],
            self.gender[index],
            self.expression[index],
            self.five[index],
            self.shapes[index],
            self.missed,
        )

    def pairs(self, first: str, second: str) -> tuple[Indices, Indices]:
        """Rows of the people who show both expressions, in the same order of people."""
        rows = [
            {p: i for i, p in enumerate(self.persons) if self.expression[i] == e}
            for e in (first, second)
        ]
        both = sorted(set(rows[0]) & set(rows[1]))
        if len(both) < 4:
            raise InputError(
                f"{len(both)} people show both {first!r} and {second!r}; an experiment needs at "
                "least 4. Name another --data."
            )
        return tuple(np.array([r[p] for p in both], dtype=np.intp) for r in rows)  # type: ignore[return-value]


def load(sets: Sequence[str], root: Path | None, hand_marked: bool = False) -> Stills:
    """Stills of known sets, of any people.csv, or of the built-in people where `root` is None.

    A folder with a faces.csv holds the known sets; a file, or a folder with a people.csv, is taken
    as it is, whatever its people are called.

    Landmarks are the detected 468 of the mesh, the same for all sets; `hand_marked` takes the
    set's own points instead (IMM's 58) for the appearance model.
    """
    if root is None:
        return _built_in()
    faces = _listed(sets, root)
    kept, five, shapes = [], [], []
    for i, path in enumerate(faces.images):
        photo = read_photo(path).rgb
        found = find_faces(photo, turned=False)
        marks = find_landmarks(photo, found[0]) if found else None
        if not isinstance(marks, Landmarks):
            continue
        own = faces.landmarks[i] if hand_marked else None
        kept.append(i)
        five.append(marks.points[list(_FIVE_OF_478)])
        shapes.append(marks.points[:_MESH] if own is None else read_points(own))
    if not kept:
        raise InputError("no face was found on the photos of --data. Check the paths in its CSV.")
    return Stills(
        tuple(_reader(faces.images[i]) for i in kept),
        np.array([faces.persons[i] for i in kept]),
        np.array([faces.gender[i] for i in kept]),
        np.array([faces.expression[i] for i in kept]),
        np.stack(five),
        np.stack(shapes),
        missed=len(faces) - len(kept),
    )


def _listed(sets: Sequence[str], root: Path) -> KnownFaces:
    if root.is_file():
        return listed_faces(root)
    if (root / "people.csv").is_file() and not (root / "faces.csv").is_file():
        return listed_faces(root / "people.csv")
    return known_faces(*sets, root=root)


def _reader(path: Path) -> Callable[[], Image]:
    return lambda: read_photo(path).rgb


def _built_in() -> Stills:
    people = demo_people()
    points = np.asarray(people.points, dtype=np.float64)
    eyes = [points[:, 36:42].mean(axis=1), points[:, 42:48].mean(axis=1)]
    five = np.stack([*eyes, points[:, 30], points[:, 48], points[:, 54]], axis=1)
    return Stills(
        tuple(_demo_reader(people, i) for i in range(len(people))),
        np.array(people.persons),
        np.array(people.gender),
        np.array(people.expression),
        five,
        points,
    )


def _demo_reader(people: Any, i: int) -> Callable[[], Image]:
    return lambda: np.asarray(people.image(i), dtype=np.uint8)
