"""A content-addressed store for what the passes of a release keep.

A value is named by the digest of everything that it was made from, never by a number or a place:
two runs that ask for the same thing find the same file, and two runs that ask for different things
cannot find each other's. Files are safetensors, so that they can be read on another machine and
by other tools. Each holds a sum of its own bytes and its key: what was damaged, cut off or put in
another's place after a kill counts as not kept, and is made again.
"""

import errno
import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from ksame.arrays import Array
from ksame.files import write_bytes

_SUFFIX = ".safetensors"
_NOTE = "note"  # the entry of a file's metadata that holds the note as JSON
_SUM = "sum"  # ... and the one that holds the sha256 of the key and of the file without this entry
_NO_SUM = b"0" * 64
_AT = f'"{_SUM}":"'.encode()  # quotes inside of other entries are escaped: it occurs once


def key_of(*parts: object) -> str:
    """The name of what was made from these parts: sha256 of their one JSON form.

    Parts are anything that JSON can hold; what a result depends on must be among them, the version
    of the code that makes it too.
    """
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Store:
    """Named arrays and a note per key, in a private folder; small enough to travel with a task."""

    root: Path = field(repr=False)

    def save(self, kind: str, key: str, arrays: Mapping[str, Array], note: object = None) -> None:
        """Keep arrays of numbers and a note (anything that JSON can hold).

        The file is seen complete or not at all, and by its owner alone.
        """
        rows = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        if objects := [name for name, array in rows.items() if array.dtype.hasobject]:
            raise TypeError(f"{objects[0]} holds objects; only numbers can be kept")
        # contiguous copies of single numbers would have a dimension more
        shaped = {name: rows[name].reshape(np.shape(arrays[name])) for name in rows}
        path = self._path(kind, key)
        # the root must be there: a worker that was given up must not bring a removed store back
        path.parent.mkdir(exist_ok=True)
        data = save(shaped, {_NOTE: json.dumps(note), _SUM: _NO_SUM.decode()})
        write_bytes(path, data.replace(_AT + _NO_SUM, _AT + _sum(key, data), 1))

    def note(self, kind: str, key: str) -> Any:
        """The note under a key; None where nothing, or nothing undamaged, is kept."""
        path = self._path(kind, key)
        try:
            if not _is_whole(key, path.read_bytes()):
                return None
            with safe_open(path, "np") as file:
                return json.loads((file.metadata() or {}).get(_NOTE, "null"))
        except (OSError, SafetensorError, ValueError):
            return None

    def load(
        self,
        kind: str,
        key: str,
        start: str = "",
        names: Collection[str] | None = None,
        without: Collection[str] = (),
    ) -> dict[str, Array]:
        """The arrays under a key whose names begin with ``start``, without that beginning.

        With ``names`` only those are read, and none of ``without``.

        Raises
        ------
        OSError
            Nothing is kept under the key, or it was damaged meanwhile.
        """
        found = {}
        try:
            with safe_open(self._path(kind, key), "np") as file:
                if names is not None:
                    return {name: file.get_tensor(start + name) for name in names}
                for name in file.keys():  # noqa: SIM118 (the handle is no mapping)
                    rest = name.removeprefix(start)
                    if name.startswith(start) and rest not in without:
                        found[rest] = file.get_tensor(name)
        except SafetensorError as error:  # damaged since its note was read
            raise OSError(errno.EIO, "what was kept is damaged") from error
        return found

    def _path(self, kind: str, key: str) -> Path:
        return self.root / kind / f"{key}{_SUFFIX}"


def _sum(key: str, data: bytes) -> bytes:
    """The sum of a file that holds none yet."""
    return hashlib.sha256(key.encode() + data).hexdigest().encode()


def _is_whole(key: str, data: bytes) -> bool:
    """Whether these are the bytes that were kept under this key."""
    at = data.find(_AT) + len(_AT)
    told = data[at : at + len(_NO_SUM)]
    return told == _sum(key, data[:at] + _NO_SUM + data[at + len(told) :])
