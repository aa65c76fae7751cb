"""Where a release may lie: never inside of what it reads, nor around it."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ksame.errors import InputError, MediaError
from ksame.files import read_json
from ksame.release.plan import Plan


def check_places(plan: Plan) -> None:
    """Refuse a release that would read what it writes.

    Raises
    ------
    InputError
        An input does not exist, or OUT and an input folder lie in one another.
    """
    out = Path(os.path.realpath(plan.out))
    for above in out.parents:
        if (above / "certificate.json").is_file():
            raise InputError(
                f"OUT {plan.out} lies inside another release, and its private ledger would too; "
                "choose a folder outside of it"
            )
    if out.name == "" or plan.out.name in ("", ".", ".."):
        raise InputError(f"OUT {plan.out} has no name of its own; name a new folder")
    for given in plan.inputs:
        if not given.exists():
            raise InputError(f"input {given} does not exist; check the path")
        real = Path(os.path.realpath(given))
        if real == out:
            raise InputError(f"OUT {plan.out} is an input too; choose another folder for OUT")
        if real.is_dir() and real in out.parents:
            raise InputError(
                f"OUT {plan.out} lies inside the input {given}; a later run would take the "
                "release for originals. Choose a folder outside of it"
            )
        if out in real.parents:
            raise InputError(
                f"input {given} lies inside OUT {plan.out}; OUT holds nothing but the release. "
                "Choose another folder for OUT"
            )


def check_no_release(photos: Iterable[Path]) -> None:
    """Refuse photos of a finished release: a face that k people share would count as one of them.

    Raises
    ------
    InputError
        A photo lies in the folder of a release whose faces are replaced.
    """
    folders = {path.parent for path in photos}
    for folder in sorted({above for one in folders for above in (one, *one.parents)}):
        if _is_release(folder):
            raise InputError(
                f"the input {folder} is a release, whose faces are nobody's: they would count as "
                "people. Name the originals alone"
            )


def _is_release(folder: Path) -> bool:
    """Whether a folder holds a certificate that promises something."""
    try:
        told = read_json(folder / "certificate.json")
        return str(told["format"]).startswith("ksame-certificate") and told["guarantee"] != "none"
    except (OSError, ValueError, LookupError, TypeError):
        return False


def input_folders(plan: Plan) -> list[Path]:
    """The inputs that are folders with something in them."""
    return [given for given in plan.inputs if _holds_something(given)]


def check_still_there(folders: Sequence[Path]) -> None:
    """Stop where a whole folder went away: a disk that was pulled, a share that was lost.

    Going on would withhold all its photos, or tell of too few people. A mount point whose disk is
    gone is an empty folder.

    Raises
    ------
    MediaError
        A folder is gone; what was done is kept.
    """
    if not all(map(_holds_something, folders)):
        raise MediaError(
            "a folder of the inputs went away while the release was made; what was done is kept. "
            "Bring it back and run the same command again"
        )


def _holds_something(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except OSError:
        return False
