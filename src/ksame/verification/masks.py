"""A mask as it is drawn over a model face: its colour, folds over the texture, seam and shadow."""

from functools import cache

import cv2
import numpy as np

from ksame.arrays import Array, Bools, Floats32

# over the model's texture: the half width from ear to ear, the nose's root and the way to the chin
HALF_WIDTH, ROOT, WAY = 0.44, 0.36, 0.52
LIT = 1.06  # how bright the middle is, beside the told colour
PLEATS = (0.38, 0.68, 0.84)  # of the way
SEAM, SEAM_AT, SEAM_WIDTH, SEAM_SOFT = 0.10, 0.86, 0.07, 2.0  # the last in cells of the bitmap
SHADOW, SHADOW_SOFT = 0.30, 2.2


@cache
def folds(side: int) -> Floats32:
    """How bright a mask's folds are over a texture (side, side)."""
    place = np.linspace(0, 1, side).astype(np.float32)
    across = ((place - 0.5) / HALF_WIDTH)[None, :]
    down = ((place - ROOT) / WAY)[:, None]
    told = LIT + 0.07 * _hill(across / 0.22) * _hill((down - 0.22) / 0.28)
    told = (
        told
        - 0.2 * np.clip(across, -1.2, 1.2) ** 2
        - 0.16 * np.clip((down - 0.72) / 0.35, 0, 1) ** 2
    )
    for pleat in PLEATS:
        below = down - (pleat + 0.08 * across**2)
        told = told + 0.05 * _hill((below + 0.035) / 0.03) - 0.08 * _hill(below / 0.016)
    return np.asarray(told, np.float32)


def seam(cells: Bools) -> Floats32:
    """How bright a mask is along its edge, on the bitmap's cells."""
    inside = cv2.GaussianBlur(cells.astype(np.float32), (0, 0), SEAM_SOFT)
    return np.asarray(1 - SEAM * _hill((inside - SEAM_AT) / SEAM_WIDTH), np.float32)


def shadow(cells: Bools) -> Floats32:
    """How bright skin is under and beside a mask, on the bitmap's cells."""
    around = cv2.GaussianBlur(cells.astype(np.float32), (0, 0), SHADOW_SOFT)
    return np.asarray(1 - SHADOW * around, np.float32)


def _hill(off: Array) -> Floats32:
    return np.asarray(np.exp(-off * off), np.float32)
