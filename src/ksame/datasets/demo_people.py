"""The built-in photos of people who do not exist, with labels and true landmarks.

`tools/synthetic_people` rendered them from CC0 head morphs. They show that a pipeline works;
they are no evidence of privacy on real faces, because they lie closer together than those do.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from ksame.arrays import Bools, Floats, Floats32, Image
from ksame.errors import InputError, MediaError

FOLDER = Path(__file__).parent / "demo"
COLUMNS = ("image", "person", "gender", "age_band", "expression", "mode")


@dataclass(frozen=True)
class DemoPeople:
    """Parallel columns, one entry per photo; three photos of each person follow one another.

    `points` (n, 68, 2) are places on the rendered head in pixels of the photo, x first, in the
    order jaw (17), brows (10), nose (9), eyes (12), mouth (20), the subject's right side first.
    """

    paths: tuple[Path, ...]
    persons: tuple[str, ...]
    gender: tuple[str, ...]
    age_band: tuple[str, ...]
    expression: tuple[str, ...]
    mode: tuple[str, ...]
    points: Floats32

    def __post_init__(self) -> None:
        columns = (
            self.persons,
            self.gender,
            self.age_band,
            self.expression,
            self.mode,
            self.points,
        )
        if any(len(column) != len(self.paths) for column in columns):
            lengths = sorted({len(self.paths), *(len(column) for column in columns)})
            raise InputError(
                f"columns of lengths {lengths} are not parallel; every photo needs one entry in "
                "each. Render the set anew with `python -m tools.synthetic_people`."
            )

    def __len__(self) -> int:
        return len(self.paths)

    def __repr__(self) -> str:
        return f"DemoPeople({len(self)} photos of {len(set(self.persons))} synthetic people)"

    def where(self, **labels: str) -> DemoPeople:
        """The photos whose columns equal the labels, such as `where(expression="smile")`."""
        unknown = sorted(set(labels) - set(COLUMNS[2:]))
        if unknown:
            raise InputError(f"no label {unknown[0]!r}; choose from {', '.join(COLUMNS[2:])}.")
        keep = [
            i
            for i in range(len(self))
            if all(getattr(self, name)[i] == value for name, value in labels.items())
        ]
        return self.take(keep)

    def take(self, rows: list[int]) -> DemoPeople:
        """The photos of the given rows, in that order."""
        return DemoPeople(
            paths=tuple(self.paths[i] for i in rows),
            persons=tuple(self.persons[i] for i in rows),
            gender=tuple(self.gender[i] for i in rows),
            age_band=tuple(self.age_band[i] for i in rows),
            expression=tuple(self.expression[i] for i in rows),
            mode=tuple(self.mode[i] for i in rows),
            points=self.points[rows],
        )

    def landmarks(self, i: int) -> Floats32:
        """The 68 true landmarks (68, 2) of photo `i`."""
        return np.array(self.points[i], dtype=np.float32)

    def image(self, i: int) -> Image:
        """Photo `i` as an RGB array (h, w, 3)."""
        bgr = cv2.imread(str(self.paths[i]), cv2.IMREAD_COLOR)
        if bgr is None:
            raise MediaError(
                f"{self.paths[i].name} of the built-in set cannot be read. Reinstall ksame."
            )
        return np.ascontiguousarray(bgr[..., ::-1], dtype=np.uint8)

    def head_mask(self, i: int) -> Bools:
        """Which pixels (h, w) of photo `i` show the head: face, ears and hair, not the neck.

        Known from the rendered geometry, to two pixels; loose single hairs are not in it.
        """
        skin, hair = self._labels(i)
        return np.asarray(skin | hair)

    def hair_mask(self, i: int) -> Bools:
        """Which pixels (h, w) of photo `i` show hair: of the head, brows, beard and lashes."""
        return self._labels(i)[1]

    def _labels(self, i: int) -> tuple[Bools, Bools]:
        """Skin and hair of the head in photo `i`, as large as the photo."""
        masks = _head_masks()
        row = masks.names.index(self.paths[i].name)
        height, width = self.image(i).shape[:2]
        skin, hair = (
            cv2.resize(part[row], (width, height), interpolation=cv2.INTER_NEAREST).astype(bool)
            for part in (masks.skin, masks.hair)
        )
        return skin, hair

    def images(self) -> Iterator[Image]:
        """All photos in order, read one at a time."""
        return (self.image(i) for i in range(len(self)))

    def registered(self, frame: str = "newton") -> Floats:
        """All faces in a common frame (N def. 2.2), one row of pixels per photo.

        ``frame`` is one of `ksame.vision.FRAMES`; ``newton`` gives rows of 13,266 grey pixels.
        """
        from ksame.vision.register import register

        faces = [
            register(image, _five(points), frame).pixels.ravel()
            for image, points in zip(self.images(), self.points, strict=True)
        ]
        return np.asarray(faces, dtype=np.float64)


def _five(points: Floats32) -> Floats:
    """Eyes, nose tip and corners of the mouth out of the 68 landmarks, right side first."""
    eyes = [points[36:42].mean(axis=0), points[42:48].mean(axis=0)]
    return np.array([*eyes, points[30], points[48], points[54]], dtype=np.float64)


@dataclass(frozen=True)
class _HeadMasks:
    """The masks of all photos of the set, (n, h/2, w/2), in the order of ``people.csv``."""

    names: tuple[str, ...]
    skin: Image = field(repr=False)
    hair: Image = field(repr=False)


@lru_cache(maxsize=1)
def _head_masks() -> _HeadMasks:
    with (FOLDER / "people.csv").open(newline="", encoding="utf-8") as file:
        names = tuple(row["image"] for row in csv.DictReader(file))
    with np.load(FOLDER / "heads.npz", allow_pickle=False) as stored:
        skin, hair = (np.unpackbits(stored[part], axis=-1) for part in ("skin", "hair"))
    return _HeadMasks(names, skin, hair)


def demo_people() -> DemoPeople:
    """Read the labels and landmarks of the built-in set; photos are read when asked for."""
    with (FOLDER / "people.csv").open(newline="", encoding="utf-8") as file:
        rows = [tuple(row[name] for name in COLUMNS) for row in csv.DictReader(file)]
    names, persons, gender, age_band, expression, mode = zip(*rows, strict=True)
    with np.load(FOLDER / "landmarks.npz", allow_pickle=False) as stored:
        points = stored["sixteenths"].astype(np.float32) / 16
    paths = tuple(FOLDER / name for name in names)
    return DemoPeople(paths, persons, gender, age_band, expression, mode, points)
