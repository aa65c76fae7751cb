"""Where a release may lie: never inside of what it reads, nor around it."""

import os
from pathlib import Path

from ksame.errors import InputError
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
