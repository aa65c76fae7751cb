"""How sharp a photo is around a face, and how much softer or sharper than a render of the model."""

from typing import Final

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32, Image, percentile, quantile
from ksame.render.numbers import (
    FINEST_BLUR,
    MOST_SHARPENED,
    SHARPEN_STEP,
    SHARPNESS_STEP,
    steps,
)

_AROUND: Final = 0.1  # of the landmarks' extent: hair line, jaw and collar have edges, too
_LARGEST: Final = 320  # px of the middle of a face that tell as much as all of it
_SMALLEST: Final = 8  # px
_CALMED: Final = 0.5  # px of blur (sigma) that is put on before: single pixels are noise
# px (sigma) by which a photo is blurred again, and the blur from which on the next one tells more.
# Measured on 61 faces of scenes, shrunk to 50, 120 and 200 px, blurred and saved as JPEG: blurs of
# 1, 1.5, 2, 3 and 4 px are told as 1.15, 1.5, 1.8, 2.4 and 3.0, the middle half within 8%
_AGAIN: Final = ((1.0, 1.5), (2.0, 2.6), (4.0, np.inf))
_STEEPEST: Final = 0.06  # of the pixels: these are edges
_LEAST_STEEP: Final = 2.0  # grey levels per px
_SHARPEST: Final = 25  # percentile of the edges' blurs: some are shadows, or out of focus
_FEWEST: Final = 4  # edges
# px, and px per unit: the blur that is told of renders of 15 to 170 px, which are never blurred
_NATURAL, _NATURAL_GROWTH = 0.58, 0.002


def softness_of(rgb: Image, points: Floats) -> float | None:
    """The blur (sigma, px) of the sharper edges around a face; None where there are none.

    An edge that is blurred again by a known blur loses the more of its slope the sharper it was:
    the ratio of both slopes is the root of 1 + (known / own)**2 (Zhuo and Sim 2011).
    """
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2
    half = np.minimum((0.5 + _AROUND) * (high - low), _LARGEST / 2)
    x0, y0 = np.maximum(np.floor(middle - half).astype(int), 0)
    x1, y1 = np.maximum(np.ceil(middle + half).astype(int) + 1, 0)
    part = rgb[y0:y1, x0:x1]
    if min(part.shape[:2]) < _SMALLEST:
        return None
    grey = cv2.cvtColor(np.ascontiguousarray(part), cv2.COLOR_RGB2GRAY).astype(np.float32)
    calm = cv2.GaussianBlur(grey, (0, 0), _CALMED)
    slopes = _slopes(calm)
    ridge = (slopes >= cv2.dilate(slopes, np.ones((3, 3)))) & (slopes >= _LEAST_STEEP)
    ridge &= slopes >= quantile(slopes.ravel(), 1 - _STEEPEST)
    ridge[:2] = ridge[-2:] = ridge[:, :2] = ridge[:, -2:] = False  # no edges: the crop's border
    if ridge.sum() < _FEWEST:
        return None
    told = 0.0
    for again, enough in _AGAIN:
        softer = _slopes(cv2.GaussianBlur(calm, (0, 0), again))[ridge]
        ratio = slopes[ridge] / np.maximum(softer, 1e-3)
        blurs = again / np.sqrt(np.maximum(ratio * ratio - 1, 1e-3))
        told = float(percentile(blurs, _SHARPEST))
        if told < enough:
            break
    return told


def blur_of(softness: float | None, scale: float) -> int:
    """How many steps softer a photo is than the model would be; negative if it is sharper."""
    if softness is None:
        return 0
    natural = _NATURAL + _NATURAL_GROWTH * scale
    sharper = natural / softness - 1
    if sharper > 0:
        return -min(round(sharper / SHARPEN_STEP), MOST_SHARPENED)
    sigma = float(np.sqrt(softness**2 - natural**2))
    if sigma < FINEST_BLUR:
        return 0
    return 1 + steps(np.log(sigma / FINEST_BLUR), float(np.log(SHARPNESS_STEP)))[0]


def _slopes(grey: Floats32) -> Floats32:
    across, down = (cv2.Sobel(grey, -1, x, 1 - x, scale=0.125) for x in (1, 0))
    slopes: Floats32 = cv2.magnitude(across, down)
    return slopes
