"""Photos as they would be in another light, from another camera, further away or with a mask."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from ksame.vision.illuminant import linear

Image = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

_JAW = (234, 93, 132, 58, 172, 136, 150, 149, 176, 148, 152, 377, 400, 378, 379, 365, 397, 288, 361)
_MASKED = (*_JAW, 323, 454, 6)
_MASKS = ((225, 225, 230), (120, 160, 200), (25, 25, 30))
_WIDTHS = (69, 69, 43, 29, 18, 13)  # px between the outer corners of the eyes


@dataclass(frozen=True)
class Sitting:
    """A photo and the landmarks of the face in it."""

    image: Image
    points: Floats  # (478, 2)
    box: Floats  # xyxy


def encoded(light: npt.NDArray[np.floating]) -> Image:
    """SRGB pixels of amounts of light; what is too bright is clipped."""
    clipped = np.clip(light, 0, 1)
    curve = np.where(clipped <= 0.0031308, 12.92 * clipped, 1.055 * clipped ** (1 / 2.4) - 0.055)
    return np.round(255 * curve).astype(np.uint8)


def resized(sitting: Sitting, width: float) -> Sitting:
    """The photo with ``width`` px between the outer corners of the eyes, if it has more."""
    factor = width / float(np.linalg.norm(sitting.points[33] - sitting.points[263]))
    if factor >= 1:
        return sitting
    size = [max(1, round(side * factor)) for side in sitting.image.shape[1::-1]]
    small = cv2.resize(sitting.image, size, interpolation=cv2.INTER_AREA)
    return Sitting(small, (sitting.points + 0.5) * factor - 0.5, sitting.box * factor)


def relit(sitting: Sitting, gains: Floats, gamma: float = 1.0, haze: float = 0.0) -> Sitting:
    """The photo with each channel's light multiplied, a camera's contrast, and haze."""
    levels = linear(np.arange(256, dtype=np.uint8)).astype(np.float64)[:, None] * gains
    table = encoded(np.clip(levels, 0, 1) ** gamma * (1 - haze) + haze)
    image = np.stack([cv2.LUT(sitting.image[..., i], table[:, i]) for i in range(3)], axis=2)
    return Sitting(image, sitting.points, sitting.box)


def side_lit(sitting: Sitting, strength: float, angle: float) -> Sitting:
    """The photo with a light that falls off across the face, e-folding ``strength`` times."""
    height, width = sitting.image.shape[:2]
    size = float(np.ptp(sitting.points[:, 1]))
    x, y = (sitting.points.mean(axis=0)) / size
    down, across = np.mgrid[:height, :width] / size
    slope = np.clip(np.cos(angle) * (across - x) + np.sin(angle) * (down - y), -0.7, 0.7)
    light = linear(sitting.image) * np.exp(strength * slope)[..., None]
    return Sitting(encoded(light), sitting.points, sitting.box)


def masked(sitting: Sitting, colour: tuple[int, int, int]) -> Sitting:
    """The face with mouth and nose behind a mask."""
    image = sitting.image.copy()
    outline = np.round(sitting.points[list(_MASKED)]).astype(np.int32)
    cv2.fillConvexPoly(image, cv2.convexHull(outline), colour)
    return Sitting(image, sitting.points, sitting.box)


def varied(sitting: Sitting, rng: np.random.Generator) -> Sitting:
    """One random sitting of the same person.

    Warm and cool light is what cameras leave of 2,500 to 10,000 K after their white balance;
    exposure varies by a stop or so, down more than up.
    """
    warm = np.clip(rng.normal(0, 0.5), -1.2, 1.2)
    tint = np.array([0.30 * warm, 0, -0.55 * warm]) + rng.normal(0, 0.04, 3)
    gains = np.exp(tint) * 2.0 ** np.clip(rng.normal(-0.2, 0.8), -3, 1)
    gamma = float(np.exp(rng.normal(0, 0.15)))
    haze = float(rng.random() < 0.5) * abs(rng.normal(0, 0.02))
    if rng.random() < 0.08:
        sitting = masked(sitting, _MASKS[rng.integers(len(_MASKS))])
    if rng.random() < 0.5:
        sitting = side_lit(sitting, abs(rng.normal(0, 1.3)), rng.uniform(0, 2 * np.pi))
    return resized(relit(sitting, gains, gamma, haze), _WIDTHS[rng.integers(len(_WIDTHS))])
