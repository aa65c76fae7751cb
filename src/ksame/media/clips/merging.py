"""A changed picture over the frame it was made from: what is equal keeps the source's samples."""

import cv2
import numpy as np
from av.video.frame import VideoFrame

from ksame.arrays import Array, Bools, Image
from ksame.media.clips.colours import Converter, copied, samples
from ksame.media.clips.facts import ClipFacts

_MARGIN = 8
"""Pixels around what changed that are converted with it, so that chroma filters see them."""


def merged(
    picture: Image, seen: Image, planes: VideoFrame, facts: ClipFacts, convert: Converter
) -> VideoFrame:
    """The planes of a frame with what differs between two upright pictures drawn in.

    Samples of pixels that are equal in ``picture`` and ``seen`` are those of ``planes``, bit by
    bit and at their own depth; a chroma sample is drawn if any of its pixels differs.
    """
    made = copied(planes)
    stored = facts.stored(picture)
    apart = cv2.absdiff(np.ascontiguousarray(stored), np.ascontiguousarray(facts.stored(seen)))
    box = _box(apart)
    if box is None:
        return made
    rows, columns = box
    part = convert.from_rgb(stored[rows, columns])
    red, green, blue = cv2.split(apart[rows, columns])
    changed = (red | green | blue) != 0
    for target, drawn in zip(samples(made), samples(part), strict=True):
        down, across = -(-facts.height // target.shape[0]), -(-facts.width // target.shape[1])
        top, left = rows.start // down, columns.start // across
        area = target[top : top + drawn.shape[0], left : left + drawn.shape[1]]
        np.copyto(area, drawn, where=_at_size(changed, drawn, down, across))
    return made


def _box(apart: Image) -> tuple[slice, slice] | None:
    """Rows and columns around all that differs, beginning and ending at even numbers."""
    height, width = apart.shape[:2]
    lines = cv2.reduce(apart.reshape(height, -1), 1, cv2.REDUCE_MAX)
    rows = np.flatnonzero(lines)
    if not len(rows):
        return None
    part = apart[rows[0] : rows[-1] + 1].reshape(-1, 3 * width)
    columns = np.flatnonzero(cv2.reduce(part, 0, cv2.REDUCE_MAX).reshape(width, 3).any(axis=1))
    return _around(rows, height), _around(columns, width)


def _around(places: Array, length: int) -> slice:
    """From the first to the last place with a margin, in steps of a chroma sample."""
    start = max(int(places[0]) - _MARGIN, 0) // 2 * 2
    stop = min((int(places[-1]) + 1 + _MARGIN + 1) // 2 * 2, length)
    return slice(start, stop)


def _at_size(changed: Bools, plane: Array, down: int, across: int) -> Bools:
    """The mask for a plane whose samples stand for ``down`` x ``across`` pixels."""
    if down == across == 1:
        return changed
    rows, columns = plane.shape
    if changed.shape != (rows * down, columns * across):  # the picture ends within a sample
        changed = np.pad(
            changed,
            ((0, rows * down - changed.shape[0]), (0, columns * across - changed.shape[1])),
        )
    found: Bools = changed[::down, ::across].copy()
    for part in range(1, down * across):
        found |= changed[part // across :: down, part % across :: across]
    return found
