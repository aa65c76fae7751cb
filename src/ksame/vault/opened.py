"""An open vault: what the holder of a key can read from it, and do with it."""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ksame.errors import VaultError
from ksame.vault import log
from ksame.vault.container import change, finish, held, read_tail, tail_of, unfinished
from ksame.vault.index import Index, Part
from ksame.vault.locks import Lock, lock_all, unlock_any
from ksame.vault.make import lock_context
from ksame.vault.sealing import fresh, unseal
from ksame.vault.seen import check_seen, note_seen


@dataclass(frozen=True, slots=True)
class Vault:
    """A vault whose key was found; the repr shows neither key nor name."""

    path: Path
    index: Index = field(repr=False)
    header: Mapping[str, Any] = field(repr=False)
    opened_by: str
    end_of_parts: int = field(repr=False)
    state: bytes = field(repr=False)  # the salt of the index, new with every change
    key: bytes = field(repr=False)

    @property
    def head(self) -> str:
        """The digest that stands for the whole log; keep it elsewhere to notice a new log."""
        return log.head_of(self.index.log, self.index.vault)

    def read(self, part: Part) -> Iterator[bytes]:
        """The content of a part, piece by piece, each known to be true.

        Raises
        ------
        VaultError
            It was altered, or somebody who is seen in it was erased.
        """
        key = self.index.key_of(part)
        if key is None:
            raise VaultError("somebody who is seen in it was erased; it cannot be opened any more")
        with self.path.open("rb") as file:
            file.seek(part.offset)
            yield from unseal(file, part.length, key, part.context(self.index.vault))

    def read_all(self, part: Part) -> bytes:
        """The whole content of a part."""
        return b"".join(self.read(part))

    def ledger(self) -> dict[str, Any]:
        """The ledger; people who were erased have no name in it."""
        book: dict[str, Any] = json.loads(zlib.decompress(self.read_all(self.index.ledger)))
        return book

    def check(self) -> int:
        """Open every part that can be opened; returns how many there are.

        Raises
        ------
        VaultError
            One was altered; or bytes that were wiped are there again.
        """
        opened = 0
        for part in self.index.parts:
            if self.index.key_of(part) is not None:
                for _ in self.read(part):
                    pass
                opened += 1
        with self.path.open("rb") as file:
            for offset, length in self.index.holes:
                file.seek(offset)
                if file.read(length).strip(b"\0"):
                    raise VaultError("bytes that were erased are in the vault again")
        self._check_places()
        return opened

    def _check_places(self) -> None:
        """Parts and holes lie one after the other: no byte is without a meaning."""
        places = sorted([*((p.offset, p.length) for p in self.index.parts), *self.index.holes])
        here = places[0][0] if places else self.end_of_parts
        for offset, length in places:
            if offset != here:
                raise VaultError("the vault holds bytes that its index does not tell of")
            here = offset + length
        if here != self.end_of_parts:
            raise VaultError("the vault holds bytes that its index does not tell of")


def open_vault(path: Path, locks: tuple[Lock, ...]) -> Vault:
    """Open a vault; a change that was killed is finished first.

    Raises
    ------
    InputError
        It is no vault, or cannot be read.
    VaultError
        It was cut, altered or put back, or none of the locks opens it.
    """
    if unfinished(path):
        with held(path):
            finish(path)
    tail = read_tail(path)
    key, lock = unlock_any(locks, list(tail.header["locks"]), lock_context(tail.vault))
    index = tail.open(key)
    check_seen(index)
    note_seen(index)
    by = f"{lock.kind} {lock.mark}".strip()
    return Vault(path, index, tail.header, by, tail.offset, tail.salt, key)


def logged(vault: Vault, act: str, people: Sequence[int], photos: int, reason: str) -> Vault:
    """The vault with one entry more in its log, on the disk before anything else happens."""
    entries = log.add(
        vault.index.log,
        vault.index.vault,
        act,
        people=people,
        photos=photos,
        key=vault.opened_by,
        reason=reason,
    )
    return written(vault, vault.index.next(log=entries))


def rekeyed(vault: Vault, locks: tuple[Lock, ...], reason: str = "") -> Vault:
    """The vault with another key, locked for other holders; the old locks open it no more.

    Copies that were made before keep their locks: destroy the old private keys as well.
    """
    entries = log.add(
        vault.index.log, vault.index.vault, "rekeyed", key=vault.opened_by, reason=reason
    )
    key = fresh()
    header = {**vault.header, "locks": lock_all(locks, key, lock_context(vault.index.vault))}
    return written(replace(vault, key=key, header=header), vault.index.next(log=entries))


def written(
    vault: Vault, index: Index, added: bytes = b"", holes: Sequence[tuple[int, int]] = ()
) -> Vault:
    """Put another index, and parts added before it, into the vault's file.

    Raises
    ------
    VaultError
        The vault was changed by somebody else meanwhile; nothing is written.
    """
    with held(vault.path):
        finish(vault.path)
        now = read_tail(vault.path)
        if now.salt != vault.state:
            raise VaultError("the vault was changed meanwhile; run the same command again")
        end = vault.end_of_parts + len(added)
        tail = tail_of(index, vault.header, vault.key, end)
        change(vault.path, vault.end_of_parts, added + tail, holes)
        state = read_tail(vault.path).salt
    note_seen(index)
    return replace(vault, index=index, end_of_parts=end, state=state)
