"""Wrong usage, in one line: what typer would draw as a box of five."""

from typing import Any, Final

import typer

USAGE_ERROR: Final[type[Exception]] = typer.BadParameter.__mro__[1]  # of every mistake in options


def what_is_wrong(error: Any) -> str | None:
    """The mistake, and where the options are listed; None where the help itself is the answer."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return None
    said = " ".join(str(error.format_message()).split()).rstrip(".")
    command = error.ctx.command_path if error.ctx else "ksame"
    return f"{said[:1].lower()}{said[1:]}; see {command} --help"
