"""The edges of lids and lips in large faces, which would be stairs."""

from typing import Final

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32
from ksame.render.anatomy import HOLES

_SEAM: Final = 0.9  # of a raster's pixel: the width (sigma) to which edges are softened


def soften_seams(colour: Floats32, points: Floats, step: float) -> None:
    """Smooth the edges of lids and lips, in place, where a pixel of the raster spans several.

    There the texture's place leaps from one triangle to the next. ``points`` (n, 2) are the mesh's
    in pixels of ``colour``, ``step`` is how many of these one pixel of the raster spans.
    """
    if step <= 1:
        return
    size = np.array(colour.shape[1::-1])
    for rim in HOLES:
        edge = points[list(rim)]
        x0, y0 = np.clip(np.floor(edge.min(axis=0) - 3 * step), 0, size).astype(int)
        x1, y1 = np.clip(np.ceil(edge.max(axis=0) + 3 * step), 0, size).astype(int)
        if min(x1 - x0, y1 - y0) < 2:
            continue
        part, line = colour[y0:y1, x0:x1], np.zeros((y1 - y0, x1 - x0), np.uint8)
        spots = np.round((edge - (x0, y0)) * 16).astype(np.int32)
        cv2.polylines(line, [spots], True, 255, round(2 * step), cv2.LINE_AA, shift=4)
        share = cv2.GaussianBlur(line, (0, 0), step / 2).astype(np.float32) / np.float32(255)
        soft = cv2.GaussianBlur(part, (0, 0), _SEAM * step)
        part += (soft - part) * share[..., None]
