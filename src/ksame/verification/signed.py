"""Who stands for a certificate: the signatures beside it, and whether they are the right ones.

``OUT/certificate.sig`` is JSON: ``{"format": "ksame-signature-1", "signatures": [{"public_key":
..., "signature": ...}]}``, both in base64. Signed are the bytes of ``certificate.json`` as they
are, by Ed25519.
"""

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ksame.verification.documents import CERTIFICATE
from ksame.verification.ed25519 import is_signed
from ksame.verification.verdict import Finding

SIGNATURE: Final = "certificate.sig"
FORMAT: Final = "ksame-signature-1"
_MOST: Final = 16  # signatures; each is a room for bytes that say nothing
_LONGEST: Final = 8192  # bytes of the file
_PEM: Final = re.compile(r"-----BEGIN PUBLIC KEY-----(.+?)-----END PUBLIC KEY-----", re.S)
# how the 44 bytes of a public Ed25519 key begin in DER (RFC 8410)
_DER: Final = bytes.fromhex("302a300506032b6570032100")


@dataclass(frozen=True, slots=True)
class Signed:
    """One signature: who made it, and what it is."""

    public: bytes
    signature: bytes

    @property
    def signer(self) -> str:
        """How a key is named: the first 8 bytes of its sha256."""
        return hashlib.sha256(self.public).hexdigest()[:16]


def read_signers(path: str | Path) -> list[bytes]:
    """The public Ed25519 keys of a PEM file, 32 bytes each; empty where it holds none."""
    try:
        text = Path(path).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return []
    found = []
    for block in _PEM.findall(text):
        data = _decoded("".join(block.split()))
        if data is not None and data.startswith(_DER) and len(data) == len(_DER) + 32:
            found.append(data[len(_DER) :])
    return found


def read_signatures(out: Path) -> tuple[Signed, ...] | Finding:
    """The signatures of a release, none where there is no such file; or what is wrong with it."""
    path = out / SIGNATURE
    if not path.exists() and not path.is_symlink():
        return ()
    wrong = Finding(SIGNATURE, f"is no file of signatures of the format {FORMAT}")
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _LONGEST:
        return wrong
    try:
        value: Any = json.loads(path.read_text(encoding="ascii"))
        if set(value) != {"format", "signatures"} or value["format"] != FORMAT:
            return wrong
        if not 1 <= len(entries := value["signatures"]) <= _MOST:
            return wrong
        found = []
        for entry in entries:
            public, signature = _decoded(entry["public_key"]), _decoded(entry["signature"])
            if set(entry) != {"public_key", "signature"} or public is None or signature is None:
                return wrong
            found.append(Signed(public, signature))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return wrong
    return tuple(found)


def check_signatures(
    out: Path, found: tuple[Signed, ...] | Finding, wanted: Sequence[bytes] | None
) -> Iterator[Finding]:
    """Every signature is one of this certificate, and one is by a key that was asked for."""
    if isinstance(found, Finding):
        yield found
        return
    message = (out / CERTIFICATE).read_bytes()
    for one in found:
        if not is_signed(one.public, message, one.signature):
            yield Finding(
                SIGNATURE, f"the signature of key {one.signer} is not of this certificate"
            )
    if wanted is None:
        return
    if not found:
        yield Finding(SIGNATURE, "is missing, and the release is to be signed")
    elif not {one.public for one in found} & set(wanted):
        yield Finding(SIGNATURE, "is by none of the keys that were asked for")


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError, TypeError):
        return None
