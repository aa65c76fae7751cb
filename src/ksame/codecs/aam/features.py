"""What the fitting compares: channels computed from a grey image at the template's resolution.

Raw intensities carry each person's skin, beard and light; directions of edges generalise to people
whom the model has never seen. The gradient channels (Cootes & Taylor 2001, "edge structure") keep
the direction and bring its strength softly to 1.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from ksame.arrays import Array, Floats, Floats32

_SMOOTH = 1.0  # pixels of the template: removes what the next coarser mesh could not follow


def gradient_directions(grey: Floats32) -> Floats32:
    """Gradients (h, w, 2) divided by their strength plus the crop's median strength."""
    smooth = cv2.GaussianBlur(grey, (0, 0), _SMOOTH)
    gx = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, ksize=3, scale=0.125)
    gy = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, ksize=3, scale=0.125)
    strength = cv2.magnitude(gx, gy)
    soft = np.float32(np.median(strength)) + np.float32(1e-3)
    shrink = 1.0 / (strength + soft)
    return np.dstack([gx * shrink, gy * shrink])


def intensity(grey: Floats32) -> Floats32:
    """The grey values (h, w, 1), brought to mean 0 and deviation 1 over the crop."""
    centred = grey - grey.mean()
    return np.asarray((centred / (centred.std() + np.float32(1e-3)))[:, :, None])


FEATURES: dict[str, Callable[[Floats32], Floats32]] = {
    "gradient": gradient_directions,
    "intensity": intensity,
}


def to_grey(image: Array) -> Array:
    """One channel of an RGB or grey image."""
    if image.ndim == 2:
        return image
    if image.dtype == np.uint8:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY))
    return np.asarray(image @ np.array([0.299, 0.587, 0.114], dtype=image.dtype))


class Crop:
    """A face's surroundings resampled to a template's scale, and the way back to the image."""

    def __init__(self, image: Array, points: Floats, scale: float, pad: float = 0.35):
        low, high = points.min(axis=0), points.max(axis=0)
        reach = pad * float((high - low).max())
        limit = np.array([image.shape[1], image.shape[0]])
        first = np.clip(np.floor(low - reach), 0, limit - 2).astype(int)
        last = np.clip(np.ceil(high + reach), first + 2, limit).astype(int)
        size = np.maximum(np.rint((last - first) * scale).astype(int), 4)
        self._origin = first
        self._factor = size / (last - first)
        part = image[first[1] : last[1], first[0] : last[0]]
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        grey = to_grey(part)
        self.grey: Floats32 = cv2.resize(
            grey, (int(size[0]), int(size[1])), interpolation=how
        ).astype(np.float32)

    def inside(self, points: Floats) -> Floats:
        """Image points in the crop's pixels; pixel centres lie at whole numbers in both."""
        return np.asarray((points - self._origin + 0.5) * self._factor - 0.5)

    def outside(self, points: Floats) -> Floats:
        """Crop points in the image's pixels."""
        return np.asarray((points + 0.5) / self._factor - 0.5 + self._origin)
