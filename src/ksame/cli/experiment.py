"""``ksame experiment``: reproduce a table or figure of the papers."""

from pathlib import Path
from typing import Annotated

import typer

from ksame.cli import console


def experiment(
    name: Annotated[str, typer.Argument(help="Name of an experiment, or all.")] = "",
    data: Annotated[
        Path | None,
        typer.Option(help="Folder with faces.csv; without it the built-in people are used."),
    ] = None,
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Folder for results.json and a plot.")
    ] = Path("out"),
    listed: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
) -> None:
    """Reproduce a table or figure of the papers: results.json and a plot."""
    from ksame.errors import InputError
    from ksame.experiments.named import EXPERIMENTS, find_experiments, run_experiments
    from ksame.experiments.outcome import Experiment, Outcome

    if listed:
        rows = [(e.name, e.source, e.data, e.title) for e in EXPERIMENTS.values()]
        console.table(("name", "source", "data", "what"), rows)
        return
    if not name:
        raise InputError("no experiment is named. See: ksame experiment --list")
    chosen = find_experiments(name)
    if data is not None:
        from ksame.datasets import data_folder

        data = data_folder(data)

    def tell(done: Experiment, found: Outcome, seconds: float) -> None:
        console.out.print(
            f"[bold]{done.name}[/] {done.source}, {found.people} people, {seconds:.0f} s"
        )
        marks = [
            ("agrees" if c.agrees else "differs", c.paper, c.says, c.ours) for c in found.claims
        ]
        console.table(("", "paper", "claim", "here"), marks)

    run_experiments(chosen, data, out, tell)
    console.out.print(f"written: {out}")
