"""The faces that a ledger of an earlier run lists, perhaps corrected by hand.

Photos are matched by their sha256 and faces by their boxes, so that neither paths nor the order of
a list decide who is who. Every slip of the hand is refused with its place.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ksame.errors import InputError


@dataclass(frozen=True, slots=True)
class NamedFace:
    """One face that a source lists: who it is (None: nobody that it knows) and where it lies.

    Without a box (xyxy, in pixels of the photo) the largest face of the photo is meant. ``points``
    are eyes, nose and corners of the mouth.
    """

    person: str | None = field(repr=False)
    box: tuple[float, ...] | None = None
    points: tuple[tuple[float, float], ...] = ()


def ledger_faces(path: Path) -> dict[str, list[NamedFace]]:
    """The faces of each original photo, by the photo's sha256."""
    try:
        book: Any = json.loads(path.read_text(encoding="utf-8"))
        originals: Mapping[str, str] = dict(book["originals"])
        by_file: dict[str, list[NamedFace]] = {str(name): [] for name in originals}
        for number, face in enumerate(book["faces"]):
            if face["file"] in by_file:  # others are not linked with an original
                by_file[face["file"]].append(_listed_face(path, number, face))
    except InputError:
        raise  # a slip that was told with its place
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError, AttributeError) as error:
        kind = type(error).__name__
        raise InputError(
            f"{path.name} cannot be read as a ledger of ksame ({kind}). Check the path."
        ) from None
    faces: dict[str, list[NamedFace]] = {}
    for name, listed in by_file.items():
        digest = str(originals[name])
        faces[digest] = _copies(path, faces[digest], listed) if digest in faces else listed
    return faces


def _listed_face(path: Path, number: int, face: Any) -> NamedFace:
    """One face of a ledger; a slip of the hand is told with its place."""
    person, box, points = face["person"], face["box"], face.get("points", ())
    numbers = [*box, *(value for point in points for value in point)]
    plain = all(isinstance(v, int | float) and math.isfinite(v) for v in numbers)
    if len(box) != 4 or not plain or not (box[0] < box[2] and box[1] < box[3]):
        raise InputError(
            f"{path.name}: faces[{number}].box must be x0, y0, x1, y1 with x0 < x1 and y0 < y1. "
            "Correct it, or delete the face."
        )
    if len(points) not in (0, 5) or any(len(point) != 2 for point in points):
        raise InputError(
            f"{path.name}: faces[{number}].points must be five pairs of numbers. Take them from "
            "the ledger as it was written."
        )
    if person is not None and not isinstance(person, str):
        raise InputError(
            f"{path.name}: faces[{number}].person must be a name in quotes, or null for nobody."
        )
    return NamedFace(
        person or None,
        tuple(float(value) for value in box),
        tuple((float(x), float(y)) for x, y in points),
    )


def _copies(path: Path, one: list[NamedFace], other: list[NamedFace]) -> list[NamedFace]:
    """The faces of a photo that the ledger lists twice, as two copies of one file."""
    known = {face.box: face.person for face in one}
    for face in other:
        if known.setdefault(face.box, face.person) != face.person:
            raise InputError(
                f"{path.name} lists two copies of one photo and names different people for one "
                "face of it. Name the same person in both."
            )
    boxes = {face.box for face in one}
    return one + [face for face in other if face.box not in boxes]
