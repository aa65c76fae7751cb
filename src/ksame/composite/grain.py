"""The photo's own grain on what was filled: a smooth fill would show its outline by the lack of it.

Whole blocks of the photo's fine noise, taken from calm parts of what stays, are strewn over the
filled region. What JPEG left in them comes along.
"""

from typing import Final

import cv2
import numpy as np

from ksame.arrays import Bools, Floats32, Image

_BLOCK: Final = 16  # pixels: as large as JPEG's blocks with halved colour
_FINE: Final = 1.6  # pixels (sigma): what is coarser is the scene's
_CALM: Final = 2.0  # times the usual strength of a block: more is an edge, not grain
_FEWEST: Final = 6  # blocks that tell what the grain is like


def strew_grain(part: Image, before: Image, filled: Floats32, stays: Bools, seed: int) -> None:
    """Give the filled pixels of a part of a photo the grain of its others, in place.

    Parameters
    ----------
    part : (h, w, 3) the part with its fill
    before : (h, w, 3) the same part of the photo, of which only ``stays`` is looked at
    filled : (h, w) how much of each pixel is fill, 0 to 1
    stays : (h, w) the pixels that were not filled
    seed : decides which block goes where
    """
    rows, columns = part.shape[0] // _BLOCK, part.shape[1] // _BLOCK
    if not rows or not columns:
        return
    known = stays.astype(np.float32)
    weight = np.maximum(cv2.GaussianBlur(known, (0, 0), _FINE), np.float32(1e-3))
    mean = cv2.GaussianBlur(before * known[..., None], (0, 0), _FINE) / weight[..., None]
    blocks = _in_blocks((before - mean).astype(np.float32), rows, columns)
    whole = _in_blocks(known[..., None], rows, columns).min(axis=(1, 2, 3)) > 0
    strength = blocks[..., 1].std(axis=(1, 2))
    if whole.sum() < _FEWEST:
        return
    usable = np.flatnonzero(whole & (strength <= _CALM * np.median(strength[whole]) + 0.05))
    chosen = np.random.default_rng(seed).choice(usable, rows * columns)
    noise = np.zeros(part.shape, np.float32)
    laid = blocks[chosen].reshape(rows, columns, _BLOCK, _BLOCK, 3).swapaxes(1, 2)
    noise[: rows * _BLOCK, : columns * _BLOCK] = laid.reshape(rows * _BLOCK, columns * _BLOCK, 3)
    # the last rows and columns, less than a block, go on with their neighbours'
    noise[rows * _BLOCK :] = noise[rows * _BLOCK - 1 : rows * _BLOCK]
    noise[:, columns * _BLOCK :] = noise[:, columns * _BLOCK - 1 : columns * _BLOCK]
    part[:] = np.clip(np.rint(part + noise * filled[..., None]), 0, 255).astype(np.uint8)


def _in_blocks(values: Floats32, rows: int, columns: int) -> Floats32:
    """Whole blocks of an array (h, w, c), as (rows * columns, BLOCK, BLOCK, c)."""
    cut = values[: rows * _BLOCK, : columns * _BLOCK]
    split = cut.reshape(rows, _BLOCK, columns, _BLOCK, values.shape[2]).swapaxes(1, 2)
    return np.ascontiguousarray(split.reshape(-1, _BLOCK, _BLOCK, values.shape[2]))
