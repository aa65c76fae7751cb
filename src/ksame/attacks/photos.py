"""Faces of original and released photos and clips in the attacker's common frame.

The faces of a released photo are placed by their own points where a detector still finds them, and
by the original's landmarks where the alteration hides them: hiding a face from the detector is no
protection, because the attacker can mark its place by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ksame.arrays import Array, Image, Indices
from ksame.attacks.clips import Track, see_originals, see_released
from ksame.attacks.glimpses import (
    Glimpse,
    Place,
    choose_face,
    glimpse_original,
    glimpse_released,
    scaled,
)
from ksame.attacks.levels import Level
from ksame.attacks.sightings import Sighted
from ksame.errors import InputError, MediaError
from ksame.media.clips.kinds import is_clip
from ksame.recognition.crops import SIDE, Crops
from ksame.vision import Face, find_faces

Reader = Callable[[Path], Image]
Step = Callable[[int], None]


@dataclass(frozen=True)
class Original:
    """One face of an original; without a box the largest of a photo, or the longest of a clip.

    `track` says where the face of a clip is over time, where that is known.
    """

    path: Path = field(repr=False)
    person: Hashable = field(repr=False)
    box: tuple[float, ...] | None = None
    track: Track | None = field(default=None, repr=False, compare=False)


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
    track: Track | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Gallery:
    """Original faces as crops, in parallel arrays.

    `further[i]` are more crops of face i where it is a track of a clip; () where there are no
    clips. Recognisers describe all of them, and the mean stands for the track.
    """

    crops: Crops = field(repr=False)
    persons: Array = field(repr=False)
    keys: tuple[tuple[Path, int], ...] = field(repr=False)
    missed: int = 0
    sighted: Sighted | None = field(default=None, repr=False)
    further: tuple[Crops, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Probes:
    """Released faces as crops; `source[i]` is the gallery row that face i was made from, or -1.

    `further` is that of `Gallery`.
    """

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
    further: tuple[Crops, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class _Source:
    """An original face, and where it lies; of a clip, in its good frames."""

    original: Original
    places: tuple[Place, ...] = field(repr=False)


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
    gallery, sources = _gather_originals(list(originals), read, step, look)
    return gallery, _gather_released(list(released), gallery, sources, read, step, look)


def _gather_originals(
    originals: Sequence[Original], read: Reader, step: Step, look: bool
) -> tuple[Gallery, dict[tuple[Path, int], _Source]]:
    seen: list[list[Glimpse]] = []
    sources: dict[tuple[Path, int], _Source] = {}
    for path, wanted in _by_path(originals).items():
        step(1)
        see = see_originals if is_clip(path) else partial(_on_photo, read)
        for i, (want, many) in enumerate(zip(wanted, see(path, wanted, look), strict=True)):
            if many:
                seen.append(many)
                sources[path, i] = _Source(want, tuple(one.place for one in many))
    persons = [source.original.person for source in sources.values()]
    if len(set(persons)) < 2:
        raise InputError(
            f"faces of {len(set(persons))} people were found on the original photos; an attack "
            "needs at least 2. Check ORIGINALS and who is on them."
        )
    found = Gallery(
        _stack([many[0].crop for many in seen]),
        _as_array(persons),
        tuple(sources),
        missed=len(originals) - len(seen),
        sighted=Sighted.of([many[0].sighted or {} for many in seen]) if look else None,
        further=_further(seen),
    )
    return found, sources


def _gather_released(
    released: Sequence[Released],
    gallery: Gallery,
    sources: dict[tuple[Path, int], _Source],
    read: Reader,
    step: Step,
    look: bool,
) -> Probes:
    rows = {key: i for i, key in enumerate(gallery.keys)}
    known = set(gallery.persons.tolist())
    kept: list[Released] = []
    seen: list[list[Glimpse]] = []
    source: list[int] = []
    for path, wanted in _by_path(released).items():
        step(1)
        keys = [_source_of(want, sources) for want in wanted]
        placed = [() if key is None else sources[key].places for key in keys]
        both = list(zip(wanted, placed, strict=True))
        see = see_released if is_clip(path) else partial(_on_released_photo, read)
        for want, key, many in zip(wanted, keys, see(path, both, look), strict=True):
            if many and str(want.person) in known:
                kept.append(want)
                seen.append(many)
                source.append(-1 if key is None else rows[key])
    if not kept:
        raise InputError(
            "no face of RELEASE could be matched with a person of ORIGINALS. Name --ledger or "
            "--pairs, or keep the original file names."
        )
    return Probes(
        crops=_stack([many[0].crop for many in seen]),
        persons=_as_array([r.person for r in kept]),
        source=np.asarray(source, dtype=np.intp),
        donors=tuple(tuple(str(d) for d in r.donors) for r in kept),
        groups=tuple(r.group for r in kept),
        levels=tuple(many[0].level for many in seen),
        hidden=sum(many[0].hidden for many in seen),
        missed=len(released) - len(kept),
        photos=tuple(r.path for r in kept),
        sighted=Sighted.of([many[0].sighted or {} for many in seen]) if look else None,
        further=_further(seen),
    )


def _on_photo(
    read: Reader, path: Path, wanted: Sequence[Original], look: bool
) -> list[list[Glimpse]]:
    """Each wanted face of an original photo, or nothing where it is not found."""
    photo = _readable(read, path)
    if photo is None:
        return [[] for _ in wanted]
    faces = _faces(photo)
    chosen = [choose_face(faces, want.box) for want in wanted]
    return [[] if face is None else [glimpse_original(photo, face, look)] for face in chosen]


def _on_released_photo(
    read: Reader, path: Path, wanted: Sequence[tuple[Released, Sequence[Place]]], look: bool
) -> list[list[Glimpse]]:
    """Each wanted face of a released photo, or nothing where it cannot be placed."""
    photo = _readable(read, path)
    if photo is None:
        return [[] for _ in wanted]
    faces = _faces(photo)
    seen = []
    for want, known in wanted:
        place = scaled(known[0], photo.shape[:2]) if known else None
        found = glimpse_released(photo, faces, want.box, place, look)
        seen.append([] if found is None else [found])
    return seen


def _source_of(want: Released, sources: dict[tuple[Path, int], _Source]) -> tuple[Path, int] | None:
    """The original face that a released face was made from.

    A person may have several tracks in one clip: of these the one at the same box is meant.
    """
    if want.original is None:
        return None
    there = [key for key in sources if key[0] == want.original]
    person = str(want.person)
    own = [key for key in there if str(sources[key].original.person) == person]
    same = [key for key in own if sources[key].original.box == want.box]
    return next(iter(same or own or there), None)


def _further(seen: Sequence[Sequence[Glimpse]]) -> tuple[Crops, ...]:
    """The crops of each face after its first; () where all of them are photos'."""
    if all(len(many) == 1 for many in seen):
        return ()
    return tuple(_stack([one.crop for one in many[1:]]) for many in seen)


def _readable(read: Reader, path: Path) -> Image | None:
    """A photo, or None where its file cannot be read: its faces count as missed."""
    try:
        return read(path)
    except MediaError:
        return None


def _faces(photo: Image) -> list[Face]:
    return list(find_faces(photo, turned=False))


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
