"""Keys in files: PEM, as openssl writes and reads them, private ones readable by their owner alone.

``openssl genpkey -algorithm x25519`` makes a key as good as ours.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ksame.errors import InputError
from ksame.files import write_bytes
from ksame.plugins import made, names_of, resolve
from ksame.vault.locks import KeyLock, Lock, PassphraseLock
from ksame.vault.sealing import need_cryptography

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

PASSPHRASE: Final = "passphrase"  # instead of a file: whoever knows it can open the vault
KEY_VARIABLE: Final = "KSAME_VAULT_KEY"  # names a key file, or is the word passphrase
PASSPHRASE_VARIABLE: Final = "KSAME_VAULT_PASSPHRASE"  # holds a passphrase
_BLOCKS: Final = re.compile(rb"-----BEGIN ([A-Z ]+)-----.+?-----END \1-----", re.S)
_PUBLIC: Final = 0o644

Ask = Callable[[], str]  # asks a person for a passphrase


def from_environment() -> str:
    """The passphrase that the environment holds.

    Raises
    ------
    InputError
        It holds none.
    """
    if found := os.environ.get(PASSPHRASE_VARIABLE):
        return found
    raise InputError(
        "a passphrase is needed and cannot be asked for here; run it in a terminal, or set "
        f"{PASSPHRASE_VARIABLE}"
    )


def find_locks(
    given: "str | Path | Lock | Sequence[Lock]", ask: Ask = from_environment
) -> tuple[Lock, ...]:
    """The locks that a key file, the word ``passphrase``, or a lock of one's own stands for.

    Raises
    ------
    InputError
        There is no such file, or it holds no key of the right kind.
    """
    if isinstance(given, Lock):
        return (given,)
    if isinstance(given, list | tuple):
        return tuple(given)
    if str(given) == PASSPHRASE:
        return (PassphraseLock(ask()),)
    path = Path(str(given))
    if not path.exists() and (":" in str(given) or str(given) in names_of("vault", {})):
        part = resolve("vault", str(given), {})
        return (made("vault", str(given), part, Lock),)  # type: ignore[type-abstract]
    found = tuple(_lock(key) for key in _keys(path, ask))
    if not found:
        raise InputError(f"{path.name} holds no key in PEM; make one with: ksame vault keygen")
    return found


_held: list[tuple[Lock, ...]] = []


@contextmanager
def holding(locks: tuple[Lock, ...]) -> Iterator[None]:
    """Let this process open ledgers in vaults with a key wherever none is given.

    For stages of a release that open a ledger deep inside (``persons``, ``continues``); the key
    itself is in no option, so that it cannot be written down with one.
    """
    _held.append(locks)
    try:
        yield
    finally:
        _held.pop()


def the_key(given: "str | Path | Lock | None", ask: Ask = from_environment) -> tuple[Lock, ...]:
    """What opens a vault: what was given, what is held, or what the environment names.

    Raises
    ------
    InputError
        Nothing is given, or it is no key.
    """
    if given is None and _held:
        return _held[-1]
    if given is None:
        given = os.environ.get(KEY_VARIABLE) or None
    if given is None:
        raise InputError(
            "a vault needs its key; name the file of the private key, or the word passphrase "
            f"(--key), or set {KEY_VARIABLE}"
        )
    return find_locks(given, ask)


def write_pair(path: Path, *, signing: bool = False, passphrase: str | None = None) -> Path:
    """Make a pair of keys: the private one at ``path``, the public one beside it with ``.pub``.

    Raises
    ------
    InputError
        One of the files exists: a key that is overwritten opens nothing any more.
    """
    need_cryptography()
    from cryptography.hazmat.primitives import serialization as pem
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

    public = path.with_name(path.name + ".pub")
    for file in (path, public):
        if file.exists() or file.is_symlink():
            raise InputError(f"{file.name} exists and is not overwritten; choose another name")
    private = Ed25519PrivateKey.generate() if signing else X25519PrivateKey.generate()
    hidden: Any = pem.NoEncryption()
    if passphrase is not None:
        PassphraseLock(passphrase)  # refuses a short one
        hidden = pem.BestAvailableEncryption(passphrase.encode())
    spki = pem.PublicFormat.SubjectPublicKeyInfo
    told = private.public_key().public_bytes(pem.Encoding.PEM, spki)
    write_bytes(public, told, _PUBLIC, clear_times=False)
    secret = private.private_bytes(pem.Encoding.PEM, pem.PrivateFormat.PKCS8, hidden)
    write_bytes(path, secret, clear_times=False, durable=True)
    return public


def read_signer(path: Path, ask: Ask = from_environment) -> "Ed25519PrivateKey":
    """The private key of a signer.

    Raises
    ------
    InputError
        The file holds none.
    """
    need_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    for key in _keys(path, ask):
        if isinstance(key, Ed25519PrivateKey):
            return key
    raise InputError(
        f"{path.name} holds no private Ed25519 key; make one with: ksame vault keygen --signing"
    )


def _lock(key: Any) -> Lock:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

    if isinstance(key, X25519PublicKey):
        return KeyLock(key)
    if isinstance(key, X25519PrivateKey):
        return KeyLock(key.public_key(), key)
    raise InputError(
        "a key of another kind cannot lock a vault (those for signing are Ed25519, those of vaults "
        "X25519); make one with: ksame vault keygen"
    )


def _keys(path: Path, ask: Ask) -> list[Any]:
    """Every key of a PEM file. No message tells what the file holds."""
    need_cryptography()
    from cryptography.hazmat.primitives.serialization import (
        load_pem_private_key,
        load_pem_public_key,
    )

    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"the key file {path.name} cannot be read ({error.strerror}); check the path"
        ) from None
    found: list[Any] = []
    for block in _BLOCKS.finditer(data):
        try:
            if block[1] == b"PUBLIC KEY":
                found.append(load_pem_public_key(block[0]))
            elif block[1] == b"ENCRYPTED PRIVATE KEY":
                found.append(load_pem_private_key(block[0], ask().encode()))
            else:
                found.append(load_pem_private_key(block[0], None))
        except InputError:
            raise
        except Exception as error:
            # the library raises several kinds for a damaged file, and their texts may hold parts
            raise InputError(
                f"a key in {path.name} cannot be read ({type(error).__name__}): it is damaged, or "
                "its passphrase is wrong"
            ) from None
    return found
