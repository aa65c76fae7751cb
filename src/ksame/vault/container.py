"""The file of a vault, byte by byte (docs/vault.md), and how it is changed without being torn.

start  | 8 magic | 4 version | 4 zero | 16 number of the vault |
parts  | sealed streams, one after the other; only the index tells where each begins |
tail   | 4 length of the header | header (JSON, readable) | 32 salt | index, sealed |
end    | 8 where the tail begins | 8 its length | 16 magic |

Start, header and end are bound to the index: altering one of their bytes is noticed by whoever
opens the vault. Parts never move. A change writes a new tail over the old one and zeros over parts
that are erased. It is written into a journal beside the vault first, so that a change that was
killed is finished when the vault is opened next.
"""

import hashlib
import json
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

from ksame.errors import InputError, VaultError
from ksame.vault.index import Index, read_index
from ksame.vault.sealing import KEY, derive, fresh, seal_bytes, sealed_length, unseal_bytes

FORMAT: Final = "ksame-vault-1"
MAGIC: Final = b"KSAMEVLT"
_START: Final = struct.Struct(">8sI4x16s")
_END: Final = struct.Struct(">QQ16s")
_END_MAGIC: Final = b"ksame-vault-end\n"
_LENGTH: Final = struct.Struct(">I")
_JOURNAL: Final = struct.Struct(">8s16sQI")
_JOURNAL_MAGIC: Final = b"KSAMEJNL"
_HOLE: Final = struct.Struct(">QQ")
_ZEROS: Final = bytes(1 << 20)
_MOST_HEADER: Final = 1 << 20  # bytes: thousands of locks
START_LENGTH: Final = _START.size
VERSION: Final = 1

_CUT: Final = "the vault is cut, or something was added to it; take a good copy of it"
_NONE: Final = "is no vault of ksame's; name the file OUT.vault beside the release"


@dataclass(frozen=True, slots=True)
class Tail:
    """What everybody can read of a vault: its number, its header, and the index as it is sealed."""

    vault: bytes
    offset: int
    header: Mapping[str, Any] = field(repr=False)
    salt: bytes = field(repr=False)
    sealed: bytes = field(repr=False)
    bound: bytes = field(repr=False)

    def open(self, key: bytes) -> Index:
        """The index.

        Raises
        ------
        VaultError
            The vault was altered, or this is not its key.
        """
        data = unseal_bytes(self.sealed, derive(key, self.salt, "index"), self.bound)
        return read_index(data, self.vault)


def start_of(vault: bytes) -> bytes:
    """The first 32 bytes of a vault's file."""
    return _START.pack(MAGIC, VERSION, vault)


def tail_of(index: Index, header: Mapping[str, Any], key: bytes, offset: int) -> bytes:
    """The bytes from the tail to the end of the file, sealed with a key that is used this once."""
    told = json.dumps(header, sort_keys=True, separators=(",", ":")).encode()
    told, salt, plain = _LENGTH.pack(len(told)) + told, fresh(), index.as_bytes()
    length = len(told) + KEY + sealed_length(len(plain))
    end = _END.pack(offset, length, _END_MAGIC)
    bound = start_of(index.vault) + told + end
    return told + salt + seal_bytes(plain, derive(key, salt, "index"), bound) + end


