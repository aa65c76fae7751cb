"""The private folder in which a release is made, and from which a killed run resumes.

Everything is written here first. A file appears under its final name by ``os.replace`` alone, so
that what is found after a kill is complete; and OUT appears by the rename of one finished folder,
so that no photo, protected or not, is ever in an unfinished OUT.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from ksame.errors import InputError
from ksame.store import Store

MARK = "ksame-scratch"  # the file that tells a scratch folder of ours, and is locked while used


@dataclass(frozen=True, slots=True)
class Scratch:
    """Where each kind of intermediate file lies."""

    root: Path

    @property
    def store(self) -> Store:
        """What the passes keep, by the digest of what it was made from."""
        return Store(self.root / "store")

    @property
    def release(self) -> Path:
        """The folder that becomes OUT."""
        return self.root / "release"

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
    if (root.exists() or root.is_symlink()) and not _is_ours(root):
        raise InputError(
            f"{root} exists and was not made by ksame, which needs this name for its scratch "
            "folder; move it away or choose another OUT"
        )
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        root.chmod(0o700)
        lock = FileLock(root / MARK, timeout=0, mode=0o600)
        lock.acquire()
    except Timeout:
        raise InputError(
            f"another run is writing {root.name}; wait for it or choose another OUT"
        ) from None
    except OSError as error:
        raise InputError(
            f"cannot write in {root.parent} ({error.strerror}); "
            "choose an OUT in a folder that can be written"
        ) from None
    try:
        (root / "release").mkdir(exist_ok=True)
        (root / "store").mkdir(exist_ok=True)
        yield Scratch(root)
    finally:
        _remove_unused(root)
        lock.release()


@contextmanager
def removing(scratch: Scratch, error: type[Exception]) -> Iterator[None]:
    """Remove the folder if this error ends the run: nothing goes on from there."""
    try:
        yield
    except error:
        scratch.remove()
        raise


def _remove_unused(root: Path) -> None:
    """Remove a folder in which nothing was kept: there is nothing to go on from."""
    with suppress(OSError):
        if {entry.name for entry in root.iterdir()} <= {MARK, "release", "store"}:
            (root / "release").rmdir()  # refused where anything lies in it
            (root / "store").rmdir()
            (root / MARK).unlink()
            root.rmdir()


def _is_ours(root: Path) -> bool:
    """Whether a run made this folder; an empty one may be what a kill at the first step left."""
    if not root.is_dir() or root.is_symlink():
        return False
    mark = root / MARK
    return (mark.is_file() and not mark.is_symlink()) or not any(root.iterdir())
