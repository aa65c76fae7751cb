"""The log of a vault: who was revealed, when and why, each entry bound to all before it.

An entry holds the digest of the one before it, so that none can be changed, left out or put in
between without changing the last digest. The log lies in the sealed index: without a key nobody
can write one. Who has a key could write a whole new log; that shows against any digest that was
kept elsewhere, and every change prints its own. People are told by their number in the vault, which
says nothing any more once they are erased.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from ksame.errors import VaultError


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was done with a vault.

    ``key`` is the mark of the key that opened it, ``before`` the digest of the entry before it.
    """

    number: int
    time: str
    act: str
    people: tuple[int, ...]
    photos: int
    key: str
    reason: str
    before: str

    @property
    def digest(self) -> str:
        """Sha256 of the entry, the digest before it included."""
        told = json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(told.encode()).hexdigest()

    def as_json(self) -> dict[str, Any]:
        """The entry as it is written."""
        return {**asdict(self), "people": list(self.people)}


def first_digest(vault: bytes) -> str:
    """What the first entry of a vault is bound to."""
    return hashlib.sha256(b"ksame-vault-1 log " + vault).hexdigest()


def head_of(log: Sequence[Entry], vault: bytes) -> str:
    """The digest that stands for the whole log."""
    return log[-1].digest if log else first_digest(vault)


def add(
    log: Sequence[Entry],
    vault: bytes,
    act: str,
    *,
    people: Sequence[int] = (),
    photos: int = 0,
    key: str = "",
    reason: str = "",
) -> tuple[Entry, ...]:
    """The log with one entry more."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    entry = Entry(
        len(log) + 1, now, act, tuple(sorted(people)), photos, key, reason, head_of(log, vault)
    )
    return (*log, entry)


def read_log(told: Sequence[dict[str, Any]], vault: bytes) -> tuple[Entry, ...]:
    """The log as values, its chain checked.

    Raises
    ------
    VaultError
        The chain is broken.
    """
    before, log = first_digest(vault), []
    for number, raw in enumerate(told, 1):
        entry = Entry(**{**raw, "people": tuple(raw["people"])})
        if entry.number != number or entry.before != before:
            raise VaultError("the log of the vault was altered: its chain is broken")
        log.append(entry)
        before = entry.digest
    return tuple(log)
