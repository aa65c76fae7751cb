"""Named arrays and a note in one private file, of which single ones can be read.

A length, the note and a table of contents as JSON, and the bytes of the arrays. NumPy's own format
for several arrays is a zip file, and opening one takes longer than reading a face.
"""

import json
from collections.abc import Collection
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ksame.release.scratch import replacing

Arrays = dict[str, npt.NDArray[Any]]
SUFFIX = ".arrays"


def save_arrays(path: Path, arrays: Arrays, note: object = None) -> None:
    """Save named arrays of numbers so that the file is seen complete or not at all.

    ``note`` is anything that JSON can hold.
    """
    rows = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    if objects := [name for name, array in rows.items() if array.dtype.hasobject]:
        raise TypeError(f"{objects[0]} holds objects; only numbers can be saved")
    shapes = {name: (array.dtype.str, np.shape(arrays[name])) for name, array in rows.items()}
    contents = json.dumps([note, shapes]).encode()
    with replacing(path, 0o600) as file, file.open("wb") as handle:
        handle.write(len(contents).to_bytes(8, "little"))
        handle.write(contents)
        for array in rows.values():
            handle.write(array.data)


def load_arrays(
    path: Path, start: str = "", names: Collection[str] | None = None, but: Collection[str] = ()
) -> Arrays:
    """Load what :func:`save_arrays` saved: the arrays whose names begin with ``start``.

    The names come without that beginning; with ``names`` only those are read, and none of ``but``.
    """
    found = {}
    with path.open("rb") as handle:
        _, contents = _head(handle)
        for name, (kind, shape) in contents.items():
            size = np.dtype(kind).itemsize * prod(shape)
            rest = name.removeprefix(start)
            if name.startswith(start) and (names is None or rest in names) and rest not in but:
                found[rest] = np.frombuffer(handle.read(size), kind).reshape(shape)
            else:
                handle.seek(size, 1)
    return found


def load_note(path: Path) -> Any:
    """The note of a file that :func:`save_arrays` saved."""
    with path.open("rb") as handle:
        return _head(handle)[0]


def _head(handle: BinaryIO) -> Any:
    return json.loads(handle.read(int.from_bytes(handle.read(8), "little")))
