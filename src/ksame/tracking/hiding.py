"""Faces that pass behind a nearer head: in those frames they are not to be seen, nor drawn."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from ksame.arrays import Floats, Ints
from ksame.tracking.covering import Cover

_NEARER: Final = 1.15  # times the height of the face behind
_BEHIND: Final = 0.85  # of a face that must lie inside of the nearer head
# the head around a face's box, in its width and height: ears, hair, chin
_EARS, _HAIR, _CHIN = 0.15, 0.45, 0.1
_LEAST: Final = 3  # frames; parts of a track may be told as two people, and fewer are hardly seen
_THERE: Final = 3  # frames from a detection up to which the nearer head is certainly there


def without_hidden(one: Cover, covers: Sequence[Cover], frame: Ints, xyxy: Floats) -> list[Cover]:
    """A track without the frames in which it is not detected and lies behind a nearer head.

    Drawn there, it would be a face on somebody's hair. Every part has detections, and all of them
    together are those of the track; a frame with a detection is never left out. ``covers`` are all
    tracks of the clip, by whose detections (``frame``, ``xyxy``) it is known who is nearer.
    """
    seen = frame[one.rows]
    gaps = np.setdiff1d(np.arange(one.first, one.stop), seen)
    hidden = [int(f) for f in gaps if _is_hidden(one, int(f), covers, frame, xyxy)]
    parts, first = [], one.first
    for start, stop in _runs(hidden):
        if stop - start < _LEAST and seen[0] < start < seen[-1]:
            continue
        rows = one.rows[(seen >= first) & (seen < start)]
        if len(rows):
            parts.append(replace(one, first=first, stop=start, rows=rows))
            first = stop
        elif start == first:  # before its first detection
            first = stop
    rows = one.rows[seen >= first]
    if len(rows):
        parts.append(replace(one, first=first, rows=rows))
    elif parts and first < one.stop:  # what comes after the last hidden frame without a detection
        parts[-1] = replace(parts[-1], stop=one.stop)
    return parts


def _runs(frames: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of consecutive frames, as first and behind the last."""
    if not frames:
        return []
    ordered = np.array(frames)
    ends = np.flatnonzero(np.diff(ordered) > 1)
    starts = [0, *(ends + 1).tolist()]
    stops = [*ends.tolist(), len(ordered) - 1]
    return [(int(ordered[a]), int(ordered[b]) + 1) for a, b in zip(starts, stops, strict=True)]


def _is_hidden(one: Cover, now: int, covers: Sequence[Cover], frame: Ints, xyxy: Floats) -> bool:
    """Whether a face lies behind a nearer head that is certainly there."""
    own = _at(one, now, frame, xyxy)
    size = np.maximum(own[2:] - own[:2], 1e-9)
    for other in covers:
        if other is one or not other.first <= now < other.stop:
            continue
        if int(np.abs(frame[other.rows] - now).min()) > _THERE:
            continue
        near = _at(other, now, frame, xyxy)
        width, height = near[2:] - near[:2]
        if height < _NEARER * size[1]:
            continue
        more = np.array([_EARS * width, _HAIR * height, _EARS * width, _CHIN * height])
        low, high = near[:2] - more[:2], near[2:] + more[2:]
        shared = np.clip(np.minimum(own[2:], high) - np.maximum(own[:2], low), 0, None).prod()
        if shared >= _BEHIND * size.prod():
            return True
    return False


def _at(one: Cover, now: int, frame: Ints, xyxy: Floats) -> Floats:
    """Where a track should be in a frame: between its detections it moves evenly."""
    known = frame[one.rows]
    after = int(np.searchsorted(known, now))
    left, right = max(after - 1, 0), min(after, len(known) - 1)
    span = max(int(known[right] - known[left]), 1)
    share = float(np.clip((now - known[left]) / span, 0, 1))
    box: Floats = xyxy[one.rows[left]] * (1 - share) + xyxy[one.rows[right]] * share
    return box
