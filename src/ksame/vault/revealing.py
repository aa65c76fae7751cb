"""Originals given back by the holder of a key: of some people, or of all.

What is revealed appears complete or not at all, in a folder that only its owner can read, and never
before the log of the vault tells of it.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from ksame.arrays import Image
from ksame.errors import InputError, VaultError
from ksame.files import PRIVATE, write_bytes
from ksame.vault.index import Kind, Part
from ksame.vault.media import NOWHERE, cut_out, lay_in
from ksame.vault.opened import Vault, logged

_UNFINISHED: Final = ".part"
Places = Mapping[tuple[Kind, str, int], Part]


@dataclass(frozen=True, slots=True)
class Revealed:
    """What was revealed: how many files, how many of them whole, and the log's new digest.

    ``left`` counts files that show the people and that could not be given back: clips of several
    people come back whole (``all``) or not at all.
    """

    files: int
    whole: int
    left: int
    head: str


def reveal(
    vault: Vault,
    out: Path,
    target: Path,
    names: Sequence[str] | None = None,
    *,
    reason: str = "",
    max_pixels: int = 10**9,
) -> Revealed:
    """Give back the originals of some people, or with ``names=None`` of everybody.

    Guarantee: in each photo of a named person the pixels of that person's regions are those of the
    original, and all other pixels are those of the release; such photos are written without loss.
    Of everybody, the original files themselves come back, byte by byte; a photo that shows somebody
    who was erased comes back like those of single people, with everybody who is left.

    Raises
    ------
    InputError
        The folder exists and is not empty, or lies inside the release.
    VaultError
        The vault is not this release's, was altered, or knows nobody of one of these names.
    """
    certificate = _certificate(out, vault)
    index = vault.index
    if names is None:
        numbers, photos = [p.number for p in index.people if p.key], list(index.faces)
    else:
        numbers = index.numbers_of(names)
        photos = index.photos_of(numbers)
    with _appearing(target, out) as folder:
        act = "revealed all" if names is None else "revealed"
        vault = logged(vault, act, [] if names is None else numbers, len(photos), reason)
        places, taken = index.places(), set[str]()
        whole = left = 0
        for name in photos:
            part = places.get(("file", name, -1))
            if names is None and part is not None and index.key_of(part) is not None:
                _write_file(vault, part, folder / _place(name, part.end, taken))
                whole += 1
            elif _tells_pixels(vault, name, part, numbers):
                released = _released(out, name, certificate)
                pixels = _with_people(vault, released, name, set(numbers), places, max_pixels)
                _write_png(folder / _place(name, ".png", taken), pixels)
            elif part is not None and _only(vault, name, numbers) and index.key_of(part):
                _write_file(vault, part, folder / _place(name, part.end, taken))
                whole += 1
            else:
                left += 1
    return Revealed(len(taken), whole, left, vault.head)


def _tells_pixels(vault: Vault, name: str, part: Part | None, numbers: Sequence[int]) -> bool:
    """Whether the pixels of single people are told apart in a file."""
    return any(face.region != NOWHERE for face in vault.index.faces[name])


def _only(vault: Vault, name: str, numbers: Sequence[int]) -> bool:
    """Whether nobody else is seen in a file."""
    return {face.person for face in vault.index.faces[name]} <= set(numbers)


def _with_people(
    vault: Vault, released: bytes, name: str, numbers: set[int], places: Places, max_pixels: int
) -> Image:
    """A released photo with the originals of some people laid in."""
    from ksame.media import decode_photo

    faces = vault.index.faces[name]
    after = decode_photo(released, max_pixels).rgb
    before: Image | None = None
    for number, face in enumerate(faces):
        if face.person not in numbers:
            continue
        if (part := places.get(("face", name, number))) is not None:
            pixels = decode_photo(vault.read_all(part), max_pixels).rgb
        else:
            if before is None:
                before = decode_photo(vault.read_all(places["file", name, -1]), max_pixels).rgb
                if before.shape != after.shape:
                    raise VaultError("an original in the vault does not fit its released photo")
            pixels = cut_out(before, number, faces)
        lay_in(after, pixels, number, faces)
    return after


def _certificate(out: Path, vault: Vault) -> dict[str, Any]:
    """The certificate of the release, if it is the one that the vault belongs to."""
    try:
        certificate: dict[str, Any] = json.loads((out / "certificate.json").read_bytes())
        body = {name: value for name, value in certificate.items() if name != "digest"}
        text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        files = dict(certificate["files"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{out} holds no certificate; name the folder of a release") from None
    if hashlib.sha256(text.encode()).hexdigest() != vault.header["certificate"]:
        raise VaultError("the vault belongs to another release; name the OUT that it was made with")
    return files


def _released(out: Path, name: str, files: Mapping[str, str]) -> bytes:
    """The bytes of a released file, as they were certified."""
    try:
        data = (out / name).read_bytes()
    except OSError as error:
        raise InputError(f"{name} of the release cannot be read ({error.strerror})") from None
    if hashlib.sha256(data).hexdigest() != files.get(name):
        raise InputError(f"{name} is not the file that was released; take a good copy of OUT")
    return data


def _place(name: str, end: str, taken: set[str]) -> PurePosixPath:
    """Where a file goes: its released name with its own ending, and never another file's place."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise VaultError("the vault names a file outside of the release; it was not made by ksame")
    wanted = path.with_suffix(end)
    if wanted.as_posix().casefold() in taken:
        wanted = path.with_name(path.name + end)
    taken.add(wanted.as_posix().casefold())
    return wanted


def _write_file(vault: Vault, part: Part, path: Path) -> None:
    """An original file, as it was."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE)
    with os.fdopen(handle, "wb") as file:
        for piece in vault.read(part):
            file.write(piece)


def _write_png(path: Path, rgb: Image) -> None:
    """Pixels without loss."""
    from ksame.media import encode_photo

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_bytes(path, encode_photo(rgb, "png"))


@contextmanager
def _appearing(target: Path, out: Path) -> Iterator[Path]:
    """A private folder that takes its name at the end; whatever fails, nothing of it stays.

    What a killed run left is removed before anything else is done.
    """
    if out.resolve() in (target.resolve(), *target.resolve().parents):
        raise InputError(f"{target} lies inside the release; choose another folder")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(f"{target} exists and is not an empty folder; choose another one")
    work = target.with_name(target.name + _UNFINISHED)
    if work.is_symlink() or (work.exists() and not work.is_dir()):
        raise InputError(f"{work} is in the way; move it away")
    shutil.rmtree(work, ignore_errors=True)
    try:
        work.mkdir(mode=0o700, parents=True)
    except OSError as error:
        raise InputError(f"{target} cannot be written ({error.strerror})") from None
    try:
        yield work
        work.replace(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)
