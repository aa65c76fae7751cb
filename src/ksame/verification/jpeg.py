"""A JPEG's segments, from its first byte to its last (ITU-T T.81, annex B)."""

import re
from collections.abc import Callable

COMMENT, START_OF_SCAN, END = 0xFE, 0xDA, 0xD9
TABLES_OF_CODES, TABLES_OF_STEPS, RESTART_INTERVAL = 0xC4, 0xDB, 0xDD
FRAMES = frozenset({0xC0, 0xC1, 0xC2})  # baseline, extended and progressive
_JFIF_SIZE = 16  # a thumbnail makes it longer
# in coded pixels: 0xFF before anything but a zero, which stuffs, and a restart
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7]", re.DOTALL)


def jpeg_extras(data: bytes) -> list[str]:
    """Everything that is not needed to show the one picture."""
    extras: list[str] = []
    at, frames = 2, 0
    while True:
        marker, start = _next_marker(data, at)
        if marker is None:
            return [*extras, "a broken end"]
        if start != at:
            extras.append("padding")
        if marker == END:
            break
        size = int.from_bytes(data[start + 2 : start + 4], "big")
        body = data[start + 4 : start + 2 + size]
        if size < 2 or len(body) != size - 2:
            return [*extras, "a broken segment"]
        frames += marker in FRAMES
        extras += _extra(marker, body)
        at = start + 2 + size
        if marker == START_OF_SCAN:
            at = _end_of_scan(data, at)
    if frames != 1:
        extras.append(f"{frames} pictures")
    if start + 2 != len(data):
        extras.append("bytes after the picture")
    return extras


def _next_marker(data: bytes, at: int) -> tuple[int | None, int]:
    """The marker at a place and where it starts, behind bytes that only fill."""
    if at >= len(data) or data[at] != 0xFF:
        return None, at
    while at + 1 < len(data) and data[at + 1] == 0xFF:
        at += 1
    return (data[at + 1], at) if at + 1 < len(data) else (None, at)


def _extra(marker: int, body: bytes) -> list[str]:
    """What a segment holds that is no picture."""
    if marker == COMMENT:
        return ["comment"]
    if 0xE0 <= marker <= 0xEF:
        jfif = marker == 0xE0 and body.startswith(b"JFIF\0") and len(body) == _JFIF_SIZE - 2
        return [] if jfif else [f"APP{marker - 0xE0}"]
    needed = _needed(marker, body)
    if needed is None:
        return [f"segment {marker:02X}"]
    return [] if needed == len(body) else ["bytes in a table"]


def _needed(marker: int, body: bytes) -> int | None:
    """How many bytes a segment of the picture itself needs; None for any other kind."""
    if marker in FRAMES and len(body) > 5:
        return 6 + 3 * body[5]
    if marker == START_OF_SCAN and body:
        return 4 + 2 * body[0]
    if marker == RESTART_INTERVAL:
        return 2
    if marker == TABLES_OF_STEPS:
        return _walk(body, lambda at: 1 + 64 * (1 + (body[at] >> 4)))
    if marker == TABLES_OF_CODES:
        return _walk(body, lambda at: 17 + sum(body[at + 1 : at + 17]))
    return None


def _walk(body: bytes, length: Callable[[int], int]) -> int:
    """The bytes that tables one after another take."""
    at = 0
    while at < len(body):
        at += length(at)
    return at


def _end_of_scan(data: bytes, at: int) -> int:
    """Where the coded pixels end: at the first marker that is neither stuffing nor a restart."""
    found = _MARKER.search(data, at)
    return len(data) if found is None else found.start()
