"""The command ``ksame``: registers the commands and turns errors into exit codes.

Exit codes: 0 all released and certified, 1 a claim does not hold, 2 wrong usage or unreadable
input, 3 some inputs withheld, 4 the guarantee cannot be met and nothing is released.
"""

import atexit
import gc
import os
import sys
import warnings
from collections.abc import Callable
from typing import Annotated

import typer

from ksame._version import __version__
from ksame.cli import console, models, vault
from ksame.cli.advise import advise
from ksame.cli.attack import attack
from ksame.cli.bench import bench
from ksame.cli.deidentify import deidentify
from ksame.cli.demo import demo
from ksame.cli.experiment import experiment
from ksame.cli.preview import preview
from ksame.cli.report import report
from ksame.cli.reveal import reveal
from ksame.cli.review import review
from ksame.cli.sign import sign
from ksame.cli.stopping import Stopped, stopping
from ksame.cli.train import train
from ksame.cli.usage import USAGE_ERROR, what_is_wrong
from ksame.cli.verify import verify
from ksame.errors import GuaranteeError, KsameError, KsameWarning, VerificationError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    help="Face de-identification with a proof: every released face is shared by at least k people.",
)
# one line each, so that the list fits on a screen; the docstrings say more
_COMMANDS: dict[Callable[..., None], str] = {
    demo: "The main job on built-in people who do not exist.",
    deidentify: "Photos and clips in, certified ones out.",
    preview: "Ten seconds of a clip, before and after.",
    review: "Look at what was found, correct it, then release.",
    verify: "Recompute every claim of a release from its files.",
    sign: "Sign the certificate of a release.",
    reveal: "Give back originals from a vault.",
    report: "Write the report of a release again.",
    attack: "Try to recognise the people of a release.",
    advise: "Find the smallest k that meets a target.",
    bench: "Compare methods in one table.",
    experiment: "Reproduce a table or figure of the papers.",
    train: "Train an Active Appearance Model, for research.",
}
for command, line in _COMMANDS.items():
    app.command(short_help=line)(command)
app.add_typer(models.app, name="models")
app.add_typer(vault.app, name="vault")


def _print_version(wanted: bool) -> None:
    if wanted:
        console.out.print(f"ksame {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


_NOBODY_READS = 128 + 13  # as a shell tells of a program that SIGPIPE ended


def exit_code(error: KsameError) -> int:
    """The exit code of an error."""
    if isinstance(error, VerificationError):
        return 1
    return 4 if isinstance(error, GuaranteeError) else 2


def main() -> None:
    """Entry point: run a command; an error of ksame's is one line on stderr and an exit code."""
    warnings.showwarning = _show_warning
    # Read when NumPy is first imported, which is later. Its threads would turn a processor for a
    # tenth of a second before they sleep, each time that they have had something to do.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    # Before it ends, Python looks through every object for cycles: a tenth of a second. What is
    # left out of that goes with the process.
    atexit.register(gc.freeze)
    try:
        with stopping():
            sys.exit(app(prog_name="ksame", standalone_mode=False))
    except USAGE_ERROR as error:
        if (said := what_is_wrong(error)) is not None:
            console.err.print(f"[bold red]error:[/] {_escape(said)}")
        sys.exit(2)
    except typer.Abort:  # a question was left unanswered
        console.err.print("stopped; run the same command again to go on")
        sys.exit(130)
    except KsameError as error:
        console.err.print(f"[bold red]error:[/] {_escape(str(error))}")
        sys.exit(exit_code(error))
    except OSError as error:  # a place that cannot be written; its name may be a person's
        why = error.strerror or type(error).__name__
        console.err.print(
            f"[bold red]error:[/] a file or folder cannot be used ({_escape(why)}); "
            "check that the places you named exist and can be written"
        )
        sys.exit(2)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # nobody reads on: no claim is broken
            end.code = _NOBODY_READS
        raise
    except Stopped as stop:
        console.err.print("stopped; run the same command again to go on")
        sys.exit(stop.code)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """A warning is one line on stderr in the words of the command line, without source code."""
    said = str(message)
    if isinstance(message, KsameWarning):
        said = console.in_options(said)
    console.err.print(f"[yellow]warning:[/] {_escape(said)}")


def _escape(text: str) -> str:
    from rich.markup import escape

    return escape(console.plain(text))


if __name__ == "__main__":
    main()
