"""A small vault for the fuzzer: pictures of noise, sealed for a key, opened to the last byte."""

import hashlib
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from tools.fuzz.mutate import mutate_bytes

from ksame.files import write_json

_SIDE = 40  # px of a picture
_SUM = 32  # bytes at the end of a journal
_PEOPLE = ("ada", "bob", "eve")


def make_small_vault(root: Path) -> tuple[Path, Path]:
    """A vault of three people and the private key that opens it.

    What is noted of vaults that were seen goes to a folder of its own from now on.
    """
    from ksame.vault import Contents, find_locks, make_vault, write_pair

    os.environ["XDG_STATE_HOME"] = str(root / "state")
    out, book = _release(root)
    write_pair(root / "key")
    vault = root / "small.vault"
    make_vault(vault, find_locks(root / "key.pub"), Contents(book, out, root / "sealed", 10**6))
    return vault, root / "key"


def opener(root: Path, key: Path) -> Callable[[bytes], None]:
    """Opens a vault, checks every part of it and reads its ledger."""
    from ksame.vault import find_locks, open_vault

    locks, path = find_locks(key), root / "case.vault"

    def read(data: bytes) -> None:
        path.write_bytes(data)
        vault = open_vault(path, locks)
        vault.check()
        vault.ledger()

    return read


def journal_finisher(root: Path, vault: Path, key: Path) -> Callable[[bytes], None]:
    """Opens a vault whose last change was killed: its journal is what is mutated."""
    from ksame.vault.container import journal_of

    whole, path, read = vault.read_bytes(), root / "case.vault", opener(root, key)

    def finish(data: bytes) -> None:
        journal = journal_of(path)
        journal.write_bytes(data)
        try:
            read(whole)
        finally:
            journal.unlink(missing_ok=True)

    return finish


def mutate_journal(data: bytes, dice: random.Random) -> bytes:
    """A journal with other numbers or bytes in it, most of them with a sum that fits again."""
    body = bytearray(data[:-_SUM])
    if dice.random() < 0.5:
        at = dice.choice((24, 28, 32, 36, 40, 44, 48))  # where a number or half of one begins
        body[at : at + 4] = dice.choice((0, 1, 31, 32, 4096, 2**31, 2**32 - 1)).to_bytes(4)
    else:
        body = bytearray(mutate_bytes(bytes(body), dice))
    end = hashlib.sha256(body).digest() if dice.random() < 0.9 else data[-_SUM:]
    return bytes(body) + end


def make_journal(vault: Path) -> bytes:
    """The journal of a change that is not made: the same tail once more, and one hole."""
    from ksame.vault import container

    tail, whole = container.read_tail(vault), vault.read_bytes()
    finish, kept = container.finish, {}

    def keep(path: Path) -> None:
        kept["journal"] = container.journal_of(path).read_bytes()
        container.journal_of(path).unlink()

    container.finish = keep
    try:
        container.change(vault, tail.offset, whole[tail.offset :], [(tail.offset, 0)])
    finally:
        container.finish = finish
    return kept["journal"]


def _release(root: Path) -> tuple[Path, dict[str, Any]]:
    """A folder with certificate, and the ledger."""
    draw, out, originals = np.random.default_rng(0), root / "noise", root / "originals"
    out.mkdir()
    originals.mkdir()
    files, digests, faces = {}, {}, []
    for number, person in enumerate(_PEOPLE):
        name = f"00000{number}.png"
        rgb = draw.integers(1, 256, (_SIDE, _SIDE, 3), dtype=np.uint8)
        Image.fromarray(rgb).save(originals / name)
        rgb[8:24, 8:24] = 0
        Image.fromarray(rgb).save(out / name)
        files[name] = str(originals / name)
        digests[name] = hashlib.sha256((originals / name).read_bytes()).hexdigest()
        told = {"file": name, "box": [8.0, 8.0, 24.0, 24.0], "points": [[12.0, 12.0]] * 5}
        faces.append({**told, "person": person, "group": 0, "hidden": None, "numbers": None})
    certificate = {"format": "ksame-certificate-2", "files": digests, "digest": "0" * 64}
    write_json(out / "certificate.json", certificate)
    group = {"group": 0, "people": list(_PEOPLE), "others": [], "donors": []}
    book = {"format": "ksame-ledger-2", "certificate": "0" * 64, "job": "0123", "files": files,
            "originals": digests, "faces": faces, "groups": [group], "withheld": [],
            "uncertain": []}  # fmt: skip
    return out, book
