"""Files that are whole or absent: everything is written beside its place and renamed into it."""

import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

PRIVATE = 0o600
"""Mode of a file that only its owner may read: what nothing else is said of."""

CLEARED_TIME = 315532800
"""One fixed time for every released file: 1980-01-01 UTC, the earliest that zip files can hold."""

HIDDEN = ".ksame-"
"""How the names of unfinished files begin; a killed run may leave some."""


@contextmanager
def replacing(
    path: Path, mode: int | None = PRIVATE, *, clear_times: bool = True, durable: bool = False
) -> Iterator[Path]:
    """A hidden, empty file in the target's folder that takes its name at the end.

    Whatever fails inside, the hidden file is removed and an old file of that name stays.

    Parameters
    ----------
    path : Path
        The name that the file takes.
    mode : int or None
        Its permissions; None gives those of any new file. It has no others before.
    clear_times : bool
        Whether its times become ``CLEARED_TIME``, so that they tell nothing of when it was made.
    durable : bool
        Whether to wait until the disk has it, so that it survives a power cut.
    """
    hidden = path.with_name(f"{HIDDEN}{secrets.token_hex(8)}.part")
    os.close(os.open(hidden, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666 if mode is None else mode))
    try:
        yield hidden
        if mode is not None:
            hidden.chmod(mode)
        if clear_times:
            os.utime(hidden, (CLEARED_TIME, CLEARED_TIME))
        if durable:
            _flush(hidden)
        hidden.replace(path)
    except BaseException:
        with suppress(OSError):
            hidden.unlink(missing_ok=True)
        raise
    if durable:
        _flush_folder(path.parent)


def write_bytes(
    path: Path,
    data: bytes,
    mode: int | None = PRIVATE,
    *,
    clear_times: bool = True,
    durable: bool = False,
) -> None:
    """Write a file so that it is seen complete or not at all; see `replacing`."""
    with replacing(path, mode, clear_times=clear_times, durable=durable) as hidden:
        hidden.write_bytes(data)


def write_text(path: Path, text: str, mode: int | None = PRIVATE) -> None:
    """Write a text in UTF-8 so that it is seen complete or not at all.

    What is no text, as a name of a file may be, is written as an escape.
    """
    write_bytes(path, text.encode(errors="backslashreplace"), mode)


def write_json(
    path: Path, value: object, mode: int | None = PRIVATE, *, indent: int | None = 1
) -> None:
    """Write JSON atomically, keys in the order given, one byte form for one value.

    Without ``indent`` it is written on one line, which is shortest and fastest.
    """
    end = "" if indent is None else "\n"
    # names of files may be no text at all: escaped, they come back as they were
    write_text(path, json.dumps(value, indent=indent) + end, mode)


def read_json(path: Path) -> Any:
    """Read a JSON file in UTF-8."""
    return json.loads(path.read_text(encoding="utf-8"))


def sha256_of(path: Path) -> str:
    """The sha256 of a file's bytes, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _flush(file: Path) -> None:
    """Wait until the disk has a file."""
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())


def _flush_folder(folder: Path) -> None:
    """Make a new name survive a power cut, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
