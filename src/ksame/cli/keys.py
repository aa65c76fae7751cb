"""How the command line comes by keys: from files, the environment or a question, never as words."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ksame.errors import InputError

_KEY = (
    "What opens a vault: the file of a private key, or the word passphrase, which is asked for. "
    "KSAME_VAULT_KEY if not given."
)
Key = Annotated[str | None, typer.Option("--key", metavar="FILE|passphrase", help=_KEY)]
Reason = Annotated[str, typer.Option(help="Why; it is kept in the log.")]
VaultFile = Annotated[Path, typer.Argument(metavar="VAULT", help="The file OUT.vault.")]


@contextmanager
def holding_key(key: str | None) -> Iterator[None]:
    """Open ledgers in vaults with this key while something runs; without one as it is."""
    if key is None:
        yield
        return
    from ksame.vault.keyfiles import holding, the_key

    with holding(the_key(key, ask)):
        yield


def ask() -> str:
    """A passphrase from the environment, or typed without being shown."""
    return _asked("Passphrase", again=False)


def ask_new() -> str:
    """A new passphrase, typed twice."""
    return _asked("New passphrase", again=True)


def _asked(words: str, *, again: bool) -> str:
    from ksame.vault.keyfiles import PASSPHRASE_VARIABLE

    if found := os.environ.get(PASSPHRASE_VARIABLE):
        return found
    if not sys.stdin.isatty():
        raise InputError(
            "a passphrase is needed and there is no terminal to ask at; run it in one, or set "
            f"{PASSPHRASE_VARIABLE}"
        )
    typed: str = typer.prompt(words, hide_input=True, confirmation_prompt=again, err=True)
    return typed
