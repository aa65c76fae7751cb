"""``ksame reveal``: originals given back by the holder of a vault's key."""

from pathlib import Path
from typing import Annotated

import typer

from ksame.cli import console
from ksame.cli.keys import Key, Reason, ask
from ksame.cli.options import Json


def reveal(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Folder of the release.")],
    vault: Annotated[Path, typer.Option(help="The file OUT.vault.")],
    target: Annotated[
        Path, typer.Option("-o", "--out", help="Folder to write into; it must not exist.")
    ],
    person: Annotated[
        list[str] | None, typer.Option(help="Whom to reveal; may be given several times.")
    ] = None,
    everybody: Annotated[
        bool, typer.Option("--all", help="Give back all original files instead.")
    ] = False,
    key: Key = None,
    reason: Reason = "",
    as_json: Json = False,
) -> None:
    """Give back the original faces of one person, or all originals.

    Photos of a person are written as PNG: that person's pixels are the original's, all others stay
    as released. With --all the original files come back as they were. The vault's log tells of it.
    """
    from ksame.errors import InputError
    from ksame.vault import open_vault, the_key
    from ksame.vault import reveal as give_back

    if everybody == bool(person):
        raise InputError("name whom to reveal with --person, or everybody with --all")
    opened = open_vault(vault, the_key(key, ask))
    found = give_back(opened, out, target, None if everybody else person, reason=reason)
    if as_json:
        console.print_json(
            {
                "out": str(target),
                "files": found.files,
                "originals": found.whole,
                "left": found.left,
                "log": found.head,
            }
        )
    else:
        console.out.print(f"{found.files} files, {found.whole} of them whole originals: {target}")
        if found.left:
            console.err.print(f"{found.left} files of several people come back with --all alone")
        console.out.print(f"log: {found.head}")
