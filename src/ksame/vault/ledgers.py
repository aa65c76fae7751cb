"""One way to open a ledger, whether it lies in a file of its own or in a vault."""

import json
from pathlib import Path
from typing import Any

from ksame.errors import InputError
from ksame.vault.container import is_vault
from ksame.vault.keyfiles import Ask, from_environment, the_key
from ksame.vault.locks import Lock


def open_ledger(
    path: str | Path, key: "str | Path | Lock | None" = None, ask: Ask = from_environment
) -> dict[str, Any]:
    """The ledger in a file, which may be a vault.

    Parameters
    ----------
    path : path
        ``OUT.ledger.json`` or ``OUT.vault``.
    key : path or Lock, optional
        What opens the vault; without it what the environment names (``KSAME_VAULT_KEY``).
    ask : callable
        Asks for the passphrase, where one is needed.

    Raises
    ------
    InputError
        The file is neither, or there is no key.
    VaultError
        The vault was cut or altered, or this is not its key.
    """
    path = Path(path)
    if is_vault(path):
        from ksame.vault.opened import open_vault

        return open_vault(path, the_key(key, ask)).ledger()
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        kind = type(error).__name__
        raise InputError(
            f"{path.name} cannot be read as a ledger of ksame ({kind}). Check it."
        ) from None
    if not isinstance(value, dict):
        raise InputError(f"{path.name} cannot be read as a ledger of ksame. Check the path.")
    return value
