"""Where the weight files lie, and that they are the pinned ones."""

import os
from functools import cache
from pathlib import Path

from ksame.errors import WeightsError
from ksame.files import sha256_of
from ksame.weights.manifest import WEIGHTS, Weight


def home() -> Path:
    """The folder of ksame's own files: ``KSAME_HOME``, or ``ksame`` in the user's cache."""
    if chosen := os.environ.get("KSAME_HOME"):
        return Path(chosen).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ksame"


def stored_at(weight: Weight) -> Path:
    """Where a weight file lies once it is installed."""
    return home() / "weights" / weight.filename


def fault(weight: Weight, file: Path) -> str | None:
    """What is wrong with a stored weight file, or None where its bytes are the pinned ones."""
    if not file.is_file():
        return "is missing"
    if (size := file.stat().st_size) != weight.size:
        return f"has {size} bytes instead of {weight.size}"
    try:
        altered = sha256_of(file) != weight.sha256
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    return "has been altered (its sha256 is not the pinned one)" if altered else None


def path(name: str) -> Path:
    """The path of a weight file, after its size and sha256 were checked.

    Raises
    ------
    WeightsError
        The file is missing, truncated or altered; the message names the command to run.
    """
    weight = WEIGHTS[name]
    file = stored_at(weight)
    if found := _fault_at(weight, file, file.stat().st_mtime_ns if file.is_file() else None):
        raise WeightsError(f"weight file {file} {found}. Run: ksame models install")
    return file


@cache
def _fault_at(weight: Weight, file: Path, mtime_ns: int | None) -> str | None:
    """Hash a file once per process and per change."""
    return fault(weight, file)
