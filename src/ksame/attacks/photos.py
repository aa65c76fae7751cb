"""Faces of original and released photos in the attacker's common frame.

The faces of a released photo are placed by their own points where a detector still finds them, and
by the original's landmarks where the alteration hides them: hiding a face from the detector is no
protection, because the attacker can mark its place by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ksame.arrays import Array, Floats, Image, Indices
from ksame.attacks.levels import Level, find_level
from ksame.attacks.sightings import Sighted, sight
from ksame.errors import InputError, MediaError
from ksame.geometry import apply, bounds, corners, inverse, similarity
from ksame.recognition.crops import FACE, POINTS, SIDE, Crops, crop
from ksame.vision import Face, find_faces

Reader = Callable[[Path], Image]
Step = Callable[[int], None]


@dataclass(frozen=True)
class Original:
    """One face of an original photo; without a box the largest face is meant."""

    path: Path = field(repr=False)
    person: Hashable = field(repr=False)
    box: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Released:
    """One face of a released photo and where it came from.

    `donors` are the people whose faces its surrogate shows and `group` its surrogate, where known.
    """

    path: Path = field(repr=False)
    person: Hashable = field(repr=False)
    original: Path | None = field(default=None, repr=False)
    box: tuple[float, ...] | None = None
    donors: tuple[Hashable, ...] = field(default=(), repr=False)
    group: Hashable | None = None


@dataclass(frozen=True)
class Gallery:
    """Original faces as crops, in parallel arrays."""

    crops: Crops = field(repr=False)
    persons: Array = field(repr=False)
    keys: tuple[tuple[Path, int], ...] = field(repr=False)
    missed: int = 0
    sighted: Sighted | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Probes:
    """Released faces as crops; `source[i]` is the gallery row that face i was made from, or -1."""

    crops: Crops = field(repr=False)
    persons: Array = field(repr=False)
    source: Indices = field(repr=False)
    donors: tuple[tuple[Hashable, ...], ...] = field(repr=False)
    groups: tuple[Hashable | None, ...] = field(repr=False)
    levels: tuple[Level, ...]
    hidden: int
    missed: int = 0
    photos: tuple[Path, ...] = field(default=(), repr=False)
    sighted: Sighted | None = field(default=None, repr=False)


@dataclass(frozen=True)
class _Place:
    """Where a face lies in its original photo."""

    points: Floats
    box: Floats
    shape: tuple[int, int]


def read_rgb(path: Path) -> Image:
    """An upright RGB photo from a file."""
    from ksame.media import read_photo

    return read_photo(path).rgb


def gather(
    originals: Iterable[Original],
    released: Iterable[Released],
    read: Reader = read_rgb,
    step: Step = lambda n: None,
    look: bool = False,
) -> tuple[Gallery, Probes]:
    """Read and crop both sides; what cannot be placed is counted as missed, never guessed.

    With ``look`` faces are also described as they lie in their photos.
    """
    gallery, places = _gather_originals(list(originals), read, step, look)
    return gallery, _gather_released(list(released), gallery, places, read, step, look)


def _gather_originals(
    originals: Sequence[Original], read: Reader, step: Step, look: bool
) -> tuple[Gallery, dict[tuple[Path, int], _Place]]:
    crops, persons, keys = [], [], []
    sighted: list[dict[str, Floats]] = []
    places: dict[tuple[Path, int], _Place] = {}
    for path, wanted in _by_path(originals).items():
        step(1)
        photo = _readable(read, path)
        if photo is None:
            continue
        faces = _faces(photo)
        for i, want in enumerate(wanted):
            face = choose_face(faces, want.box)
            if face is not None:
                key = (path, i)
                places[key] = _Place(face.points, face.box, photo.shape[:2])
                crops.append(crop(photo, face.points))
                persons.append(want.person)
                keys.append(key)
                if look:
                    sighted.append(sight(photo, face))
    if len(set(persons)) < 2:
        raise InputError(
            f"faces of {len(set(persons))} people were found on the original photos; an attack "
            "needs at least 2. Check ORIGINALS and who is on them."
        )
    found = Gallery(
        _stack(crops),
        _as_array(persons),
        tuple(keys),
        missed=len(originals) - len(crops),
        sighted=Sighted.of(sighted) if look else None,
    )
    return found, places


def _gather_released(
    released: Sequence[Released],
    gallery: Gallery,
    places: dict[tuple[Path, int], _Place],
    read: Reader,
    step: Step,
    look: bool,
) -> Probes:
    rows = {key: i for i, key in enumerate(gallery.keys)}
    known = set(gallery.persons.tolist())
    kept: list[Released] = []
    crops, source, levels, hidden = [], [], [], 0
    sighted: list[dict[str, Floats]] = []
    for path, wanted in _by_path(released).items():
        step(1)
        photo = _readable(read, path)
        if photo is None:
            continue
        faces = _faces(photo)
        for want in wanted:
            key = _source_of(want, places, gallery)
            place = None if key is None else _scaled(places[key], photo.shape[:2])
            points = _points(faces, want, place)
            if points is None or str(want.person) not in known:
                continue
            # Only what no detector finds any more is placed by the original's landmarks.
            hidden += int(place is not None and points is place.points)
            patch = crop(photo, points)
            kept.append(want)
            crops.append(patch)
            source.append(-1 if key is None else rows[key])
            levels.append(_level(photo, points))
            if look:
                sighted.append(sight(photo, _face_at(points)))
    if not kept:
        raise InputError(
            "no face of RELEASE could be matched with a person of ORIGINALS. Name --ledger or "
            "--pairs, or keep the original file names."
        )
    return Probes(
        crops=_stack(crops),
        persons=_as_array([r.person for r in kept]),
        source=np.asarray(source, dtype=np.intp),
        donors=tuple(tuple(str(d) for d in r.donors) for r in kept),
        groups=tuple(r.group for r in kept),
        levels=tuple(levels),
        hidden=hidden,
        missed=len(released) - len(kept),
        photos=tuple(r.path for r in kept),
        sighted=Sighted.of(sighted) if look else None,
    )


def _face_at(points: Floats) -> Face:
    """A face by its five points alone: the box is as large as YuNet's around such points."""
    to_photo = inverse(similarity(points, POINTS))
    return Face(box=bounds(apply(to_photo, corners(FACE.box))), score=1.0, points=points)


