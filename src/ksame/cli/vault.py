"""``ksame vault``: keys, locks, erasure and the log of vaults."""

from pathlib import Path
from typing import Annotated

import typer

from ksame.cli import console
from ksame.cli.keys import Key, Reason, VaultFile, ask, ask_new
from ksame.cli.options import Json

app = typer.Typer(
    no_args_is_help=True, help="Keys of vaults and signatures; change, erase and read vaults."
)
_OPEN = typer.Option("--passphrase", help="Protect the private key with a passphrase.")
_SIGNING = typer.Option("--signing", help="For `ksame sign` (Ed25519) instead of a vault (X25519).")


@app.command()
def keygen(
    target: Annotated[
        Path,
        typer.Option("-o", "--out", help="File to write the private key into; it must not exist."),
    ],
    signing: Annotated[bool, _SIGNING] = False,
    passphrase: Annotated[bool, _OPEN] = False,
) -> None:
    """Make a pair of keys: the private one in FILE, the public one in FILE.pub."""
    from ksame.vault import write_pair

    public = write_pair(target, signing=signing, passphrase=ask_new() if passphrase else None)
    console.out.print(f"private key, for its holder alone: {target}", markup=False)
    console.out.print(f"public key: {public}", markup=False)


@app.command()
def rekey(
    vault: VaultFile,
    to: Annotated[
        list[str],
        typer.Option(
            "--to",
            metavar="KEY|passphrase",
            help="Who can open it from now on, instead of all others.",
        ),
    ],
    key: Key = None,
    reason: Reason = "",
) -> None:
    """Change who can open a vault. Copies made before keep their old locks."""
    from ksame.vault import find_locks, open_vault, rekeyed, the_key

    opened = open_vault(vault, the_key(key, ask))
    locks = tuple(lock for given in to for lock in find_locks(given, ask_new))
    changed = rekeyed(opened, locks, reason)
    console.out.print(f"locked for {len(locks)} holders; log: {changed.head}")


@app.command()
def erase(
    vault: VaultFile,
    person: Annotated[list[str], typer.Option(help="Who is erased; may be given several times.")],
    key: Key = None,
    reason: Reason = "",
) -> None:
    """Erase people for good: nobody can reveal them from this file any more.

    Copies of the vault that were made before still hold them.
    """
    from ksame.vault import erase as take_out
    from ksame.vault import open_vault, the_key

    changed = take_out(open_vault(vault, the_key(key, ask)), person, reason)
    console.out.print(f"{len(set(person))} people erased; log: {changed.head}")
    console.err.print("copies of the vault that were made before still hold them; destroy those")


@app.command()
def log(
    vault: VaultFile,
    key: Key = None,
    people: Annotated[
        bool,
        typer.Option(
            "--people", help="List the people whom the vault can reveal, instead of the log."
        ),
    ] = False,
    expect: Annotated[
        str | None, typer.Option(help="A digest that you kept: the log must hold it.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print what was done with a vault, its chain checked."""
    from ksame.errors import VaultError
    from ksame.vault import open_vault, revealable, the_key

    opened = open_vault(vault, the_key(key, ask))
    entries = opened.index.log
    if expect is not None and expect not in {entry.digest for entry in entries}:
        raise VaultError("the digest is not in this log: it was written anew, or is an old copy's")
    if people:
        for name in revealable(opened.index):
            console.out.print(name, markup=False)
    elif as_json:
        console.print_json([{**entry.as_json(), "digest": entry.digest} for entry in entries])
    else:
        rows = [
            (
                entry.time,
                entry.act,
                ", ".join(map(str, entry.people)) or "-",
                str(entry.photos),
                entry.key,
                entry.reason,
                entry.digest[:12],
            )
            for entry in entries
        ]
        columns = ("time", "what", "people", "photos", "key", "reason", "digest")
        console.table(columns, rows)
        console.out.print(f"log: {opened.head}")


@app.command()
def ledger(
    vault: VaultFile,
    target: Annotated[Path, typer.Option("-o", "--out", help="File to write; it must not exist.")],
    key: Key = None,
    reason: Reason = "",
) -> None:
    """Write the ledger of a vault into a file, to correct who is who. The log tells of it."""
    from ksame.errors import InputError
    from ksame.files import write_json
    from ksame.vault import logged, open_vault, the_key

    if target.exists():
        raise InputError(f"{target} exists and is not overwritten; choose another name")
    opened = logged(open_vault(vault, the_key(key, ask)), "ledger written", (), 0, reason)
    write_json(target, opened.ledger())
    console.out.print(f"{target}: as sensitive as the originals; log: {opened.head}", markup=False)
