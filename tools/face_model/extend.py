"""Fill pixels that no picture shows from their neighbours."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Floats32 = npt.NDArray[np.float32]


def extended(picture: Floats32, known: npt.NDArray[np.floating], reach: float = 2.0) -> Floats32:
    """A picture (h, w) or (h, w, c) whose unknown pixels are means of known ones around them.

    ``known`` is 0 to 1. Ever wider surroundings are looked at until every pixel has a value.
    """
    flat = picture if picture.ndim == 3 else picture[..., None]
    sure = np.clip(np.asarray(known, np.float32), 0, 1)
    out, have = flat * sure[..., None], sure.copy()
    while reach < 4 * max(picture.shape[:2]):
        blurred = cv2.GaussianBlur(flat * sure[..., None], (0, 0), reach)
        blurred = blurred if blurred.ndim == 3 else blurred[..., None]
        weight = cv2.GaussianBlur(sure, (0, 0), reach)
        gives = np.clip(weight / 0.12, 0, 1) * (1 - have)
        out += gives[..., None] * blurred / np.maximum(weight, 1e-6)[..., None]
        have += gives
        if have.min() > 0.995:
            break
        reach *= 1.6
    out /= np.maximum(have, 1e-3)[..., None]
    return out if picture.ndim == 3 else out[..., 0]
