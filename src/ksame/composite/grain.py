"""The photo's own grain on what was filled: a smooth fill would show its outline by the lack of it.

Whole blocks of the photo's fine noise, taken from calm parts of what stays, are strewn over the
filled region. What JPEG left in them comes along.
"""

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np

from ksame.arrays import Array, Bools, Floats32, Image, Ints, medians
from ksame.composite.blend import times

_BLOCK: Final = 16  # pixels: as large as JPEG's blocks with halved colour
_FINE: Final = 1.6  # pixels (sigma): what is coarser is the scene's
_REACH: Final = 5  # pixels that such a blur looks at on either side
_SAMPLES: Final = 128  # blocks that grain is taken from
_CALM: Final = 2.0  # times the usual strength of a block: more is an edge, not grain
_FAINT: Final = 1.0  # grey levels: edges that are weaker are not seen
# Noise is everywhere in its block: half of its pixels are off by two thirds of its strength. An
# edge is a line in a block where nothing else is.
_EVERYWHERE: Final = 0.5
_ALL: Final = 255  # a pixel that is nothing but fill
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
    calm = np.argwhere(_of_blocks(np.min, clear[: rows * _BLOCK, : columns * _BLOCK]))
    if len(calm) < _FEWEST:
        return
    rng = np.random.default_rng(seed)
    fine = _fine_detail(before, calm[rng.permutation(len(calm))[:_SAMPLES]] * _BLOCK)
    usable = fine[_is_noise(fine[..., 1].reshape(len(fine), -1))]
    if not len(usable):
        return
    high, wide = -part.shape[0] % _BLOCK, -part.shape[1] % _BLOCK
    share = cv2.copyMakeBorder(filled, 0, high, 0, wide, cv2.BORDER_CONSTANT)
    grained = cv2.copyMakeBorder(part, 0, high, 0, wide, cv2.BORDER_CONSTANT)
    touched = np.nonzero(_of_blocks(np.max, share))
    chosen = rng.integers(len(usable), size=len(touched[0]))
    lighter, darker = (levels.take(chosen, axis=0) for levels in _levels(usable))
    partly = np.flatnonzero(_of_blocks(np.min, share)[touched] < _ALL)
    much = _in_blocks(share)[touched[0][partly], touched[1][partly]] * np.float32(1 / _ALL)
    faded = times(usable[chosen[partly]].reshape(-1, _BLOCK, 3), much.reshape(-1, _BLOCK))
    lighter[partly], darker[partly] = _levels(faded.reshape(-1, _BLOCK, _BLOCK, 3))
    blocks = _in_blocks(grained)
    after = cv2.add(blocks[touched].reshape(-1, _BLOCK, 3), lighter.reshape(-1, _BLOCK, 3))
    after = cv2.subtract(after, darker.reshape(-1, _BLOCK, 3))
    blocks[touched] = after.reshape(-1, _BLOCK, _BLOCK, 3)
    part[:] = grained[: part.shape[0], : part.shape[1]]


def _of_blocks(reduce: Callable[..., Image], mask: Image) -> Image:
    """The least or the largest value in each block of whole blocks."""
    rows, columns = mask.shape[0] // _BLOCK, mask.shape[1] // _BLOCK
    lines = reduce(np.ascontiguousarray(mask).reshape(rows, _BLOCK, -1), axis=1)
    return reduce(lines.reshape(rows, columns, _BLOCK), axis=2)


def _levels(noise: Floats32) -> tuple[Image, Image]:
    """Noise in whole grey levels: what it makes lighter, and what it makes darker.

    Bytes that are added and taken away hold within 0 to 255 by themselves.
    """
    rows = noise.reshape(len(noise) * _BLOCK, -1)
    both = (cv2.convertScaleAbs(limit(rows, 0)) for limit in (np.maximum, np.minimum))
    lighter, darker = (levels.reshape(noise.shape) for levels in both)
    return lighter, darker


def _fine_detail(before: Image, corners: Ints) -> Floats32:
    """Blocks of what is finer than the blur, (n, BLOCK, BLOCK, 3), by their corners (y, x)."""
    padded = cv2.copyMakeBorder(before, _REACH, _REACH, _REACH, _REACH, cv2.BORDER_REFLECT_101)
    side = _BLOCK + 2 * _REACH
    # side by side: the blur of one reaches the rim of the next alone, which is cut off
    windows = [padded[y : y + side, x : x + side] for y, x in corners.tolist()]
    wide = cv2.hconcat(windows).astype(np.float32)
    size = 2 * _REACH + 1
    detail = wide - cv2.GaussianBlur(wide, (size, size), _FINE)
    inner = slice(_REACH, _REACH + _BLOCK)
    blocks: Floats32 = detail.reshape(side, -1, side, 3)[inner, :, inner].swapaxes(0, 1)
    return blocks


def _is_noise(blocks: Floats32) -> Bools:
    """Which blocks, (n, pixels), are grain and show no edge."""
    strength = blocks.std(axis=1)
    usual = strength <= _CALM * medians(strength) + 0.05
    even = medians(np.abs(blocks)) >= _EVERYWHERE * strength
    noise: Bools = usual & (even | (strength < _FAINT))
    return noise


def _in_blocks(values: Array) -> Array:
    """Whole blocks of an array (h, w, ...), as (rows, columns, BLOCK, BLOCK, ...); a view."""
    rows, columns = values.shape[0] // _BLOCK, values.shape[1] // _BLOCK
    return values.reshape(rows, _BLOCK, columns, _BLOCK, *values.shape[2:]).swapaxes(1, 2)
