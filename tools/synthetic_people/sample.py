"""Bilinear look-up of a map at many places."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
ROW = 4096  # OpenCV takes no picture wider than 32767


def sample(table: Floats, x: Floats, y: Floats) -> Floats:
    """Values of `table` at columns `x` and rows `y` (both (n,)); the border goes on outwards."""
    n = len(x)
    padded = np.zeros((2, -(-n // ROW) * ROW), np.float32)
    padded[0, :n], padded[1, :n] = x, y
    grid_x, grid_y = padded.reshape(2, -1, ROW)
    found = cv2.remap(table, grid_x, grid_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return found.ravel()[:n]
