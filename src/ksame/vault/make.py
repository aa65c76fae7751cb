"""The vault of a release, made while the release is: keys are drawn, used, locked and forgotten."""

import hashlib
import io
import json
import secrets
import shutil
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, Final

from ksame.files import replacing
from ksame.vault import log
from ksame.vault.container import FORMAT, START_LENGTH, start_of, tail_of
from ksame.vault.index import FaceRegion, Index, Part, Person
from ksame.vault.locks import Lock, lock_all
from ksame.vault.media import NOBODY, Keeping, Kept, ListedFace, keep
from ksame.vault.sealing import derive, fresh, need_cryptography, seal

_MARK_COST: Final = 2**14  # of scrypt: as slow to guess as the seed of a release
Spread = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Contents:
    """What a vault is made of.

    ``book`` is the ledger; ``folder`` holds the released files, ``scratch`` is private.
    """

    book: Mapping[str, Any] = field(repr=False)
    folder: Path
    scratch: Path
    max_pixels: int


def job_mark(vault: bytes, job: str) -> str:
    """By which a later run knows its own vault without opening it.

    The digest of a job would let whoever has the photos try seeds quickly; this is slow to try.
    """
    return hashlib.scrypt(job.encode(), salt=vault, n=_MARK_COST, r=8, p=1, dklen=32).hex()


def make_vault(
    path: Path, locks: tuple[Lock, ...], contents: Contents, spread: Spread = map
) -> None:
    """Write a vault, complete or not at all, and forget its keys.

    Guarantee: every byte of a face, of a name and of a key is sealed before it reaches a disk, and
    nothing that stays on this machine opens the vault again unless a lock holds its own key.

    Parameters
    ----------
    spread : callable
        Applies a function to a list of tasks and yields the results in their order, as `map`.
    """
    need_cryptography()
    vault, key = secrets.token_bytes(16), fresh()
    names = person_names(contents.book)
    people = tuple(Person(n, name, fresh()) for n, name in enumerate(sorted(set(names))))
    index = Index(vault, 1, fresh(), fresh(), people, {}, ())
    scratch = contents.scratch
    shutil.rmtree(scratch, ignore_errors=True)  # what a killed run left
    scratch.mkdir(mode=0o700)
    with replacing(path, durable=True) as hidden, hidden.open("r+b") as file:
        file.write(start_of(vault))
        offset, index = _ledger(file, index, contents.book)
        found: dict[str, tuple[FaceRegion, ...]] = {}
        parts = list(index.parts)
        for kept in spread(keep, _tasks(index, contents, names)):
            offset = _take(file, kept, offset, parts)
            found[kept.name] = kept.faces
        entries = log.add((), vault, "made", photos=len(found))
        index = replace(index, faces=found, parts=tuple(parts), log=entries)
        header = {
            "format": FORMAT,
            "certificate": contents.book["certificate"],
            "job": job_mark(vault, contents.book["job"]),
            "locks": lock_all(locks, key, lock_context(vault)),
        }
        file.write(tail_of(index, header, key, offset))
    shutil.rmtree(scratch, ignore_errors=True)


def lock_context(vault: bytes) -> bytes:
    """What the locks of a vault are bound to."""
    return FORMAT.encode() + vault


def person_names(book: Mapping[str, Any]) -> list[str]:
    """Who every face of a ledger is; one that nobody named is a person of its own, FILE#NUMBER."""
    seen: dict[str, int] = {}
    names = []
    for face in book["faces"]:
        number = seen[face["file"]] = seen.get(face["file"], 0) + 1
        names.append(str(face["person"] or f"{face['file']}#{number}"))
    return names


def seal_ledger(
    book: Mapping[str, Any], key: bytes, vault: bytes, offset: int
) -> tuple[Part, bytes]:
    """A ledger as a part of a vault, and its bytes."""
    data = zlib.compress(json.dumps(book, separators=(",", ":")).encode(), 6)
    part = Part("ledger", "", (), offset, 0, fresh())
    sink = io.BytesIO()
    length = seal(io.BytesIO(data), sink, derive(key, part.salt, "part"), part.context(vault))
    return replace(part, length=length), sink.getvalue()


def _ledger(file: BinaryIO, index: Index, book: Mapping[str, Any]) -> tuple[int, Index]:
    part, data = seal_ledger(book, index.book, index.vault, START_LENGTH)
    file.write(data)
    return part.offset + part.length, replace(index, parts=(part,))


def _tasks(index: Index, contents: Contents, names: Sequence[str]) -> list[Keeping]:
    """One task for each released file."""
    book = contents.book
    numbers = {person.name: person.number for person in index.people}
    faces: dict[str, list[ListedFace]] = {name: [] for name in book["files"]}
    for face, name in zip(book["faces"], names, strict=True):
        box = tuple(float(value) for value in face["box"])
        hidden = face["hidden"] and tuple(int(value) for value in face["hidden"])
        faces[face["file"]].append(ListedFace(numbers[name], box, hidden or None))
    keys = {person.number: person.key or b"" for person in index.people}
    return [
        Keeping(
            vault=index.vault,
            original=Path(book["files"][name]),
            sha256=book["originals"][name],
            released=contents.folder / name,
            name=name,
            faces=tuple(listed),
            keys={NOBODY: index.scene} | {face.person: keys[face.person] for face in listed},
            folder=contents.scratch,
            max_pixels=contents.max_pixels,
        )
        for name, listed in sorted(faces.items())
    ]


def _take(file: BinaryIO, kept: Kept, offset: int, parts: list[Part]) -> int:
    """Move the sealed parts of one file into the vault."""
    for part, path in kept.parts:
        length = path.stat().st_size
        with path.open("rb") as source:
            shutil.copyfileobj(source, file, 1 << 20)
        path.unlink()
        parts.append(replace(part, offset=offset, length=length))
        offset += length
    return offset
