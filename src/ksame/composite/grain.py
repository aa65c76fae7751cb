"""The photo's own grain on what was filled: a smooth fill would show its outline by the lack of it.

Whole blocks of the photo's fine noise, taken from calm parts of what stays, are strewn over the
filled region. What JPEG left in them comes along.
"""

from typing import Final

import cv2
import numpy as np

from ksame.arrays import Array, Bools, Floats32, Image, Ints

_BLOCK: Final = 16  # pixels: as large as JPEG's blocks with halved colour
_FINE: Final = 1.6  # pixels (sigma): what is coarser is the scene's
_REACH: Final = 5  # pixels that such a blur looks at on either side
_SAMPLES: Final = 128  # blocks that grain is taken from
_CALM: Final = 2.0  # times the usual strength of a block: more is an edge, not grain
_FAINT: Final = 1.0  # grey levels: edges that are weaker are not seen
# Noise is everywhere in its block: half of its pixels are off by two thirds of its strength. An
# edge is a line in a block where nothing else is.
_EVERYWHERE: Final = 0.5
_FEWEST: Final = 6  # blocks that tell what the grain is like


def strew_grain(part: Image, before: Image, filled: Image, stays: Bools, seed: int) -> None:
    """Give the filled pixels of a part of a photo the grain of its others, in place.

    Parameters
    ----------
    part : (h, w, 3) the part with its fill
    before : (h, w, 3) the same part of the photo, of which only ``stays`` is looked at
    filled : (h, w) how much of each pixel is fill, 0 to 255
    stays : (h, w) the pixels that were not filled
    seed : decides which block goes where
    """
    rows, columns = part.shape[0] // _BLOCK, part.shape[1] // _BLOCK
    if not rows or not columns:
        return
    # blocks that nothing but what stays has any part in, the blur's reach included
    clear = cv2.erode(stays.view(np.uint8), np.ones((2 * _REACH + 1,) * 2, np.uint8))
    calm = np.argwhere(_shares(clear[: rows * _BLOCK, : columns * _BLOCK]) == 255)
    if len(calm) < _FEWEST:
        return
    rng = np.random.default_rng(seed)
    fine = _fine_detail(before, calm[rng.permutation(len(calm))[:_SAMPLES]] * _BLOCK)
    usable = fine[_is_noise(fine[..., 1].reshape(len(fine), -1))]
    if not len(usable):
        return
    high, wide = -part.shape[0] % _BLOCK, -part.shape[1] % _BLOCK
    share = cv2.copyMakeBorder(filled, 0, high, 0, wide, cv2.BORDER_CONSTANT)
    touched = np.nonzero(_shares((share > 0).view(np.uint8)))
    size = share.shape[0] // _BLOCK, share.shape[1] // _BLOCK
    noise = usable[rng.integers(len(usable), size=len(touched[0]))]
    much = _in_blocks(share, *size)[touched]
    partly = np.flatnonzero((much < 255).any(axis=(1, 2)))
    noise[partly] *= (much[partly] * np.float32(1 / 255))[..., None]
    grained = cv2.copyMakeBorder(part, 0, high, 0, wide, cv2.BORDER_CONSTANT)
    blocks = _in_blocks(grained, *size)
    # blocks above one another are a picture for OpenCV, which rounds and holds within 0 to 255
    before_noise = blocks[touched].reshape(-1, _BLOCK, 3)
    after = cv2.add(before_noise, noise.reshape(-1, _BLOCK, 3), dtype=cv2.CV_8U)
    blocks[touched] = after.reshape(-1, _BLOCK, _BLOCK, 3)
    part[:] = grained[: part.shape[0], : part.shape[1]]


def _shares(mask: Image) -> Image:
    """How much of each block a mask of 0 and 1 covers: 255 only if all, 0 only if nothing."""
    size = mask.shape[1] // _BLOCK, mask.shape[0] // _BLOCK
    shares: Image = cv2.resize(mask * np.uint8(255), size, interpolation=cv2.INTER_AREA)
    return shares


def _fine_detail(before: Image, corners: Ints) -> Floats32:
    """Blocks of what is finer than the blur, (n, BLOCK, BLOCK, 3), by their corners (y, x)."""
    padded = cv2.copyMakeBorder(before, _REACH, _REACH, _REACH, _REACH, cv2.BORDER_REFLECT_101)
    side = _BLOCK + 2 * _REACH
    windows = np.stack([padded[y : y + side, x : x + side] for y, x in corners]).astype(np.float32)
    # one above the other: the blur of one reaches the rim of the next alone, which is cut off
    tall = windows.reshape(-1, side, 3)
    size = 2 * _REACH + 1
    detail = (tall - cv2.GaussianBlur(tall, (size, size), _FINE)).reshape(windows.shape)
    inner = slice(_REACH, _REACH + _BLOCK)
    blocks: Floats32 = detail[:, inner, inner]
    return blocks


def _is_noise(blocks: Floats32) -> Bools:
    """Which blocks, (n, pixels), are grain and show no edge."""
    strength = blocks.std(axis=1)
    usual = strength <= _CALM * np.median(strength) + 0.05
    even = np.median(np.abs(blocks), axis=1) >= _EVERYWHERE * strength
    noise: Bools = usual & (even | (strength < _FAINT))
    return noise


def _in_blocks(values: Array, rows: int, columns: int) -> Array:
    """Whole blocks of an array (h, w, ...), as (rows, columns, BLOCK, BLOCK, ...); a view."""
    cut = values[: rows * _BLOCK, : columns * _BLOCK]
    return cut.reshape(rows, _BLOCK, columns, _BLOCK, *values.shape[2:]).swapaxes(1, 2)
