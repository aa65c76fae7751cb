"""How the command line speaks: results on stdout, progress and messages on stderr."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unicodedata import category

from rich.console import Console

from ksame.errors import KsameError

out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)

_WIDEST = 10_000  # columns of a table that goes to a file


@contextmanager
def progress(label: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """A progress bar on stderr; yields a function that moves it on by n steps.

    Nothing is drawn where stderr is not a terminal, so that logs stay readable.
    """
    if not err.is_terminal:
        yield lambda steps: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description:<14}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda steps: bar.update(task, advance=steps)


def plain(text: str) -> str:
    """A text without what would steer a terminal: names of files may hold anything.

    Control characters, line breaks among them, and those that turn the direction of writing or
    hide become escapes that can be read.
    """
    return "".join(
        c.encode("unicode_escape").decode() if category(c).startswith("C") else c for c in text
    )


def in_options(text: str) -> str:
    """A message of the Python functions in the words of the command line.

    ``on_failure='ignore'`` becomes ``--on-failure ignore``; ``k=5`` is how people speak of k.
    """
    from dataclasses import fields

    from ksame.release import Plan

    def option(found: re.Match[str]) -> str:
        name = "--" + found[1].replace("_", "-")
        return name if found[2] is None else f"{name} {found[2].strip(chr(39))}"

    names = [part.name for part in fields(Plan) if len(part.name) > 1]
    given = "|".join(names)
    plain = "|".join(name for name in names if "_" in name)
    text = re.sub(rf"\b({given})=('[^']*'|[^\s;,)]+)", option, text)
    return re.sub(rf"\b({plain})\b", lambda m: f"--{m[1].replace('_', '-')}", text)


@contextmanager
def speaking_options() -> Iterator[None]:
    """Raise the errors of what runs inside in the words of the command line."""
    try:
        yield
    except KsameError as error:
        raise type(error)(in_options(str(error))) from None


def print_json(value: Any) -> None:
    """Write a value as JSON to stdout, for machines."""
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def table(
    columns: tuple[str, ...], rows: Sequence[tuple[str, ...]], title: str | None = None
) -> None:
    """Print a table on stdout; in full where stdout is a file or a pipe."""
    from rich.markup import escape
    from rich.table import Table

    drawn = Table(*columns, title=title, title_justify="left", box=None, pad_edge=False)
    for row in rows:
        drawn.add_row(*(escape(cell) for cell in row))
    # a pipe has no width: cut to 80 columns, figures would be lost
    wide = out if out.is_terminal else Console(file=out.file, width=_WIDEST, highlight=False)
    wide.print(drawn, soft_wrap=True)
