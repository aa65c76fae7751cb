"""How the command line speaks: results on stdout, progress and messages on stderr."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console

out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)


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


def print_json(value: Any) -> None:
    """Write a value as JSON to stdout, for machines."""
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")


def table(
    columns: tuple[str, ...], rows: Sequence[tuple[str, ...]], title: str | None = None
) -> None:
    """Print a small table on stdout."""
    from rich.markup import escape
    from rich.table import Table

    drawn = Table(*columns, title=title, title_justify="left", box=None, pad_edge=False)
    for row in rows:
        drawn.add_row(*(escape(cell) for cell in row))
    out.print(drawn)
