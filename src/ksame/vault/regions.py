"""Which pixels of a photo show whom.

Every pixel of the replaced regions belongs to one face alone, the nearest, measured in widths and
heights of the faces' boxes: inside of a box that no other box meets, it is that face's. So one
person can be revealed, or erased, and nobody else with them.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from ksame.arrays import Bools, Floats, Image, Ints
from ksame.vault.index import Box, FaceRegion

_CHANGED: Final = 32  # levels of a channel: more than the noise of a JPEG written again
_SPECK: Final = 5  # pixels: changes that are smaller are noise
_REACH: Final = 1.6  # boxes from the centre of a face: no replaced head reaches further

Distances = Floats


def owned(face: int, faces: Sequence[FaceRegion]) -> Bools:
    """Which pixels of a face's region belong to that face."""
    x0, y0, x1, y1 = faces[face].region
    boxes = [other.box for other in faces]
    mine: Bools = _nearest(np.arange(x0, x1), np.arange(y0, y1), boxes) == face
    return mine


def regions_of(
    before: Image, after: Image, boxes: Sequence[Sequence[float]], hidden: Sequence[Box | None]
) -> list[Box]:
    """The region (xyxy) of each face: its box, what was hidden, and what else changed around it.

    Parameters
    ----------
    before, after : photo as it was and as it is released, of one size
    boxes : boxes of its faces (xyxy)
    hidden : the box that was filled or blackened for each, if any
    """
    height, width = before.shape[:2]
    changes = _changes(before, after)
    near = _nearest(np.arange(width), np.arange(height), boxes) if boxes else None
    regions = []
    for number, box in enumerate(boxes):
        rows = [tuple(box), hidden[number] or tuple(box)]
        assert near is not None
        reach = _reach(box, (height, width))
        inside = changes[reach] & (near[reach] == number)
        if inside.any():
            ys, xs = np.nonzero(inside)
            top, left = reach[0].start, reach[1].start
            rows.append((left + xs.min(), top + ys.min(), left + xs.max() + 1, top + ys.max() + 1))
        low = np.floor(np.min(rows, axis=0)[:2]).clip(0, (width, height)).astype(int)
        high = np.ceil(np.max(rows, axis=0)[2:]).clip(0, (width, height)).astype(int)
        regions.append((int(low[0]), int(low[1]), int(high[0]), int(high[1])))
    return regions


def _changes(before: Image, after: Image) -> Bools:
    """Where a photo was changed by more than writing it again."""
    import cv2

    most = cv2.absdiff(before, after).max(axis=2)
    changed = (most > _CHANGED).astype(np.uint8)
    kernel = np.ones((_SPECK, _SPECK), np.uint8)
    found: Bools = cv2.morphologyEx(changed, cv2.MORPH_OPEN, kernel) > 0
    return found


def _nearest(xs: Ints, ys: Ints, boxes: Sequence[Sequence[float]]) -> Ints:
    """The number of the nearest box for each pixel of a rectangle."""
    best: Distances = np.full((len(ys), len(xs)), np.inf)
    near = np.zeros((len(ys), len(xs)), np.int64)
    for number, (x0, y0, x1, y1) in enumerate(boxes):
        across = np.abs(xs + 0.5 - (x0 + x1) / 2) / max(x1 - x0, 1.0)
        down = np.abs(ys + 0.5 - (y0 + y1) / 2) / max(y1 - y0, 1.0)
        distance = np.maximum(across[None, :], down[:, None])
        closer = distance < best
        best[closer], near[closer] = distance[closer], number
    return near


def _reach(box: Sequence[float], shape: tuple[int, int]) -> tuple[slice, slice]:
    """The pixels that changing a face may have changed."""
    x0, y0, x1, y1 = box
    across, down = _REACH * (x1 - x0), _REACH * (y1 - y0)
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    left, top = int(np.clip(x - across, 0, shape[1])), int(np.clip(y - down, 0, shape[0]))
    right, low = int(np.clip(x + across, 0, shape[1])), int(np.clip(y + down, 0, shape[0]))
    return slice(top, low), slice(left, right)
