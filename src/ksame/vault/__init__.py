"""The vault of a release: originals and ledger, sealed, to be opened by the holder of a key alone.

``ksame deidentify --vault key.pub`` writes ``OUT.vault`` instead of a plain ledger, and ``ksame
reveal`` gives back the originals of one person or of all; docs/vault.md tells the format.
"""

from typing import TYPE_CHECKING

from ksame.lazy import lazy_names

if TYPE_CHECKING:
    from ksame.vault.erasing import erase, revealable
    from ksame.vault.keyfiles import find_locks, the_key, write_pair
    from ksame.vault.ledgers import open_ledger
    from ksame.vault.locks import KeyLock, Lock, PassphraseLock
    from ksame.vault.make import Contents, make_vault
    from ksame.vault.opened import Vault, logged, open_vault, rekeyed
    from ksame.vault.revealing import Revealed, reveal

_HOMES = {
    "Contents": "ksame.vault.make",
    "KeyLock": "ksame.vault.locks",
    "Lock": "ksame.vault.locks",
    "PassphraseLock": "ksame.vault.locks",
    "Revealed": "ksame.vault.revealing",
    "Vault": "ksame.vault.opened",
    "erase": "ksame.vault.erasing",
    "find_locks": "ksame.vault.keyfiles",
    "logged": "ksame.vault.opened",
    "make_vault": "ksame.vault.make",
    "open_ledger": "ksame.vault.ledgers",
    "open_vault": "ksame.vault.opened",
    "rekeyed": "ksame.vault.opened",
    "reveal": "ksame.vault.revealing",
    "revealable": "ksame.vault.erasing",
    "the_key": "ksame.vault.keyfiles",
    "write_pair": "ksame.vault.keyfiles",
}

__all__ = [
    "Contents",
    "KeyLock",
    "Lock",
    "PassphraseLock",
    "Revealed",
    "Vault",
    "erase",
    "find_locks",
    "logged",
    "make_vault",
    "open_ledger",
    "open_vault",
    "rekeyed",
    "reveal",
    "revealable",
    "the_key",
    "write_pair",
]

__getattr__ = lazy_names(__name__, _HOMES)
