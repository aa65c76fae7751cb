"""One released photo: read once, decoded once, and looked at by every check that it concerns."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ksame.arrays import Image
from ksame.verification.documents import Certificate, Face, Group, Ledger
from ksame.verification.files import plain_file
from ksame.verification.metadata import metadata
from ksame.verification.mp4 import mp4_extras

if TYPE_CHECKING:
    from ksame.verification.places import Laid

    Image: TypeAlias = Image

CLIP = ".mp4"  # how the names of released clips end
# finds the faces of a photo: boxes (xyxy)
Detector = Callable[["Image"], Iterable[Sequence[float]]]
# applies a function to many tasks and yields the results in their order, as `map` does
Spread = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Listed:
    """What the ledger lists of one photo: its faces, their groups and the boxes left alone.

    ``untouched`` are the boxes that a person left as they are: no faces, or consented ones.
    """

    faces: tuple[Face, ...] = field(repr=False)
    groups: tuple[Group, ...] = field(repr=False)
    ignored: tuple[tuple[float, ...], ...] = field(repr=False)
    strict: bool
    filled: bool
    promises: bool
    clip: Mapping[str, Any] | None = field(default=None, repr=False)
    untouched: tuple[tuple[float, ...], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class PhotoTask:
    """What is to be checked of one photo; all that a worker needs to know."""

    path: Path = field(repr=False)
    listed: Listed | None = None
    detector: Detector | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class PhotoFound:
    """What was found: the file's sha256, what it carries besides pixels, broken claims, places."""

    sha256: str
    extras: tuple[str, ...]
    pixels: tuple[str, ...] = ()
    strangers: int = 0
    laid: "tuple[Laid, ...]" = field(default=(), repr=False)


def tasks(
    out: Path, certificate: Certificate, ledger: Ledger | None, detector: Detector | None
) -> dict[str, PhotoTask]:
    """One task for each released photo that is a plain file."""
    faces: dict[str, list[Face]] = defaultdict(list)
    groups: Mapping[int, Group] = {}
    if ledger is not None:
        groups = {group.group: group for group in ledger.groups}
        for face in ledger.faces:
            faces[face.file].append(face)
    found = {}
    for name in certificate.files:
        path = plain_file(out, name)
        if path is None:
            continue
        listed = None
        if ledger is not None:
            used = {face.group for face in faces[name]} & set(groups)
            kept = [face.box for face in faces[name] if face.kept]
            listed = Listed(
                faces=tuple(face for face in faces[name] if not face.kept),
                groups=tuple(groups[g] for g in sorted(g for g in used if g is not None)),
                ignored=ledger.ignored.get(name, ()),
                strict=certificate.strict,
                filled=certificate.filled,
                promises=certificate.promises,
                clip=ledger.clips.get(name),
                untouched=(*ledger.dismissed.get(name, ()), *kept),
            )
        found[name] = PhotoTask(path, listed, detector)
    return found


def check_photo(task: PhotoTask) -> PhotoFound:
    """Read one photo and look at everything that is claimed of it."""
    if task.path.suffix == CLIP:
        return _check_clip(task)
    data = task.path.read_bytes()
    sha256, extras = hashlib.sha256(data).hexdigest(), tuple(metadata(data))
    listed = task.listed
    if listed is None or not listed.promises:
        return PhotoFound(sha256, extras)
    # numpy, the codecs and the model are needed for pixels alone
    from ksame.verification.detected import strangers
    from ksame.verification.pixels import check_pixels, heads_laid, read_picture

    if not listed.faces and task.detector is None:
        return PhotoFound(sha256, extras)
    photo = read_picture(data)
    if photo is None:
        return PhotoFound(sha256, extras, ("cannot be read as a picture",))
    pixels = tuple(check_pixels(photo, listed))
    found = 0 if task.detector is None else strangers(photo, listed, task.detector)
    laid = heads_laid(photo, listed) if listed.strict else ()
    return PhotoFound(sha256, extras, pixels, found, laid)


def _check_clip(task: PhotoTask) -> PhotoFound:
    """The same of one clip, which may be too large for the memory."""
    with task.path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    extras = tuple(mp4_extras(task.path))
    listed = task.listed
    if listed is None or not listed.promises:
        return PhotoFound(sha256, extras)
    if listed.clip is None:
        return PhotoFound(sha256, extras, ("is a clip that the ledger does not list",))
    # numpy and the decoders are needed for frames alone
    from ksame.verification.footage import check_footage

    return PhotoFound(sha256, extras, tuple(check_footage(task.path, listed)))


def check_photos(todo: Mapping[str, PhotoTask], spread: Spread) -> dict[str, PhotoFound]:
    """Look at all photos, by whatever spreads tasks over workers."""
    return dict(zip(todo, spread(check_photo, list(todo.values())), strict=True))
