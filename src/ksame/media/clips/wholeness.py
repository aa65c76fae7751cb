"""Whether a file is as long as its own header says: decoders play a truncated clip in silence."""

import os
import struct
from pathlib import Path
from typing import BinaryIO

from ksame.errors import MediaError

_TO_THE_END = 0
"""The size of a box that reaches to the end of the file."""

_EBML_SEGMENT = 0x18538067
_ASF_PROPERTIES = bytes.fromhex("a1dcab8c47a9cf118ee400c00c205365")


def check_whole(path: str | os.PathLike[str], format_name: str) -> None:
    """Refuse a clip of which the end is missing.

    MP4 and MOV, Matroska and WebM, AVI, and ASF (WMV) state their size. Streams that were written
    without knowing it, and formats that never state it, pass.

    Raises
    ------
    MediaError
        The container says that it has more bytes than the file.
    """
    file = Path(path)
    actual = file.stat().st_size
    with file.open("rb") as stream:
        stated = _stated_size(stream, actual, format_name)
    if stated is not None and stated > actual:
        raise MediaError(
            f"the clip is truncated: it says that it has {stated} bytes and has {actual}. "
            "Restore it from a copy, or convert what is left of it to mp4."
        )


def _stated_size(stream: BinaryIO, actual: int, format_name: str) -> int | None:
    """How long the file should be, or None where it does not say."""
    if "mp4" in format_name:
        return _end_of_boxes(stream, actual)
    if "matroska" in format_name:
        return _end_of_segment(stream)
    if format_name == "avi":
        return _end_of_riff(stream)
    if format_name == "asf":
        return _asf_size(stream)
    if format_name == "gif":
        return _gif_size(stream, actual)
    return None


def _end_of_boxes(stream: BinaryIO, actual: int) -> int | None:
    """Where the last box that begins inside the file ends."""
    position = 0
    while position + 8 <= actual:
        stream.seek(position)
        size, kind = struct.unpack(">I4s", stream.read(8))
        if size == 1:
            (size,) = struct.unpack(">Q", stream.read(8).ljust(8, b"\0"))
        if size == _TO_THE_END:
            return actual
        if size < 8:
            return None
        position += int(size)
        if kind == b"mdat" and position > actual:
            return position
    return position if position > actual else None


def _end_of_segment(stream: BinaryIO) -> int | None:
    """Where the segment of a Matroska file ends; None for live recordings."""
    head = stream.read(4096)
    at = head.find(_EBML_SEGMENT.to_bytes(4, "big"))
    if at < 0 or at + 5 > len(head):
        return None
    first = head[at + 4]
    length = 9 - first.bit_length()
    if not 1 <= length <= 8:
        return None
    value = int.from_bytes(head[at + 4 : at + 4 + length], "big") & ((1 << (7 * length)) - 1)
    unknown = (1 << (7 * length)) - 1
    return None if value == unknown else at + 4 + length + value


def _end_of_riff(stream: BinaryIO) -> int | None:
    """Where the first RIFF list of an AVI ends; 0 is written by recorders that were stopped."""
    head = stream.read(12)
    if len(head) < 12 or head[:4] != b"RIFF":
        return None
    (size,) = struct.unpack("<I", head[4:8])
    return int(size) + 8 if size else None


def _asf_size(stream: BinaryIO) -> int | None:
    """The size in the file properties of an ASF; broadcasts state none."""
    head = stream.read(65536)
    at = head.find(_ASF_PROPERTIES)
    if at < 0 or at + 92 > len(head):
        return None
    (size,) = struct.unpack("<Q", head[at + 40 : at + 48])
    (flags,) = struct.unpack("<I", head[at + 88 : at + 92])
    return None if flags & 1 or not size else int(size)


def _gif_size(stream: BinaryIO, actual: int) -> int | None:
    """One byte more than there is where the trailer of a GIF is missing."""
    stream.seek(max(actual - 1024, 0))
    # some writers pad behind the trailer
    return None if stream.read().rstrip(b"\0").endswith(b";") else actual + 1
