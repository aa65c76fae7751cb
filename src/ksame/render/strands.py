"""Strands for hair that is drawn in smooth colours: without them it is a cap."""

from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from ksame.arrays import Floats32
from ksame.render.grain import tile_of

_WIDE, _LONG = 0.006, 0.035  # of a face's box: sigma of a strand across and along
# of a face's box: nothing coarser than this is left, so that the colours are what the numbers say
_COARSEST: Final = 0.02
_DEPTH, _LEAST = 0.04, 2.0  # of the colour, and grey levels: by how much strands differ from it


def add_strands(colour: Floats32) -> None:
    """Let smooth colours over a face's box (h, w, 3) differ along upright strands, in place."""
    strands = _strands(colour.shape[0], colour.shape[1])
    colour += (colour * np.float32(_DEPTH) + np.float32(_LEAST)) * strands[..., None]


@lru_cache(maxsize=4)
def _strands(height: int, width: int) -> Floats32:
    """Noise of standard deviation 1 that is long and thin."""
    side = float(max(height, width))
    noise = tile_of(0, (height, width))
    long = cv2.GaussianBlur(
        noise, (0, 0), sigmaX=max(_WIDE * side, 0.5), sigmaY=max(_LONG * side, 0.5)
    )
    fine = long - cv2.GaussianBlur(long, (0, 0), max(_COARSEST * side, 1.0))
    spread: Floats32 = (fine / max(float(fine.std()), 1e-6)).astype(np.float32)
    return spread
