"""The private folder in which a release is made, and from which a killed run resumes.

Everything is written here first. A file appears under its final name by ``os.replace`` alone, so
that what is found after a kill is complete; and OUT appears by the rename of one finished folder,
so that no photo, protected or not, is ever in an unfinished OUT.
"""

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ksame.errors import InputError

# one fixed time for every released file: 1980-01-01 UTC, the earliest that zip files can hold
CLEARED_TIME = 315532800
MARK = "ksame-scratch"  # the file that tells a scratch folder of ours, and is locked while used
HIDDEN = ".new-"  # how the names of files begin that a killed run left unfinished


@dataclass(frozen=True, slots=True)
class Scratch:
    """Where each kind of intermediate file lies."""

    root: Path

    @property
    def found(self) -> Path:
        """Pass 1: what was found in each photo, by the sha256 of its bytes."""
        return self.root / "found"

    @property
    def surrogates(self) -> Path:
        """Pass 3: the face of each group."""
        return self.root / "surrogates"

    @property
    def done(self) -> Path:
        """Pass 4: what is known of each photo that was written."""
        return self.root / "done"

    @property
    def release(self) -> Path:
        """The folder that becomes OUT."""
        return self.root / "release"

    def begin(self, job: str) -> None:
        """Keep the results of this very job; drop those of another one.

        What pass 1 found depends on the photos alone, so it outlives a change of options.
        """
        mark = self.root / "job"
        if not mark.is_file() or mark.read_text() != job:
            for folder in (self.surrogates, self.done, self.release):
                shutil.rmtree(folder, ignore_errors=True)
            write_text(mark, job)
        for folder in (self.surrogates, self.done, self.release):
            folder.mkdir(exist_ok=True)

    def remove(self) -> None:
        """Delete the folder: it holds faces of real people.

        The mark goes last, so that after a kill in between the folder is still known as ours.
        """
        for entry in self.root.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name != MARK:
                entry.unlink(missing_ok=True)
        shutil.rmtree(self.root, ignore_errors=True)


@contextmanager
def open_scratch(root: Path) -> Iterator[Scratch]:
    """Hold the scratch folder for one run; a second run on the same OUT is refused.

    Raises
    ------
    InputError
        The folder cannot be made, is not ours, or another run holds it.
    """
    if root.exists() and not _is_ours(root):
        raise InputError(
            f"{root} exists and was not made by ksame, which needs this name for its scratch "
            "folder; move it away or choose another OUT"
        )
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = (root / MARK).open("w")
        (root / "found").mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot write in {root.parent} ({error.strerror}); "
            "choose an OUT in a folder that can be written"
        ) from None
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(
                f"another run is writing {root.name}; wait for it or choose another OUT"
            ) from None
        yield Scratch(root)


def _is_ours(root: Path) -> bool:
    """Whether a run made this folder; an empty one may be what a kill at the first step left."""
    if not root.is_dir():
        return False
    return (root / MARK).is_file() or not any(root.iterdir())


def write_bytes(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Write a file so that it is seen complete or not at all, with its time cleared."""
    with replacing(path, mode) as file:
        file.write_bytes(data)
        os.utime(file, (CLEARED_TIME, CLEARED_TIME))


def write_text(path: Path, text: str, mode: int = 0o600) -> None:
    """Write a text so that it is seen complete or not at all."""
    write_bytes(path, text.encode(), mode)


def write_json(path: Path, value: object, mode: int = 0o600) -> None:
    """Write JSON atomically, keys in the order given, one byte form for one value."""
    write_text(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n", mode)


def write_record(path: Path, value: object) -> None:
    """Write private JSON atomically in its shortest form, which is also the fastest."""
    write_text(path, json.dumps(value, ensure_ascii=False))


def read_json(path: Path) -> Any:
    """Read a JSON file that :func:`write_json` or :func:`write_record` wrote."""
    return json.loads(path.read_text(encoding="utf-8"))


def sha256_of(path: Path) -> str:
    """The sha256 of a file's bytes, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def replacing(path: Path, mode: int) -> Iterator[Path]:
    """A hidden file in the target's folder that takes its name at the end."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=HIDDEN)
    os.close(handle)
    try:
        yield Path(name)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
