"""Skin tone of a face: the median colour of cheeks and forehead, and its class."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from ksame.errors import InputError
from ksame.vision.images import check_rgb

Floats = npt.NDArray[np.float64]

# polygons of the mesh that show skin and hardly any beard, hair or shadow
_PATCHES = (
    (117, 118, 101, 36, 205, 187, 123),  # right cheek
    (346, 347, 330, 266, 425, 411, 352),  # left cheek
    (108, 151, 337, 336, 9, 107),  # forehead above the brows
)
# limits of the individual typology angle in degrees (Chardon et al. 1991; Del Bino & Bernerd 2013)
_CLASSES = (
    (55.0, "very-light"),
    (41.0, "light"),
    (28.0, "intermediate"),
    (10.0, "tan"),
    (-30.0, "brown"),
)


@dataclass(frozen=True)
class SkinTone:
    """The median skin colour of a face.

    ``lab`` is CIE L*a*b* (L 0 to 100). Light and camera change it as much as the skin does: compare
    tones within a collection, not across cameras.
    """

    lab: Floats

    @property
    def ita(self) -> float:
        """The individual typology angle in degrees: atan((L - 50) / b); lighter is larger."""
        return float(np.degrees(np.arctan2(self.lab[0] - 50.0, max(self.lab[2], 1e-6))))

    @property
    def name(self) -> str:
        """One of ``very-light light intermediate tan brown dark``, by the angle."""
        for limit, name in _CLASSES:
            if self.ita > limit:
                return name
        return "dark"


def skin_tone(rgb: npt.NDArray[np.uint8], points: Floats) -> SkinTone:
    """The skin tone of a face with its 478 landmarks.

    Pixels near black or white are left out (glasses, highlights) unless nothing else remains.
    """
    image = check_rgb(rgb)
    if np.shape(points) != (478, 2):
        raise InputError(f"points have shape {np.shape(points)}; (478, 2) is needed.")
    skin = _skin_pixels(image, np.asarray(points, np.float64))
    lab = cv2.cvtColor((skin[None] / np.float32(255)).astype(np.float32), cv2.COLOR_RGB2LAB)[0]
    usable = (lab[:, 0] > 8) & (lab[:, 0] < 97)
    return SkinTone(np.median(lab[usable] if usable.any() else lab, axis=0).astype(np.float64))


def _skin_pixels(image: npt.NDArray[np.uint8], points: Floats) -> npt.NDArray[np.uint8]:
    """The pixels of the patches; of a face too small or outside, those around its centre."""
    height, width = image.shape[:2]
    low = np.clip(np.floor(points.min(axis=0)).astype(int), 0, (width - 1, height - 1))
    high = np.clip(np.ceil(points.max(axis=0)).astype(int) + 1, low + 1, (width, height))
    part = image[low[1] : high[1], low[0] : high[0]]
    mask = np.zeros(part.shape[:2], np.uint8)
    for patch in _PATCHES:
        polygon = np.round(points[list(patch)] - low).astype(np.int32)
        cv2.fillConvexPoly(mask, cv2.convexHull(polygon), 1)
    skin: npt.NDArray[np.uint8] = part[mask > 0]
    return skin if len(skin) else part.reshape(-1, 3)
