"""Single passes of the detector over a photo: plain, turned, with its contrast stretched.

Each returns rows of 15 numbers in photo pixels: x, y, width, height, five points and the score.
"""

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
import numpy.typing as npt

from ksame.vision.images import Image, halved, halvings
from ksame.vision.yunet import run_yunet

Floats = npt.NDArray[np.float64]

_BORDER = 0.2  # of the short side: faces that are cut by the frame are found as well


class Pass(NamedTuple):
    """The size to which a photo is brought, and whether its edge is repeated around it."""

    width: int
    height: int
    bordered: bool


def detect_all(image: Image, passes: Sequence[Pass], min_score: float) -> list[Floats]:
    """Passes over the photo as it is, the finest first: each is shrunk from the one before."""
    found, small = [], image
    for at in passes:
        small = _resized(small, at.width, at.height)
        found.append(_detect(small, at, image.shape, min_score))
    return found


def _detect(small: Image, at: Pass, shape: tuple[int, ...], min_score: float) -> Floats:
    height, width = shape[:2]
    pad = round(_BORDER * min(at.width, at.height)) if at.bordered else 0
    if pad:
        small = cv2.copyMakeBorder(small, pad, pad, pad, pad, cv2.BORDER_REPLICATE)
    found = _run(small, min_score)
    found[:, [0, 1, *range(4, 14)]] -= pad
    found[:, :14] *= np.tile([width / at.width, height / at.height], 7)
    return found


def detect_turned(image: Image, angle: float, side: int, min_score: float) -> Floats:
    """One pass over a turned copy; boxes become the upright hulls of the turned ones."""
    height, width = image.shape[:2]
    scale = side / np.hypot(height, width)
    small = _resized(image, max(round(width * scale), 1), max(round(height * scale), 1))
    middle = (small.shape[1] / 2, small.shape[0] / 2)
    turn = cv2.getRotationMatrix2D(middle, angle, 1.0)
    turn[:, 2] += side / 2 - np.array(middle)
    found = _run(cv2.warpAffine(small, turn, (side, side)), min_score)
    if not len(found):
        return found
    enlarge = np.array([[width / small.shape[1]], [height / small.shape[0]]])
    back = cv2.invertAffineTransform(turn) * enlarge
    x0, y0, w, h = found[:, :4].T
    corners = np.stack([x0, y0, x0 + w, y0, x0 + w, y0 + h, x0, y0 + h], axis=1)
    corners = cv2.transform(corners.reshape(-1, 4, 2), back).reshape(-1, 4, 2)
    found[:, 4:14] = cv2.transform(found[:, 4:14].reshape(-1, 5, 2), back).reshape(-1, 10)
    found[:, :2] = corners.min(axis=1)
    found[:, 2:4] = corners.max(axis=1) - found[:, :2]
    return found


def stretched(image: Image) -> Image:
    """The photo with its contrast stretched: whoever is hidden in the dark is still there."""
    low, high = np.percentile(image[:: max(image.shape[0] // 256, 1)], [1, 99])
    if high - low < 3:
        return image
    table = np.clip((np.arange(256) - low) * 255 / (high - low), 0, 255).astype(np.uint8)
    bright: Image = cv2.LUT(image, table)
    return bright


def _resized(image: Image, width: int, height: int) -> Image:
    if (width, height) == (image.shape[1], image.shape[0]):
        return image
    # averaging is not needed from a half on
    image = halved(image, halvings(min(image.shape[1] / width, image.shape[0] / height)))
    resized: Image = cv2.resize(image, (width, height), interpolation=cv2.INTER_LINEAR)
    return resized


def _run(small: Image, min_score: float) -> Floats:
    """YuNet on one image as it is."""
    rows = run_yunet(small, min_score)
    # a flat image can make the network answer with boxes of no size or with infinite ones
    return rows[np.isfinite(rows).all(axis=1) & (rows[:, 2] > 1) & (rows[:, 3] > 1)]