def is_vault(path: Path) -> bool:
    """Whether a file begins like a vault."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def read_tail(path: Path) -> Tail:
    """Read what can be read without a key.

    Raises
    ------
    InputError
        There is no such file, or it is no vault.
    VaultError
        The file was cut or altered.
    """
    try:
        with path.open("rb") as file:
            return _read_tail(file)
    except OSError as error:
        raise InputError(f"the vault {path.name} cannot be read ({error.strerror})") from None
    except _NoVault:
        raise InputError(f"{path.name} {_NONE}") from None


class _NoVault(Exception):
    """The file does not begin like a vault."""


def _read_tail(file: BinaryIO) -> Tail:
    start = file.read(_START.size)
    if start[: len(MAGIC)] != MAGIC:
        raise _NoVault
    size = file.seek(0, os.SEEK_END)
    if size < _START.size + _END.size:
        raise VaultError(_CUT)
    _, version, vault = _START.unpack(start)
    if version != VERSION:
        raise VaultError(f"the vault is of version {version}, not {VERSION}; use a newer ksame")
    file.seek(size - _END.size)
    end = file.read(_END.size)
    offset, length, magic = _END.unpack(end)
    if magic != _END_MAGIC or offset < _START.size or offset + length + _END.size != size:
        raise VaultError(_CUT)
    file.seek(offset)
    tail = file.read(length)
    (told,) = _LENGTH.unpack(tail[: _LENGTH.size].ljust(_LENGTH.size, b"\0"))
    split = _LENGTH.size + told
    if told > _MOST_HEADER or split + KEY > length:
        raise VaultError(_CUT)
    header = _read_header(tail[_LENGTH.size : split])
    salt, sealed = tail[split : split + KEY], tail[split + KEY :]
    return Tail(vault, offset, header, salt, sealed, start + tail[:split] + end)


def _read_header(data: bytes) -> dict[str, Any]:
    """The header, every entry of which is used before the index has proved it true."""
    try:
        header: dict[str, Any] = json.loads(data)
        fine = header["format"] == FORMAT and all(
            isinstance(header[name], str) for name in ("certificate", "job")
        )
        for entry in header["locks"]:
            bytes.fromhex(entry["locked"])
            fine &= isinstance(entry["kind"], str) and isinstance(entry["mark"], str)
    except (ValueError, KeyError, TypeError, RecursionError):
        fine = False
    if not fine:
        raise VaultError("the header of the vault was altered or is of another version")
    return header


def journal_of(path: Path) -> Path:
    """Where a change is written down before it is made."""
    return path.with_name(path.name + ".journal")


def unfinished(path: Path) -> bool:
    """Whether a change of the vault was killed."""
    return journal_of(path).exists() or _part_of(journal_of(path)).exists()


def _part_of(journal: Path) -> Path:
    """The journal while it is written: such a change was not begun."""
    return journal.with_name(journal.name + ".part")


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a vault, so that two changes do not meet.

    Raises
    ------
    InputError
        Somebody else holds it, or its folder cannot be written.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_name(f".{path.name}.lock"), timeout=0, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        raise InputError(f"{path.name} is being changed by somebody else; try again") from None
    except OSError as error:
        raise InputError(
            f"the folder of {path.name} cannot be written ({error.strerror}), and nothing is "
            "revealed that is not logged; copy the vault to where it can be written"
        ) from None
    try:
        yield
    finally:
        lock.release()


def change(path: Path, offset: int, tail: bytes, holes: Sequence[tuple[int, int]] = ()) -> None:
    """Write a new tail, and zeros over the holes; the vault must be held.

    Whenever this is killed, the vault is as before or, once it is opened, as asked.
    """
    journal = journal_of(path)
    body = _JOURNAL.pack(_JOURNAL_MAGIC, read_tail(path).vault, offset, len(holes))
    body += b"".join(_HOLE.pack(*hole) for hole in holes) + tail
    part = _part_of(journal)
    handle = os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(body + hashlib.sha256(body).digest())
        file.flush()
        os.fsync(file.fileno())
    part.replace(journal)
    finish(path)


def finish(path: Path) -> None:
    """Make the change that a journal tells, if there is one; the vault must be held.

    Raises
    ------
    VaultError
        The journal is not this vault's, or damaged.
    """
    journal = journal_of(path)
    _part_of(journal).unlink(missing_ok=True)
    if not journal.is_file():
        return
    body, digest = (data := journal.read_bytes())[:-32], data[-32:]
    with path.open("r+b") as file:
        vault = _START.unpack(file.read(_START.size).ljust(_START.size, b"\0"))[2]
        if hashlib.sha256(body).digest() != digest or body[: len(MAGIC)] != _JOURNAL_MAGIC:
            raise VaultError(f"{journal.name} is damaged; restore the vault from a copy")
        size = file.seek(0, os.SEEK_END)
        owner, offset, holes, tail = _read_journal(body)
        if owner != vault:
            raise VaultError(f"{journal.name} belongs to another vault; move it away")
        # nothing outside of the vault: zeros without end would fill the disk
        outside = any(at < _START.size or at + n > size for at, n in (*holes, (offset, 0)))
        if outside or not tail.endswith(_END_MAGIC):
            raise VaultError(f"{journal.name} is damaged; restore the vault from a copy")
        for hole in holes:
            _wipe(file, *hole)
        # what is cut off stays on the disk: the old keys must not be among it
        _wipe(file, offset, size - offset)
        file.flush()
        os.fsync(file.fileno())
        file.seek(offset)
        file.write(tail)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())
    journal.unlink()


def _read_journal(body: bytes) -> tuple[bytes, int, list[tuple[int, int]], bytes]:
    """Whose change it is, where the new tail begins, what is erased, and the tail."""
    try:
        _, owner, offset, count = _JOURNAL.unpack(body[: _JOURNAL.size])
        end = _JOURNAL.size + count * _HOLE.size
        holes = [(at, length) for at, length in _HOLE.iter_unpack(body[_JOURNAL.size : end])]
        if len(holes) != count:
            raise ValueError
    except (struct.error, ValueError):
        raise VaultError("the vault's journal is damaged; restore the vault from a copy") from None
    return owner, offset, holes, body[end:]


def _wipe(file: BinaryIO, offset: int, length: int) -> None:
    """Write zeros over a part."""
    file.seek(offset)
    while length > 0:
        length -= file.write(_ZEROS[:length])
