"""``ksame attack``: attack a release of photos, of ksame or of any other tool."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ksame.cli import console
from ksame.cli.keys import Key, ask

if TYPE_CHECKING:
    from ksame.metrics.tables import Table


def attack(
    originals: Annotated[
        Path, typer.Argument(metavar="ORIGINALS", help="Folder of the original photos and clips.")
    ],
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="Folder of the released photos and clips.")
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for attack.json and plots.")],
    ledger: Annotated[
        Path | None,
        typer.Option(
            help="Ledger of the release, or OUT.vault; looked for beside RELEASE if not given."
        ),
    ] = None,
    key: Key = None,
    pairs: Annotated[
        Path | None,
        typer.Option(help="For releases of other tools, a CSV: released,original,person."),
    ] = None,
    persons: Annotated[
        str, typer.Option(help="Who is who, without ledger and pairs: auto, folder, a people.csv.")
    ] = "auto",
    recogniser: Annotated[
        str | None,
        typer.Option(
            help="Names or package.module:name, separated by commas; eigenfaces, sface and dlib "
            "if not given."
        ),
    ] = None,
    attack: Annotated[
        str | None,
        typer.Option("--attack", help="Names, separated by commas; all of them if not given."),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("-k", help="Compare with 1/k; that of the certificate if not given."),
    ] = None,
    utility: Annotated[
        int,
        typer.Option(help="How many pairs of faces are compared for what was kept; 0 for none."),
    ] = 40,
    as_json: Annotated[bool, typer.Option("--json", help="Print attack.json on stdout.")] = False,
) -> None:
    """Attack a release: recognition rates with intervals, CMC curves and verification."""
    from ksame.attacks.plots import plot_attack, plot_verification
    from ksame.attacks.public import find_sources
    from ksame.attacks.release import ON_PHOTOS, attack_release
    from ksame.attacks.report import attack_table, write_table
    from ksame.errors import InputError
    from ksame.recognition.named import DEFAULT
    from ksame.vault import open_ledger

    if ledger is not None and pairs is not None:
        raise InputError("--ledger and --pairs exclude each other. Name one of them.")
    if k is not None and k < 1:
        raise InputError(f"-k {k} must be at least 1. Name the k that the release claims.")
    if utility < 0:
        raise InputError(f"--utility {utility} must not be negative. 0 measures nothing.")
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file. Name a folder for what is written.")
    book = None if ledger is None else open_ledger(ledger, key, ask)
    sources = find_sources(originals, release, book, pairs, persons)
    total = len({o.path for o in sources.originals}) + len({r.path for r in sources.released})
    with console.progress("faces", total) as step:
        result = attack_release(
            sources.originals,
            sources.released,
            DEFAULT if recogniser is None else _names(recogniser),
            ON_PHOTOS if attack is None else _names(attack),
            k or sources.k,
            utility=utility,
            step=step,
        )
    found = result.as_dict()
    out.mkdir(parents=True, exist_ok=True)
    (out / "attack.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    table = attack_table(result)
    write_table(table, out, "attack")
    if result.rows:
        plot_attack(result, out / "cmc.png")
        plot_verification(result, out / "roc.png")
    if as_json:
        console.print_json(found)
    else:
        _print(found, table, out)


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",") if name.strip()]


def _print(found: dict[str, Any], table: "Table", out: Path) -> None:
    line = "" if found["k"] is None else f"; the release claims at most 1/k = {found['line']:.3f}"
    console.out.print(
        f"{found['released']} released faces against {found['originals']} originals of "
        f"{found['people']} people{line}"
    )
    console.table(table.columns, table.rows)
    for skipped in found["not_attacked"]:
        console.out.print(
            f"{skipped['recogniser']} {skipped['attack']}: not made, {skipped['reason']}"
        )
    _print_kept(found["kept"])
    missed = found["missed"]
    if missed["originals"] or missed["released"]:
        console.err.print(
            f"left out: {missed['originals']} original and {missed['released']} released faces "
            "that could not be placed or have no counterpart"
        )
    console.out.print(f"written: {out / 'attack.json'}")


def _print_kept(kept: dict[str, Any] | None) -> None:
    if kept is None:
        return
    shares = [f"{name} {kept[name]['rate']:.2f}" for name in ("yunet", "haar") if name in kept]
    found = "".join(
        f"{name} {kept[name]:.2f}, " for name in ("expression", "gaze") if kept[name] is not None
    )
    if kept["pose"] is not None:
        found += f"pose within {kept['pose']:.1f} degrees, "
    if kept["sex"] is not None:
        found += f"sex {kept['sex']['rate']:.2f}, age within {kept['age']:.0f} years, "
    if kept["frechet_sface"] is not None:
        found += f"Frechet distance of SFace's features {kept['frechet_sface']:.2f}, "
    console.out.print(
        f"kept on {kept['pairs']} pairs: still a face {', '.join(shares) or 'unknown'}; {found}"
        f"SSIM {kept['ssim']:.2f}, PSNR {kept['psnr']:.1f} dB"
    )
