"""The boxes of an mp4 file (ISO 14496-12), as far as they are mended here."""

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_HOLDERS = frozenset([b"moov", b"trak", b"edts", b"mdia", b"minf", b"dinf", b"stbl"])
"""Boxes that hold boxes and nothing else."""

_KIND_BEFORE_CONTENT = 4
"""Bytes that name a box's kind, just before what is in it."""


@dataclass(frozen=True)
class Box:
    """A box: its kinds from the outermost inwards, where its content begins, and its end."""

    path: tuple[bytes, ...]
    start: int
    stop: int


def boxes(stream: BinaryIO) -> Iterator[Box]:
    """All boxes of a file, each before those inside it."""
    stream.seek(0, os.SEEK_END)
    yield from _inside(stream, (), 0, stream.tell())


def blank_user_data(path: str | os.PathLike[str]) -> None:
    """Turn every box for users' data into free space.

    The muxer always writes one, empty: without it a reader can refuse any.
    """
    with Path(path).open("r+b") as file:
        for box in list(boxes(file)):
            if box.path[-1] == b"udta":
                file.seek(box.start - _KIND_BEFORE_CONTENT)
                file.write(b"free" + bytes(box.stop - box.start))


def _inside(stream: BinaryIO, outer: tuple[bytes, ...], position: int, end: int) -> Iterator[Box]:
    """The boxes between two positions."""
    while position + 8 <= end:
        stream.seek(position)
        size, kind = struct.unpack(">I4s", stream.read(8))
        head = 8
        if size == 1:
            (size,) = struct.unpack(">Q", stream.read(8))
            head = 16
        size = size or end - position
        if size < head or position + size > end:
            return
        path = (*outer, kind)
        yield Box(path, position + head, position + size)
        if kind in _HOLDERS:
            yield from _inside(stream, path, position + head, position + size)
        position += size
