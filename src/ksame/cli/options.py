"""Options that several commands have."""

from typing import Annotated, Final

import typer

from ksame.errors import InputError

NEW_FOLDER: Final = "Folder to write the release into; it must not exist."


def _some(jobs: int | None) -> int | None:
    """Refuse less than one process."""
    if jobs is not None and jobs < 1:
        raise InputError(f"--jobs {jobs} must be at least 1")
    return jobs


Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        callback=_some,
        help="Worker processes; as many as processors, at most 8, if not given.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
