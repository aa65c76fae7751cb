"""``ksame experiment``: reproduce a table or figure of the papers."""

from pathlib import Path
from typing import Annotated

import typer

from ksame.cli import console


def experiment(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="Name of an experiment, all, or pictures (of built-in people)."
        ),
    ] = "",
    data: Annotated[
        str | None,
        typer.Option(
            help="Folder with faces.csv, any people.csv, or a data set by name or "
            "package.module:name; without it the built-in people are used."
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Folder for results.json, tables and a plot.")
    ] = Path("experiment"),
    docs: Annotated[
        Path | None, typer.Option(help="A page whose blocks of results are to be replaced.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
) -> None:
    """Reproduce a table or figure of the papers: results.json, CSV, LaTeX and a plot."""
    from ksame.datasets.named import data_place
    from ksame.errors import InputError
    from ksame.experiments.named import EXPERIMENTS, find_experiments, run_experiments
    from ksame.experiments.outcome import Experiment, Outcome
    from ksame.experiments.page import write_page

    if listed:
        rows = [(e.name, e.source, " ".join(e.data), e.title) for e in EXPERIMENTS.values()]
        console.table(("name", "source", "data", "what"), rows)
        return
    if not name:
        raise InputError("no experiment is named. See: ksame experiment --list")
    if name == "pictures":
        from ksame.experiments.pictures import draw_pictures
        from ksame.experiments.stills import load

        made = draw_pictures(load([], None), out)
        console.out.print(f"written: {len(made)} pictures in {out}")
        return
    chosen = find_experiments(name)

    def tell(done: Experiment, found: Outcome, seconds: float) -> None:
        console.out.print(
            f"[bold]{done.name}[/] {done.source}, {found.people} people, {seconds:.0f} s"
        )
        for table in found.tables:
            console.table(table.columns, table.rows, table.title)
        verdicts = [(v.verdict, v.source, v.says, v.ours) for v in found.verdicts]
        if verdicts:
            console.table(("", "source", "the paper says", "here"), verdicts)

    found = run_experiments(chosen, data_place(data), out, tell)
    if docs is not None:
        write_page(docs, EXPERIMENTS, found)
    console.out.print(f"written: {out}")
