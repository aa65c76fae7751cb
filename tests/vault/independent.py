"""A second reader of vaults, written from docs/vault.md alone with another library's ciphers."""

import json
import struct
import zlib

from Crypto.Cipher import AES
from Crypto.Hash import SHA256
from Crypto.Protocol import HPKE
from Crypto.Protocol.KDF import HKDF, scrypt
from Crypto.PublicKey import ECC

CHUNK = 1 << 20


def derive(secret, salt, purpose):
    return HKDF(secret, 32, salt, SHA256, context=b"ksame-vault-1 " + purpose)


def unseal(data, key, context):
    plain, number = b"", 0
    while True:
        chunk, data = data[: CHUNK + 16], data[CHUNK + 16 :]
        nonce = number.to_bytes(11, "big") + (b"\0" if data else b"\1")
        cipher = AES.new(key, AES.MODE_GCM, nonce=nonce)
        cipher.update(context)
        plain += cipher.decrypt_and_verify(chunk[:-16], chunk[-16:])
        if not data:
            return plain
        number += 1


def by_private_key(pem):
    """What unlocks entries of kind x25519."""
    private = ECC.import_key(pem)

    def unlock(locked, context):
        receiver = HPKE.new(
            receiver_key=private, aead_id=HPKE.AEAD.AES256_GCM, enc=locked[:32], info=context
        )
        return receiver.unseal(locked[32:])

    return unlock


def by_passphrase(text):
    """What unlocks entries of kind scrypt."""

    def unlock(locked, context):
        cost, salt, sealed = locked[0], locked[1:17], locked[17:]
        slow = scrypt(text, salt, 32, N=1 << cost, r=8, p=1)
        return unseal(sealed, derive(slow, salt, b"passphrase"), context)

    return unlock


def read_vault(data, kind, unlock):
    """Everything that a vault holds: the index as JSON, and (index entry, content) of each part.

    The content of a part that cannot be opened any more is None.
    """
    magic, version, zero, vault = struct.unpack(">8sI4s16s", data[:32])
    assert (magic, version, zero) == (b"KSAMEVLT", 1, b"\0" * 4)
    offset, length, end = struct.unpack(">QQ16s", data[-32:])
    assert end == b"ksame-vault-end\n"
    assert offset + length + 32 == len(data)
    tail = data[offset : offset + length]
    (told,) = struct.unpack(">I", tail[:4])
    header = json.loads(tail[4 : 4 + told])
    (entry,) = [entry for entry in header["locks"] if entry["kind"] == kind]
    key = unlock(bytes.fromhex(entry["locked"]), b"ksame-vault-1" + vault)
    salt, sealed = tail[4 + told : 36 + told], tail[36 + told :]
    bound = data[:32] + tail[: 4 + told] + data[-32:]
    index = json.loads(zlib.decompress(unseal(sealed, derive(key, salt, b"index"), bound)))
    return index, [(part, _content(data, vault, index, part)) for part in index["parts"]]


def _content(data, vault, index, part):
    kind, photo, people, offset, length, salt, face, end = part
    if kind == "ledger":
        secret = bytes.fromhex(index["book"])
    else:
        keys = [index["people"][number][1] for number in people]
        if None in keys:
            return None
        secret = bytes.fromhex("".join(keys) or index["scene"])
    context = json.dumps([vault.hex(), kind, photo, people, face, end], separators=(",", ":"))
    key = derive(secret, bytes.fromhex(salt), b"part")
    content = unseal(data[offset : offset + length], key, context.encode())
    return zlib.decompress(content) if kind == "ledger" else content
