"""``ksame verify``: recompute every claim of a written release."""

from pathlib import Path
from typing import Annotated, Any

import typer

from ksame.cli import console
from ksame.cli.keys import Key, ask
from ksame.cli.options import Jobs, Json


def verify(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder of the release.")],
    ledger: Annotated[
        Path | None,
        typer.Option(help="The private ledger, or OUT.vault: also counts people and pixels."),
    ] = None,
    key: Key = None,
    signed_by: Annotated[
        Path | None, typer.Option(help="File of public keys (PEM), one of which must have signed.")
    ] = None,
    detect: Annotated[
        bool, typer.Option(help="With the ledger: look for faces that it does not list.")
    ] = True,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Check that every claim of OUT/certificate.json holds for the files on disk.

    Exit code 1 if one does not; each broken claim is printed with its place.
    """
    from ksame.errors import InputError, VerificationError
    from ksame.release.last_look import sure_faces
    from ksame.release.options import usual_jobs
    from ksame.runners import Processes
    from ksame.vault import open_vault, the_key
    from ksame.vault.container import is_vault
    from ksame.verification import verify as check
    from ksame.verification.signed import read_signers

    if not out.is_dir():
        raise InputError(f"{out} is no folder; name the folder of a release")
    if ledger is not None and not ledger.is_file():
        raise InputError(f"--ledger {ledger} is no file; it lies beside OUT as OUT.ledger.json")
    if signed_by is not None and not read_signers(signed_by):
        raise InputError(
            f"--signed-by {signed_by} holds no public Ed25519 key in PEM; name the signer's .pub"
        )
    book: Any = ledger
    if ledger is not None and is_vault(ledger):
        vault = open_vault(ledger, the_key(key, ask))
        vault.check()
        book = vault.ledger()
    with Processes(jobs or usual_jobs(), console.progress) as runner:
        verdict = check(
            out,
            book,
            detector=sure_faces if detect else None,
            signed_by=signed_by,
            spread=lambda task, photos: runner.run("verify", task, photos),
        )
    if as_json:
        console.print_json(
            {
                "holds": verdict.holds,
                "checked": list(verdict.checked),
                "findings": [{"where": f.where, "what": f.what} for f in verdict.findings],
            }
        )
    else:
        for name in verdict.checked if verdict.holds else ():
            console.out.print(f"holds: {name}", markup=False)
        for finding in verdict.findings:
            console.out.print(f"broken: {finding}", markup=False)
    if not verdict.holds:
        count = len(verdict.findings)
        raise VerificationError(
            f"{count} {'claim does' if count == 1 else 'claims do'} not hold for these files; "
            "do not publish them. Make the release again from the originals"
        )
