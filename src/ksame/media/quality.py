"""How finely a JPEG was quantised: its quality on the scale of the common encoders."""

from collections.abc import Mapping, Sequence

import numpy as np

from ksame.arrays import Ints

# the luminance table of ITU-T T.81, annex K.1, that the quality scale of libjpeg multiplies
_LUMINANCE = np.array(
    [
        [16, 11, 10, 16, 24, 40, 51, 61],
        [12, 12, 14, 19, 26, 58, 60, 55],
        [14, 13, 16, 24, 40, 57, 69, 56],
        [14, 17, 22, 29, 51, 87, 80, 62],
        [18, 22, 37, 56, 68, 109, 103, 77],
        [24, 35, 55, 64, 81, 104, 113, 92],
        [49, 64, 78, 87, 103, 121, 120, 101],
        [72, 92, 95, 98, 112, 100, 103, 99],
    ]
).ravel()


def _tables() -> Ints:
    """The luminance table of every quality from 1 to 100, one row each."""
    quality = np.arange(1, 101)
    scale = np.where(quality < 50, 5000 // quality, 200 - 2 * quality)
    tables: Ints = np.clip((_LUMINANCE * scale[:, None] + 50) // 100, 1, 255)
    return tables


def estimate_quality(quantization: Mapping[int, Sequence[int]]) -> int | None:
    """The quality (1 to 100) whose luminance table is nearest to a JPEG's first one.

    None where there is no usable table. Encoders with tables of their own get the quality at
    which libjpeg would quantise about as finely.
    """
    table = np.asarray(quantization.get(0, ()))
    if table.size != 64:
        return None
    # ratios, so that the coarse steps of high frequencies do not outweigh the fine ones
    distance = np.abs(np.log(_tables()) - np.log(np.maximum(table.ravel(), 1))).sum(axis=1)
    return int(distance.argmin()) + 1
