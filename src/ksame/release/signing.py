"""The signature of a certificate: who stands for a release.

A certificate's digests cover every file of the release; a signature covers the certificate. It is
written beside it as ``certificate.sig``, whose format `ksame.verification.signed` tells.
"""

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ksame.errors import InputError
from ksame.files import write_json
from ksame.release.certificate import CERTIFICATE, read_certificate

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SIGNATURE: Final = "certificate.sig"
FORMAT: Final = "ksame-signature-1"


def sign(out: Path, key: "Ed25519PrivateKey") -> Path:
    """Sign the certificate of a release; other people's signatures stay, one's own is replaced.

    Guarantee: a release that its verifier refuses is not signed.

    Raises
    ------
    InputError
        The folder holds no release, or one whose files are not those of its certificate.
    """
    from ksame.verification import verify

    read_certificate(out)
    public = _text(key.public_key().public_bytes_raw())
    others = [entry for entry in _entries(out) if entry.get("public_key") != public]
    findings = [found for found in verify(out).findings if found.where != SIGNATURE]
    if findings:
        raise InputError(
            f"{findings[0].where} {findings[0].what}; a release that does not hold is not signed"
        )
    signature = key.sign((out / CERTIFICATE).read_bytes())
    entries = [*others, {"public_key": public, "signature": _text(signature)}]
    path = out / SIGNATURE
    write_json(path, {"format": FORMAT, "signatures": entries}, 0o644)
    return path


def _entries(out: Path) -> list[dict[str, Any]]:
    """The signatures that are there; those of another certificate are left out."""
    from ksame.verification.ed25519 import is_signed

    message = (out / CERTIFICATE).read_bytes()
    try:
        entries = json.loads((out / SIGNATURE).read_text(encoding="ascii"))["signatures"]
        return [
            entry
            for entry in entries
            if is_signed(
                base64.b64decode(entry["public_key"]), message, base64.b64decode(entry["signature"])
            )
        ]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
