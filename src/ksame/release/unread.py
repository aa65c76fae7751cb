"""Inputs that the system does not let be read: a disk that fails, a share that is lost, rights."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ksame.errors import MediaError
from ksame.files import sha256_of

UNOPENED: Final = "cannot be opened, or is no plain file"


def digest_of(path: Path) -> str:
    """The sha256 of a photo's bytes; empty where it is no file that can be read to its end."""
    try:
        return sha256_of(path) if path.is_file() else ""
    except OSError:
        return ""


def refused_by_the_system(error: MediaError) -> bool:
    """Whether the system refused to read a file; decoders raise errors without its number."""
    return isinstance(error.__cause__, OSError) and error.__cause__.errno is not None


def check_some_are_read(failures: Sequence[str | None]) -> None:
    """Stop where no input at all can be read, which is no matter of too few people.

    Raises
    ------
    MediaError
        All inputs failed in this way; what was done is kept.
    """
    if all(failure == UNOPENED for failure in failures):
        raise MediaError(
            f"none of the inputs ({len(failures)}) can be read to its end, or is a plain file; "
            "what was done is kept. Check the disk and your rights, and run the same command again"
        )
