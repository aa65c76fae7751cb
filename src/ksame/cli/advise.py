"""``ksame advise``: recognition, utility and loss over k, for the user's own faces."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from ksame.cli import console


def advise(
    inputs: Annotated[
        list[Path], typer.Argument(metavar="IN", help="Photos, and folders of them.")
    ],
    target: Annotated[float, typer.Option(help="The recognition rate that is acceptable.")] = 0.05,
    persons: Annotated[
        str, typer.Option(help="Who is who: auto, folder, a people.csv or a ledger.")
    ] = "auto",
    method: Annotated[
        str, typer.Option(help="How people are grouped: closest or furthest.")
    ] = "closest",
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder for advice.json and a plot.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print advice.json on stdout.")] = False,
) -> None:
    """Find the smallest k that meets a target on your own faces."""
    from ksame.attacks.advice import choose_k, gather_faces, operating_points
    from ksame.attacks.plots import plot_lines
    from ksame.media import find_photos
    from ksame.metrics.displays import PrivacyUtilityDisplay, new_figure, save

    with console.speaking_options():
        with console.progress("faces", len(find_photos(inputs))) as step:
            own = gather_faces(inputs, persons, step)
        with console.progress("k", None) as step:
            points = operating_points(own, method, step=step)
    chosen = choose_k(points, target)
    found: dict[str, Any] = {
        "faces": len(own.faces),
        "people": own.people,
        "method": method,
        "target": target,
        "k_proven": chosen.proven,
        "k_measured": chosen.measured,
        "points": [
            {
                "k": p.k,
                "bound": p.bound,
                "recognition": p.recognition.as_dict(),
                "expression": p.utility,
                "loss": p.loss,
            }
            for p in chosen.points
        ],
    }
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        (out / "advice.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        ks = [float(p.k) for p in chosen.points]
        lines = {
            "recognition": (ks, [p.recognition.value for p in chosen.points]),
            "expression kept": (ks, [p.utility for p in chosen.points]),
        }
        bound = (ks, [p.bound for p in chosen.points])
        plot_lines(out / "advice.png", {f"{own.people} people": lines}, "k", "rate", bound)
        figure, (axes,) = new_figure()
        PrivacyUtilityDisplay({method: chosen.points}).plot(axes, title=f"{own.people} people")
        save(figure, out / "privacy-utility.png")
    if as_json:
        console.print_json(found)
    else:
        _print(found)


def _print(found: dict[str, Any]) -> None:
    rows = [
        (
            str(p["k"]),
            f"{p['bound']:.3f}",
            f"{p['recognition']['rate']:.3f}",
            f"{p['recognition']['low']:.3f}-{p['recognition']['high']:.3f}",
            f"{p['expression']:.2f}",
            f"{p['loss']:.0f}",
        )
        for p in found["points"]
    ]
    title = f"{found['faces']} faces of {found['people']} people, {found['method']} groups"
    console.table(("k", "1/k", "recognised", "95% interval", "expression", "loss"), rows, title)
    target = found["target"]
    if found["k_proven"]:
        console.out.print(f"proven at or below {target}: k = {found['k_proven']}")
    else:
        needed = int(-(-1 // target))
        console.out.print(
            f"no k that {found['people']} people allow is proven at or below {target}; "
            f"k = {needed} needs at least {needed} people"
        )
    if found["k_measured"]:
        console.out.print(f"measured at or below {target}: k = {found['k_measured']}")
