"""``ksame report``: the report of a release, made again."""

from pathlib import Path
from typing import Annotated

import typer

from ksame.cli import console
from ksame.cli.keys import Key, ask


def report(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder of the release.")],
    target: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="File to write; OUT.report.html if not given."),
    ] = None,
    ledger: Annotated[
        Path | None,
        typer.Option(help="The private ledger, or OUT.vault: adds the names of withheld files."),
    ] = None,
    key: Key = None,
    with_originals: Annotated[
        bool, typer.Option("--with-originals", help="Show originals; needs the ledger.")
    ] = False,
) -> None:
    """Write the report of a release again, outside of OUT.

    With the ledger the report is private and readable by its owner alone. With originals, each
    clip beside its original is written to OUT.before-after/ as well.
    """
    from ksame.errors import InputError
    from ksame.files import write_text
    from ksame.release.certificate import read_certificate
    from ksame.release.clips.beside import folder_beside, write_before_after
    from ksame.release.ledger import read_ledger
    from ksame.release.report import render_report

    if with_originals and ledger is None:
        raise InputError("--with-originals needs the ledger; add --ledger OUT.ledger.json")
    certificate = read_certificate(out)
    private = read_ledger(ledger, key, ask) if ledger else None
    file = target or out.with_name(out.name + ".report.html")
    if out.resolve() in file.resolve().parents:
        raise InputError(
            f"{file} lies inside the release, which is certified; choose another place"
        )
    page = render_report(certificate, out, private, originals=with_originals)
    write_text(file, page, 0o600 if private else 0o644)
    console.out.print(str(file), markup=False)
    if with_originals and private is not None and private.get("clips"):
        beside = folder_beside(out)
        write_before_after(out, private, beside)
        console.out.print(str(beside), markup=False)
