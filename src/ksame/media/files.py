"""Which files are photos, and how a file is written so that it is whole or absent."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from ksame.errors import MediaError
from ksame.files import write_bytes
from ksame.media.formats import READ_HERE, is_offered

# Formats that cannot be read are looked for on purpose: a photo that is skipped in silence would be
# missed in the release, one that is refused is listed.
_REFUSED = ".dng .cr2 .cr3 .nef .arw .raf .rw2 .orf"
PHOTO_SUFFIXES = READ_HERE | frozenset(_REFUSED.split())
_BRANDS = (b"heic", b"heix", b"mif1")
_OPENINGS = (b"\xff\xd8\xff", b"\x89PNG\r\n", b"GIF8", b"II*\x00", b"MM\x00*")


def find_photos(inputs: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The photos that files and folders name, each file once, in a fixed order.

    Folders are searched recursively. A file with an unknown suffix counts if its first bytes are
    a photo's; names that begin with a dot are left out. A file that is named itself is always
    returned. Links are followed; a folder is entered once, whatever links lead to it, and a file
    that is reached by several names comes once, by the first of them.

    Raises
    ------
    MediaError
        An input does not exist or a folder cannot be read.
    """
    found: list[Path] = []
    files: set[tuple[int, int]] = set()
    folders: set[tuple[int, int]] = set()
    for name in inputs:
        for path in _expand(Path(name), folders):
            identity = file_identity(path)
            if identity is None or identity not in files:
                found.append(path)
            if identity is not None:
                files.add(identity)
    return found


def check_file(file: Path, called: str, kind: str) -> None:
    """Refuse what is not a file with bytes in it, before a decoder sees it.

    Parameters
    ----------
    called : str
        What the message calls the file.
    kind : str
        What was expected, in a word.

    Raises
    ------
    MediaError
        It is missing, no plain file, or empty.
    """
    try:
        status = file.stat()
    except OSError as error:
        raise MediaError(
            f"{called} cannot be read ({error.strerror}). Name a file that exists and is readable."
        ) from error
    if not stat.S_ISREG(status.st_mode):
        raise MediaError(f"{called} is not a file. Name a {kind} file.")
    if status.st_size == 0:
        raise MediaError(f"{called} has 0 bytes. Restore it from a copy or leave it out.")


def names_of_files(
    folders: Iterable[str | os.PathLike[str]],
) -> dict[tuple[int, int], list[Path]]:
    """Every name under which a photo file is reached below folders, links followed.

    The keys are what makes a file the same under two names: see `file_identity`.
    """
    names: dict[tuple[int, int], list[Path]] = {}
    for folder in folders:
        for path in _every_name(Path(folder), ()):
            if (identity := file_identity(path)) is not None:
                names.setdefault(identity, []).append(path)
    return names


def _every_name(folder: Path, above: tuple[tuple[int, int], ...]) -> Iterator[Path]:
    """The files below a folder by all their names; a folder is not entered inside of itself."""
    identity = file_identity(folder)
    if identity is None or identity in above:
        return
    try:
        children = sorted(folder.iterdir())
    except OSError:  # told where photos are looked for
        return
    for child in children:
        if child.name.startswith("."):
            continue
        if child.is_dir():
            yield from _every_name(child, (*above, identity))
        else:
            yield child


def _expand(given: Path, entered: set[tuple[int, int]]) -> Iterator[Path]:
    """The photo files below one input, by name."""
    if given.is_dir():
        yield from _walk(given, entered)
    elif given.exists():
        yield given
    else:
        raise MediaError(f"{given} does not exist. Name files or folders that do.")


def _walk(folder: Path, entered: set[tuple[int, int]]) -> Iterator[Path]:
    """The photo files of a folder and its folders; loops of links end where they close."""
    identity = file_identity(folder)
    if identity is None or identity in entered:
        return
    entered.add(identity)
    try:
        children = sorted(folder.iterdir())
    except OSError as error:
        raise MediaError(
            f"{folder} cannot be read ({error.strerror}). Grant access to it or leave it out."
        ) from error
    folders = []
    for child in children:
        if child.name.startswith("."):
            continue
        if child.is_dir():
            folders.append(child)
        elif child.suffix.lower() in PHOTO_SUFFIXES or _is_a_photo(child):
            yield child
    for child in folders:
        yield from _walk(child, entered)


def file_identity(path: Path) -> tuple[int, int] | None:
    """What makes a file or folder the same under two names; None where it cannot be told."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _is_a_photo(path: Path) -> bool:
    """Whether a file of an unusual name is a photo: by its first bytes, or to an own format."""
    return _opens_like_a_photo(path) or is_offered(path)


def _opens_like_a_photo(path: Path) -> bool:
    """Whether the first bytes of a regular file are those of a photo."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return False
        with path.open("rb") as file:
            opening = file.read(12)
    except OSError:
        return False
    if opening[4:8] == b"ftyp":  # a phone's; clips begin so as well
        return opening[8:] in _BRANDS
    return opening.startswith(_OPENINGS) or (opening[:4] == b"RIFF" and opening[8:] == b"WEBP")


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that at every moment it is either whole or not there.

    The bytes go to a hidden file in the same folder, are flushed to the disk, and only then take
    the name. Whatever fails, the hidden file is removed and an old file of that name stays.

    Raises
    ------
    MediaError
        The folder is missing or read-only, the disk is full, ...
    """
    target = Path(path)
    try:
        write_bytes(target, data, mode=None, clear_times=False, durable=True)
    except OSError as error:
        raise MediaError(
            f"{target} cannot be written ({error.strerror or error}). "
            "Check that its folder exists, is writable and has space left."
        ) from error
