"""People by the ledger of an earlier run, perhaps corrected: who is who, face by face."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from ksame.errors import InputError
from ksame.files import sha256_of
from ksame.people.sources import Digest, NamedFace, PhotoPeople, one_name_each
from ksame.vault.ledgers import open_ledger

Place = tuple[str, tuple[float, ...]]  # a face: its photo's sha256 and its box

LATE: Final = "found in the finished picture alone"  # such faces are found there again
_FURTHEST: Final = 1e6  # px: no photo is larger
SET_ASIDE: Final = "set aside by a person who looked at it"


@dataclass(frozen=True, slots=True)
class _Photo:
    """What is said of one photo: who is on it, and what the first stage is told."""

    people: PhotoPeople
    listed: dict[str, Any] = field(repr=False)


class LedgerPeople:
    """A ledger knows its originals by their sha256; a photo of another run is not listed."""

    def __init__(self, ledger: Path | Mapping[str, Any]) -> None:
        """``ledger`` is a file, or what it holds."""
        told = ledger
        try:
            if isinstance(told, Path):
                told = open_ledger(told)
            self._photos, self._uncertain = _read(told)
        except InputError:
            raise
        except _Slip as slip:
            name = ledger.name if isinstance(ledger, Path) else "the listing"
            raise InputError(f"{name}: {slip}") from None
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            kind = type(error).__name__
            name = ledger.name if isinstance(ledger, Path) else "the listing"
            raise InputError(
                f"{name} cannot be read as a ledger of ksame ({kind}). Check the path."
            ) from None
        labels = {name for photo in self._photos.values() for name in photo.people.labels}
        self.columns: tuple[str, ...] = tuple(sorted(labels))

    def people_of(
        self, photos: Sequence[Path], roots: Sequence[Path], digest: Digest = sha256_of
    ) -> tuple[PhotoPeople | None, ...]:
        """Photos of other runs are not listed; faces come in the order of the ledger."""
        found = [self._photos.get(digest(photo)) for photo in photos]
        return one_name_each([None if photo is None else photo.people for photo in found])

    def known_faces(self) -> dict[str, Any]:
        """The faces as the ledger lists them; None for those of a photo that was withheld."""
        return {digest: photo.listed for digest, photo in self._photos.items()}

    def uncertain(self) -> list[tuple[Place, Place]]:
        """The pairs that the ledger leaves open."""
        return self._uncertain


def _read(book: Any) -> tuple[dict[str, _Photo], list[tuple[Place, Place]]]:
    """What the ledger says of every photo, by its sha256, and its open pairs."""
    originals: Mapping[str, str] = book["originals"]
    photos: dict[str, dict[Any, NamedFace]] = {digest: {} for digest in originals.values()}
    for number, entry in enumerate(book["faces"]):
        face = _face(entry, f"faces[{number}]")
        digest = originals.get(entry["file"])
        if digest is None or (entry.get("reason") == LATE and face.person is None):
            continue
        # copies of a photo list the same faces
        if photos[digest].setdefault(face.box, face).person != face.person:
            raise _Slip(
                f"faces[{number}] names another person than the same face of a copy of its photo. "
                "Name one person in both."
            )
    boxes = {name: _boxes(originals, book.get(name, {})) for name in ("ignored", "dismissed")}
    labels = {originals[file]: told for file, told in book.get("labels", {}).items()}
    found: dict[str, _Photo] = {}
    for digest, faces in photos.items():
        ignored, dismissed = (boxes[name].get(digest, []) for name in ("ignored", "dismissed"))
        named, taken = tuple(faces.values()), tuple(map(tuple, dismissed))
        listed = {"faces": list(map(_listed, named)), "ignored": ignored, "dismissed": dismissed}
        people = PhotoPeople(named, labels.get(digest, {}), all_faces=True, dismissed=taken)
        found[digest] = _Photo(people, listed)
    for entry in book.get("withheld", ()):
        if digest := entry.get("sha256"):
            aside = entry["reason"] == SET_ASIDE
            unseen = _Photo(PhotoPeople((), all_faces=True), {"faces": None})
            photo = found.get(digest, unseen)
            found[digest] = replace(photo, people=replace(photo.people, set_aside=aside))
    return found, _pairs(originals, book.get("uncertain", ()))


class _Slip(Exception):
    """Something that a hand wrote wrongly, told with its place."""


def _face(entry: Mapping[str, Any], where: str) -> NamedFace:
    person, box, points = entry["person"], entry["box"], entry.get("points") or ()
    numbers = [*box, *(value for point in points for value in point)]
    plain = all(isinstance(v, int | float) and math.isfinite(v) for v in numbers)
    ordered = len(box) == 4 and plain and box[0] < box[2] and box[1] < box[3]
    if not ordered or max(map(abs, box)) > _FURTHEST:
        raise _Slip(
            f"{where}.box must be x0, y0, x1, y1 in pixels of its photo with x0 < x1 and y0 < y1. "
            "Correct it, or delete the face."
        )
    if len(points) not in (0, 5) or any(len(point) != 2 for point in points):
        raise _Slip(f"{where}.points must be five pairs of numbers. Take them as written.")
    if person is not None and not isinstance(person, str):
        raise _Slip(f"{where}.person must be a name in quotes, or null for nobody.")
    for name in ("kept", "drawn"):  # bool("false") is true, and shows somebody as is
        if not isinstance(entry.get(name, False), bool):
            raise _Slip(f"{where}.{name} must be true or false, without quotes.")
    return NamedFace(
        person=person or None,
        box=tuple(float(value) for value in entry["box"]),
        points=tuple((float(x), float(y)) for x, y in points),
        score=float(entry.get("score", 1.0)),
        drawn=entry.get("drawn", False),
        kept=entry.get("kept", False),
        looks={str(name): str(word) for name, word in (entry.get("looks") or {}).items()},
        marks=_marks(entry.get("marks") or (), where),
    )


def _marks(told: Sequence[Any], where: str) -> tuple[tuple[float, ...], ...]:
    """Where a person saw a track's face: a whole frame number and a box each, one a frame."""
    found = {}
    for mark in told:
        numbers = [float(value) for value in mark]
        plain = len(numbers) == 5 and all(map(math.isfinite, numbers))
        if (
            not plain
            or numbers[0] < 0
            or numbers[0] % 1
            or numbers[1] >= numbers[3]
            or numbers[2] >= numbers[4]
        ):
            raise _Slip(
                f"{where}.marks must be frame, x0, y0, x1, y1 with x0 < x1 and y0 < y1. Correct "
                "them, or delete them."
            )
        found[numbers[0]] = tuple(numbers)
    return tuple(found[frame] for frame in sorted(found))


def _listed(face: NamedFace) -> dict[str, Any]:
    """A face as the first stage is told of it."""
    told = {
        "box": face.box,
        "points": face.points,
        "score": face.score,
        "drawn": face.drawn,
        "looks": dict(face.looks),
    }
    return {**told, "marks": face.marks} if face.marks else told


def _boxes(originals: Mapping[str, str], told: Mapping[str, Any]) -> dict[str, list[list[float]]]:
    """Boxes by the sha256 of their photo."""
    return {
        originals[file]: [[float(value) for value in box] for box in boxes]
        for file, boxes in told.items()
        if file in originals
    }


def _pairs(originals: Mapping[str, str], told: Sequence[Any]) -> list[tuple[Place, Place]]:
    """Open pairs of which both faces are listed."""
    found = []
    for pair in told:
        ends = [pair["one"], pair["other"]]
        if all(end.get("box") and end["file"] in originals for end in ends):
            one, other = ((originals[end["file"]], tuple(end["box"])) for end in ends)
            found.append((one, other))
    return found
