"""``ksame sign``: stand for a release with a signature."""

from pathlib import Path
from typing import Annotated

import typer

from ksame.cli import console
from ksame.cli.keys import ask


def sign(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder of the release.")],
    key: Annotated[
        Path,
        typer.Option("--key", help="File of a private Ed25519 key: ksame vault keygen --signing."),
    ],
) -> None:
    """Sign the certificate of a release, after its files were checked.

    Writes OUT/certificate.sig; `ksame verify OUT --signed-by FILE.pub` demands the signature.
    """
    from ksame.release.signing import sign as sign_release
    from ksame.vault.keyfiles import read_signer

    console.out.print(str(sign_release(out, read_signer(key, ask))), markup=False)
