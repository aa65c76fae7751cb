"""Sealed bytes: AES-256-GCM in chunks, each key used for one stream and never again.

A stream is cut into chunks of 1 MiB. Every chunk is encrypted with AES-256-GCM; its nonce is its
number (11 bytes) and a last byte that is 1 for the last chunk alone. Chunks that are altered,
left out, doubled or in another order do not open, and a stream that was cut lacks its last chunk.
A key is derived from a secret and 32 fresh random bytes, so that no key, and with it no nonce, is
ever used twice.
"""

import io
import secrets
from collections.abc import Iterator
from typing import BinaryIO, Final

from ksame.errors import InputError, VaultError

CHUNK: Final = 1 << 20  # bytes: small enough for any memory, large enough for any disk
TAG: Final = 16  # bytes that a chunk grows by
KEY: Final = 32  # bytes of every key and salt
_PURPOSE: Final = b"ksame-vault-1 "
_ALTERED: Final = "the vault was altered or is damaged; take a good copy of it"


def fresh() -> bytes:
    """32 random bytes of the system: a key, or a salt."""
    return secrets.token_bytes(KEY)


def need_cryptography() -> None:
    """Refuse to go on without the package that encrypts.

    Raises
    ------
    InputError
        It is not installed; the message says how to.
    """
    try:
        import cryptography.hazmat.primitives.hpke  # noqa: F401
    except ImportError:
        raise InputError(
            "vaults and signatures need the package cryptography, version 47 or newer, which is "
            'not installed. Run: pip install "ksame[vault]"'
        ) from None


def derive(secret: bytes, salt: bytes, purpose: str) -> bytes:
    """A key for one purpose: HKDF-SHA256 of a secret."""
    need_cryptography()
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), KEY, salt, _PURPOSE + purpose.encode()).derive(secret)


def sealed_length(length: int) -> int:
    """How long a stream of so many bytes becomes."""
    chunks = max(-(-length // CHUNK), 1)
    return length + chunks * TAG


def seal(source: BinaryIO, sink: BinaryIO, key: bytes, context: bytes) -> int:
    """Encrypt a stream; returns how many bytes were written.

    ``key`` must be used for this stream alone. ``context`` is not kept; it must be given again.
    """
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    cipher, number, written = AESGCM(key), 0, 0
    chunk = source.read(CHUNK)
    while True:
        following = source.read(CHUNK)
        data = cipher.encrypt(_nonce(number, last=not following), chunk, context)
        sink.write(data)
        written += len(data)
        if not following:
            return written
        chunk, number = following, number + 1


def unseal(source: BinaryIO, length: int, key: bytes, context: bytes) -> Iterator[bytes]:
    """Decrypt a stream of so many bytes, chunk by chunk; each is known to be true.

    Raises
    ------
    VaultError
        The stream was altered or cut, or this is not its key.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    cipher, number = AESGCM(key), 0
    while True:
        chunk = source.read(min(CHUNK + TAG, length))
        length -= CHUNK + TAG
        try:
            yield cipher.decrypt(_nonce(number, last=length <= 0), chunk, context)
        except InvalidTag:
            raise VaultError(_ALTERED) from None
        if length <= 0:
            return
        number += 1


def seal_bytes(data: bytes, key: bytes, context: bytes) -> bytes:
    """Encrypt bytes; see `seal`."""
    sink = io.BytesIO()
    seal(io.BytesIO(data), sink, key, context)
    return sink.getvalue()


def unseal_bytes(data: bytes, key: bytes, context: bytes) -> bytes:
    """Decrypt bytes; see `unseal`."""
    return b"".join(unseal(io.BytesIO(data), len(data), key, context))


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11) + bytes([last])
