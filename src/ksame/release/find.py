"""Pass 1: what is in each photo. Runs in worker processes and keeps nothing in memory.

What is found is stored by the sha256 of the photo's bytes, so that a second run, or one that goes
on after a kill, does not look again.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from ksame.errors import MediaError
from ksame.release.adhoc import crop_face
from ksame.release.array_files import SUFFIX, load_arrays, load_note, save_arrays
from ksame.release.scratch import Scratch, sha256_of

Floats = npt.NDArray[np.float64]

CHANGED = "changed while the release was made"
UNWORKABLE = "cannot be worked on"
# what arithmetic and OpenCV raise on a picture that no test foresaw; its photo is withheld
FAULTS = (cv2.error, ValueError, ArithmeticError, LookupError, MemoryError)
UNREADABLE = "cannot be read as a photo"
NO_FACE = "no face was found (--allow-faceless releases such photos)"


@dataclass(frozen=True, slots=True)
class Known:
    """A face whose place is given (by a corrected ledger) and need not be detected."""

    box: tuple[float, ...]
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Search:
    """What pass 1 is asked to do with one photo."""

    path: Path
    root: Path
    max_pixels: int
    embed: bool
    attributes: tuple[str, ...] = ()
    known: tuple[Known, ...] | None = None
    portraits: bool = True

    @property
    def settings(self) -> Any:
        """What the stored result depends on besides the photo."""
        from ksame._version import __version__

        known = None if self.known is None else [asdict(face) for face in self.known]
        return _plain(
            [__version__, self.max_pixels, self.embed, self.attributes, self.portraits, known]
        )


@dataclass(frozen=True, slots=True)
class SeenFace:
    """A face of a photo: where it is, and why it cannot be replaced if so."""

    box: tuple[float, ...]
    points: tuple[tuple[float, float], ...]
    failure: str | None
    attributes: dict[str, str]
    state: str = ""
    yaw: float = 0.0


@dataclass(frozen=True, slots=True)
class SeenPhoto:
    """A photo after pass 1; ``failure`` says why it cannot be released at all."""

    path: Path
    sha256: str
    failure: str | None
    faces: tuple[SeenFace, ...]
    format: str = ""


def find_one(search: Search) -> SeenPhoto:
    """Find, portray and store the faces of one photo, unless that was done before."""
    try:
        sha256 = sha256_of(search.path)
    except OSError as error:
        return SeenPhoto(search.path, "", f"cannot be opened ({error.strerror})", ())
    stored = _arrays(Scratch(search.root), sha256)
    if stored.is_file():
        record = load_note(stored)
        if record["settings"] == search.settings:
            return _restore(search.path, sha256, record)
    try:
        seen, arrays = _look(search, sha256)
    except FAULTS as fault:
        return SeenPhoto(search.path, sha256, f"{UNWORKABLE}: {type(fault).__name__}", ())
    if seen.failure == CHANGED:
        return seen
    record = {
        "settings": search.settings,
        "failure": seen.failure,
        "format": seen.format,
        "faces": [asdict(face) for face in seen.faces],
    }
    save_arrays(stored, arrays, record)
    return seen


def _look(search: Search, sha256: str) -> tuple[SeenPhoto, dict[str, npt.NDArray[Any]]]:
    """The faces of one photo, with the arrays that later passes need."""
    from ksame.composite import NoPortrait, portray
    from ksame.media import read_photo
    from ksame.release.attributes import measure
    from ksame.vision import Face, embed_sface, find_faces

    try:
        photo = read_photo(search.path, max_pixels=search.max_pixels, writeable=False)
    except MediaError as error:
        why = f"{UNREADABLE}: {_without(str(error), search.path)}"
        return SeenPhoto(search.path, sha256, why, ()), {}
    if sha256_of(search.path) != sha256:
        return SeenPhoto(search.path, sha256, CHANGED, ()), {}
    if search.known is None:
        found = find_faces(photo.rgb)
    else:
        found = [Face(np.array(f.box), 1.0, np.array(f.points)) for f in search.known]
    faces: list[SeenFace] = []
    arrays: dict[str, npt.NDArray[Any]] = {}
    for number, face in enumerate(found):
        if not search.portraits:
            arrays[f"{number}/crop"] = crop_face(photo.rgb, _floats(face.box))
            faces.append(SeenFace(_floats(face.box), _pairs(face.points), None, {}))
            continue
        portrait = portray(photo.rgb, face, [other for other in found if other is not face])
        failure, state, yaw, attributes = None, "", 0.0, {}
        if isinstance(portrait, NoPortrait):
            failure = portrait.reason
        else:
            arrays.update({f"{number}/{n}": a for n, a in portrait.to_arrays().items()})
            state, yaw = portrait.state, round(float(portrait.yaw), 2)
            attributes = measure(search.attributes, photo.rgb, face, portrait)
        if search.embed:
            arrays[f"{number}/sface"] = embed_sface(photo.rgb, face)
        where = _floats(face.box), _pairs(face.points)
        faces.append(SeenFace(*where, failure, attributes, state, yaw))
    return SeenPhoto(search.path, sha256, None, tuple(faces), photo.release_format), arrays


def load_portrait(scratch: Scratch, sha256: str, face: int, colour: bool = True) -> Any:
    """The portrait of one face, as pass 1 stored it; whoever only replaces it needs no colour."""
    from ksame.composite import Portrait

    but = () if colour else ("colour",)
    return Portrait.from_arrays(load_arrays(_arrays(scratch, sha256), f"{face}/", but=but))


def load_traits(scratch: Scratch, sha256: str, face: int) -> Any:
    """A face without its pictures: what decides whom it suits."""
    from ksame.composite import TRAITS, Traits

    return Traits.from_arrays(load_arrays(_arrays(scratch, sha256), f"{face}/", TRAITS))


def load_array(scratch: Scratch, sha256: str, face: int, name: str) -> npt.NDArray[Any]:
    """One array of one face, without reading the others."""
    return load_arrays(_arrays(scratch, sha256), f"{face}/", (name,))[name]


def _arrays(scratch: Scratch, sha256: str) -> Path:
    return scratch.found / f"{sha256}{SUFFIX}"


def _restore(path: Path, sha256: str, record: dict[str, Any]) -> SeenPhoto:
    """A photo as an earlier run saw it."""
    faces = tuple(
        SeenFace(
            **{
                **face,
                "box": tuple(face["box"]),
                "points": tuple((x, y) for x, y in face["points"]),
            }
        )
        for face in record["faces"]
    )
    return SeenPhoto(path, sha256, record["failure"], faces, record["format"])


def _plain(value: object) -> Any:
    """The value as JSON gives it back, for comparison with a stored one."""
    return json.loads(json.dumps(value))


def _without(message: str, path: Path) -> str:
    """A reason without the file's name, which may be a person's."""
    for name in (str(path), path.name, path.stem):
        message = message.replace(name, "the file")
    return message


def _floats(box: Floats) -> tuple[float, ...]:
    return tuple(round(float(value), 2) for value in box)


def _pairs(points: Floats) -> tuple[tuple[float, float], ...]:
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in points)
