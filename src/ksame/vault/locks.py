"""Who can open a vault: the holders of private keys, or whoever knows a passphrase.

A vault has one random key of its own. A lock hides that key so that only its holder finds it
again. Locks for public keys need no secret, so that the machine that makes a release cannot open
what it wrote.
"""

import hashlib
import secrets
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from ksame.errors import InputError, VaultError
from ksame.vault.sealing import KEY, derive, need_cryptography, seal_bytes, unseal_bytes

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.hpke import Suite

LEAST_PASSPHRASE: Final = 12  # characters; a vault can be guessed at without anybody noticing
# scrypt with 2**17 * 8 * 128 bytes: half a second and 128 MB a guess
SCRYPT_COST: Final = 17
_MOST_COST: Final = 20  # a forged header cannot ask for more than 1 GB
_BLOCK: Final = 8
_SALT: Final = 16  # bytes


@runtime_checkable
class Lock(Protocol):
    """What hides the key of a vault, and finds it again.

    A lock of one's own asks, for instance, a key server or a smart card; see docs/extending.md.
    """

    @property
    def kind(self) -> str:
        """Which kind of lock it is, told in the vault for everybody to read."""
        ...

    @property
    def mark(self) -> str:
        """Which key it is, told for everybody to read; empty where that would tell too much."""
        ...

    def lock(self, key: bytes, context: bytes) -> bytes:
        """Hide 32 bytes; ``context`` is public and must be given again."""
        ...

    def unlock(self, locked: bytes, context: bytes) -> bytes | None:
        """The bytes that were hidden; None where this holder cannot find them."""
        ...


@dataclass(frozen=True, slots=True)
class KeyLock:
    """A pair of X25519 keys, or the public one alone, which can lock and not unlock.

    The key is hidden by HPKE (RFC 9180, base mode) with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256
    and AES-256-GCM.
    """

    public: "X25519PublicKey" = field(repr=False)
    private: "X25519PrivateKey | None" = field(default=None, repr=False)

    @property
    def kind(self) -> str:
        """HPKE with X25519."""
        return "x25519"

    @property
    def mark(self) -> str:
        """The first 8 bytes of the public key's sha256."""
        return hashlib.sha256(self.public.public_bytes_raw()).hexdigest()[:16]

    def lock(self, key: bytes, context: bytes) -> bytes:
        """32 bytes of an ephemeral public key, then the sealed key."""
        return bytes(_suite().encrypt(key, self.public, info=context))

    def unlock(self, locked: bytes, context: bytes) -> bytes | None:
        """None for another private key, or without one."""
        from cryptography.exceptions import InvalidTag

        if self.private is None:
            return None
        try:
            return bytes(_suite().decrypt(locked, self.private, info=context))
        except (InvalidTag, ValueError):
            return None


def _suite() -> "Suite":
    need_cryptography()
    from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite

    return Suite(KEM.X25519, KDF.HKDF_SHA256, AEAD.AES_256_GCM)


@dataclass(frozen=True, slots=True)
class PassphraseLock:
    """A passphrase, slowed down by scrypt; ``cost`` is the logarithm of scrypt's N."""

    passphrase: str = field(repr=False)
    cost: int = SCRYPT_COST

    def __post_init__(self) -> None:
        if len(self.passphrase) < LEAST_PASSPHRASE:
            raise InputError(
                f"a passphrase has at least {LEAST_PASSPHRASE} characters: who has the vault can "
                "try as many as there is time for. Take several words"
            )

    @property
    def kind(self) -> str:
        """Scrypt and AES-256-GCM."""
        return "scrypt"

    @property
    def mark(self) -> str:
        """A digest of a passphrase would help to guess it."""
        return ""

    def lock(self, key: bytes, context: bytes) -> bytes:
        """One byte of cost, 16 bytes of salt, then the sealed key."""
        salt = secrets.token_bytes(_SALT)
        head = bytes([self.cost]) + salt
        return head + seal_bytes(key, self._key(self.cost, salt), context)

    def unlock(self, locked: bytes, context: bytes) -> bytes | None:
        """None for another passphrase."""
        if len(locked) <= _SALT + 1 or not 1 <= locked[0] <= _MOST_COST:
            return None
        salt = locked[1 : _SALT + 1]
        try:
            return unseal_bytes(locked[_SALT + 1 :], self._key(locked[0], salt), context)
        except VaultError:
            return None

    def _key(self, cost: int, salt: bytes) -> bytes:
        # one passphrase has several byte forms: keyboards differ in how they write an accent
        text = unicodedata.normalize("NFC", self.passphrase).encode()
        memory = (1 << cost) * _BLOCK * 128
        slow = hashlib.scrypt(
            text, salt=salt, n=1 << cost, r=_BLOCK, p=1, maxmem=memory + (1 << 20), dklen=32
        )
        return derive(slow, salt, "passphrase")


def lock_all(locks: "tuple[Lock, ...]", key: bytes, context: bytes) -> list[dict[str, str]]:
    """The key of a vault hidden by every lock, as the header tells it."""
    return [
        {"kind": lock.kind, "mark": lock.mark, "locked": lock.lock(key, context).hex()}
        for lock in locks
    ]


def unlock_any(
    locks: "tuple[Lock, ...]", told: list[dict[str, Any]], context: bytes
) -> tuple[bytes, Lock]:
    """The key of a vault, and the first lock that finds it.

    Raises
    ------
    VaultError
        None of the locks opens the vault.
    """
    for entry in told:
        for lock in locks:
            if entry["kind"] == lock.kind and entry["mark"] == lock.mark:
                key = lock.unlock(bytes.fromhex(entry["locked"]), context)
                if key is not None and len(key) == KEY:
                    return key, lock
    given = {lock.kind for lock in locks}
    known = {(entry["kind"], entry["mark"]) for entry in told}
    if any((lock.kind, lock.mark) in known for lock in locks) and "scrypt" in given:
        raise VaultError("the passphrase is wrong, or the vault was altered; type it again")
    if any((lock.kind, lock.mark) in known for lock in locks):
        raise VaultError(
            "the vault is locked for this key, but it does not open: either this is the public "
            "half alone, or the vault was altered"
        )
    wanted = ", ".join(sorted({f"{kind} {mark}".strip() for kind, mark in known}))
    raise VaultError(f"this key does not open the vault, which is locked for: {wanted}")