def _source_of(
    want: Released, places: dict[tuple[Path, int], _Place], gallery: Gallery
) -> tuple[Path, int] | None:
    """The original face that a released face was made from."""
    if want.original is None:
        return None
    for key, person in zip(gallery.keys, gallery.persons, strict=True):
        if key[0] == want.original and person == str(want.person):
            return key
    return next((key for key in places if key[0] == want.original), None)


def _points(faces: Sequence[Face], want: Released, place: _Place | None) -> Floats | None:
    """A released face's own points, else the original's."""
    if place is None:
        face = choose_face(faces, want.box)
        return None if face is None else np.asarray(face.points)
    near = [(overlap(face.box, place.box), i) for i, face in enumerate(faces)]
    best = max(near, default=(0.0, -1))
    return np.asarray(faces[best[1]].points) if best[0] > 0.3 else place.points


def _scaled(place: _Place, shape: tuple[int, int]) -> _Place:
    """A place in a photo that was resized on the way."""
    if place.shape == shape:
        return place
    factor = np.array([shape[1] / place.shape[1], shape[0] / place.shape[0]])
    return _Place(place.points * factor, place.box * np.tile(factor, 2), shape)


def _level(photo: Image, points: Floats) -> Level:
    """The alteration of a face, measured on the photo's own grid, in pixels of the crop."""
    scale = np.linalg.norm(POINTS[0] - POINTS[1]) / max(
        float(np.linalg.norm(points[0] - points[1])), 1e-6
    )
    middle = points.mean(axis=0)
    half = 0.28 * SIDE / scale
    limit = np.array([photo.shape[1], photo.shape[0]])
    low = np.clip(np.floor(middle - half).astype(int), 0, limit - 1)
    high = np.clip(np.ceil(middle + half).astype(int), low + 1, limit)
    part = photo[low[1] : high[1], low[0] : high[0]]
    if min(part.shape[:2]) < 24:
        return Level("none")
    found = find_level(part)
    return Level(found.kind, found.value * float(scale)) if found.kind != "none" else found


def _readable(read: Reader, path: Path) -> Image | None:
    """A photo, or None where its file cannot be read: its faces count as missed."""
    try:
        return read(path)
    except MediaError:
        return None


def _faces(photo: Image) -> list[Face]:
    return list(find_faces(photo, turned=False))


def choose_face(faces: Sequence[Face], box: Sequence[float] | None) -> Face | None:
    """The face at a box, or the largest one: detectors list faces by size."""
    if not faces:
        return None
    if box is None:
        return faces[0]
    best = max(faces, key=lambda face: overlap(face.box, np.asarray(box)))
    return best if overlap(best.box, np.asarray(box)) > 0.3 else None


def overlap(a: Array, b: Array) -> float:
    """Intersection over union of two boxes, xyxy."""
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    shared = float(np.prod(np.clip(high - low, 0, None)))
    areas = float(np.prod(a[2:] - a[:2])) + float(np.prod(b[2:] - b[:2]))
    return shared / max(areas - shared, 1e-12)


def _by_path(faces: Sequence[Any]) -> dict[Path, list[Any]]:
    grouped: dict[Path, list[Any]] = {}
    for face in faces:
        grouped.setdefault(face.path, []).append(face)
    return grouped


def _stack(crops: list[Crops]) -> Crops:
    return np.stack(crops) if crops else np.zeros((0, SIDE, SIDE, 3), np.uint8)


def _as_array(persons: Sequence[Hashable]) -> Array:
    """People as strings: ids of mixed types still compare."""
    return np.asarray([str(p) for p in persons])
