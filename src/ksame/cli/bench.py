"""``ksame bench``: methods side by side on one set of faces."""

from pathlib import Path
from typing import Annotated

import typer

from ksame.cli import console


def bench(
    methods: Annotated[
        str,
        typer.Argument(
            metavar="METHODS",
            help="name[:level], separated by commas: pixelate:15,blur:8,pixel:5,furthest:5, or "
            "package.module:name of your own.",
        ),
    ],
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Folder for bench.json, .csv, .tex and .png.")
    ],
    data: Annotated[
        str | None,
        typer.Option(
            help="A people.csv, a folder with one, or a data set by name or package.module:name; "
            "the built-in people if not given."
        ),
    ] = None,
    recognisers: Annotated[
        str | None, typer.Option(help="Names or package.module:name, separated by commas.")
    ] = None,
    attacks: Annotated[str, typer.Option(help="Names, separated by commas.")] = "naive,parrot",
    splits: Annotated[
        int, typer.Option(help="How many random divisions into training and test people; pooled.")
    ] = 1,
    sets: Annotated[str, typer.Option(help="Sets of a faces.csv, separated by commas.")] = "london",
    with_files: Annotated[
        list[Path] | None,
        typer.Option(
            "--with", help="bench.json of other methods on the same faces, for the same table."
        ),
    ] = None,
    docs: Annotated[
        list[Path] | None,
        typer.Option(help="Pages whose blocks bench and bench-summary are to be replaced."),
    ] = None,
) -> None:
    """Compare methods: what recognisers still find and what is kept, in one table."""
    from ksame.attacks.arrays import Protocol
    from ksame.datasets.named import data_place
    from ksame.experiments.bench_file import as_json, joined, read_earlier
    from ksame.experiments.bench_methods import find_method
    from ksame.experiments.compare import (
        bench_blocks,
        compare_methods,
        universe_of,
        write_comparison,
    )
    from ksame.experiments.page import replace_blocks
    from ksame.experiments.stills import load
    from ksame.recognition.named import DEFAULT
    from ksame.recognition.named import recognisers as by_name
    from ksame.threads import one_blas_thread

    chosen = [find_method(name) for name in _names(methods)]
    wanted = _names(recognisers) if recognisers else list(DEFAULT)
    total = len(chosen) * len(wanted)
    with one_blas_thread(), console.progress("methods", total) as step:
        stills = load(_names(sets), data_place(data))
        universe = universe_of(stills)
        extra = {"faces_digest": stills.digest(), "splits": splits}
        earlier = read_earlier(with_files or (), len(universe), len(universe.probe), extra)
        found = compare_methods(
            universe,
            chosen,
            by_name(wanted),
            _names(attacks),
            Protocol(splits=splits),
            step,
        )
    found = joined(earlier, found)
    table = write_comparison(found, out, as_json(found, extra))
    console.table(table.columns, table.rows, table.title)
    for page in docs or ():
        names = ",".join(f"{name}:{level:g}" if level else name for name, level in found.kept)
        command = f"ksame bench {names} --attacks {attacks} --data DATA"
        replace_blocks(page, bench_blocks(found, command))
    console.out.print(f"written: {out}")


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",") if name.strip()]
