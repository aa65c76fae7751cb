"""What a vault keeps of one medium, and how a person comes back into it.

Photos: the original file, sealed with the keys of all who are seen in it; and, where those are
several people, the pixels of each face besides, sealed with that person's key alone. So a person
can be revealed after another one was erased, and the original file is gone with the first who is.
Everything else that a release may hold is kept as a file alone.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np

from ksame.arrays import Image
from ksame.errors import MediaError, VaultError
from ksame.files import sha256_of
from ksame.vault.index import Box, FaceRegion, Kind, Part
from ksame.vault.regions import owned, regions_of
from ksame.vault.sealing import derive, fresh, seal

NOBODY: Final = -1  # the number under which a task has the key of photos without a face
NOWHERE: Final = (0, 0, 0, 0)  # the region of a face whose pixels are not told apart
PHOTOS: Final = (".jpg", ".jpeg", ".png")  # how released photos end
_CHANGED: Final = (
    "an original changed, or went away, before it was in the vault; "
    "restore it and run the same command again"
)


@dataclass(frozen=True, slots=True)
class ListedFace:
    """One face as the ledger lists it, by the number of its person in the vault."""

    person: int
    box: tuple[float, ...]
    hidden: Box | None


@dataclass(frozen=True, slots=True)
class Keeping:
    """One file to be kept; all that a worker needs to know.

    ``keys`` are those of the people who are seen in it, by number, and that of photos in which
    nobody is (`NOBODY`). ``folder`` is where sealed parts are laid until the vault takes them.
    """

    vault: bytes
    original: Path = field(repr=False)
    sha256: str
    released: Path
    name: str
    faces: tuple[ListedFace, ...]
    keys: Mapping[int, bytes] = field(repr=False)
    folder: Path = field(repr=False)
    max_pixels: int


@dataclass(frozen=True, slots=True)
class Kept:
    """What a worker hands back: the parts of one file, each in a file of its own, and regions."""

    name: str
    faces: tuple[FaceRegion, ...]
    parts: tuple[tuple[Part, Path], ...] = field(repr=False)


def keep(task: Keeping) -> Kept:
    """Seal what restores one file.

    Raises
    ------
    MediaError
        The original is no longer the one that was released.
    """
    if not task.original.is_file() or sha256_of(task.original) != task.sha256:
        raise MediaError(_CHANGED)
    people = tuple(sorted({face.person for face in task.faces}))
    with task.original.open("rb") as source:
        parts = [_seal(task, source, "file", people, end=task.original.suffix.lower())]
    if task.released.suffix.lower() not in PHOTOS:
        faces = tuple(FaceRegion(face.person, face.box, NOWHERE) for face in task.faces)
        return Kept(task.name, faces, tuple(parts))
    before = _pixels(task.original, task.max_pixels)
    faces = _faces(task, before)
    for number, face in enumerate(faces if len(people) > 1 else ()):
        data = io.BytesIO(_png(cut_out(before, number, faces)))
        parts.append(_seal(task, data, "face", (face.person,), face=number))
    return Kept(task.name, faces, tuple(parts))


def _faces(task: Keeping, before: Image) -> tuple[FaceRegion, ...]:
    """Where the faces of a photo are, and the region that was replaced for each."""
    after = _pixels(task.released, task.max_pixels)
    if before.shape != after.shape:
        raise MediaError(_CHANGED)
    boxes = [face.box for face in task.faces]
    regions = regions_of(before, after, boxes, [face.hidden for face in task.faces])
    return tuple(
        FaceRegion(face.person, face.box, region)
        for face, region in zip(task.faces, regions, strict=True)
    )


def cut_out(before: Image, number: int, faces: Sequence[FaceRegion]) -> Image:
    """The pixels of one face, in its region; zero where they are somebody else's."""
    x0, y0, x1, y1 = faces[number].region
    found: Image = before[y0:y1, x0:x1] * owned(number, faces)[..., None].astype(np.uint8)
    return found


def lay_in(after: Image, pixels: Image, number: int, faces: Sequence[FaceRegion]) -> None:
    """Put the pixels of one face back into a released photo, in place."""
    x0, y0, x1, y1 = faces[number].region
    mine = owned(number, faces)
    if pixels.shape[:2] != mine.shape:
        raise VaultError("a face in the vault does not fit its photo; the vault was altered")
    after[y0:y1, x0:x1][mine] = pixels[mine]


def _pixels(path: Path, max_pixels: int) -> Image:
    from ksame.media import read_photo

    rgb: Image = read_photo(path, max_pixels=max_pixels, writeable=False).rgb
    return rgb


def _png(rgb: Image) -> bytes:
    from ksame.media import encode_photo

    if 0 in rgb.shape:
        rgb = np.zeros((1, 1, 3), np.uint8)
    return encode_photo(rgb, "png")


def _seal(
    task: Keeping,
    source: BinaryIO,
    kind: Kind,
    people: tuple[int, ...],
    face: int = -1,
    end: str = "",
) -> tuple[Part, Path]:
    """Seal one stream into a file of its own."""
    salt = fresh()
    secret = b"".join(task.keys[number] for number in people) or task.keys[NOBODY]
    part = Part(kind, task.name, people, 0, 0, salt, face, end)
    path = task.folder / f"{salt.hex()}.sealed"
    with path.open("xb") as sink:
        seal(source, sink, derive(secret, salt, "part"), part.context(task.vault))
    return part, path
