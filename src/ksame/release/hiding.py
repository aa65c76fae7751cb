"""The last resort: a face that cannot be replaced is filled from its surroundings, or black."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ksame.arrays import Image
from ksame.release.styles.contract import Box


def head_box(box: Sequence[float], shape: tuple[int, ...]) -> Box:
    """A generous box around the head of a face box: hair, ears, chin and some more."""
    x0, y0, x1, y1 = box
    side = max(x1 - x0, y1 - y0)
    # shares of the face's longer side: hair above, ears beside, chin and neck below
    grown = (x0 - 0.45 * side, y0 - 0.6 * side, x1 + 0.45 * side, y1 + 0.35 * side)
    return _inside(grown, shape)


def _black(photo: Image, face: Sequence[float], seed: int) -> Box:
    """Nothing of the head is left."""
    x0, y0, x1, y1 = box = head_box(face, photo.shape)
    photo[y0:y1, x0:x1] = 0
    return box


def _filled(photo: Image, face: Sequence[float], seed: int) -> Box:
    """The surroundings go on; no pixel of the region is used."""
    from ksame.render.filling import WIDER, fill_region

    box = np.asarray(face, np.float64)
    fill_region(photo, box, seed)
    middle, half = (box[:2] + box[2:]) / 2, (box[2:] - box[:2]) / 2 * WIDER
    return _inside((*(middle - half), *(middle + half)), photo.shape)


def _inside(box: Sequence[float], shape: tuple[int, ...]) -> Box:
    limits = (shape[1], shape[0], shape[1], shape[0])
    a, b, c, d = (int(np.clip(round(v), 0, m)) for v, m in zip(box, limits, strict=True))
    return a, b, c, d


_WAYS: Mapping[str, Callable[[Image, Sequence[float], int], Box]] = {
    "fill": _filled,
    "blackout": _black,
    "withhold": _black,  # such photos are not written; should one be, it shows nothing
}


def hide(photo: Image, face: Sequence[float], how: str, seed: int = 0) -> Box:
    """Take a face (its box, xyxy) out of a photo, in place; returns the box that was taken out."""
    return _WAYS[how](photo, face, seed)
