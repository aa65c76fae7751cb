"""Masks that follow a face's mesh."""

from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32
from ksame.composite.blend import smoothstep
from ksame.composite.frame import HEAD, OUTLINE, HeadFrame

_DIRECTIONS: Final = 4096  # directions at which an outline is read off
# landmarks around eyes and brows, mouth and nostrils, and how much wider each one is than these
_FEATURES: Final = (
    ((33, 133, 159, 145, 160, 144, 158, 153, 46, 52, 65, 55), 1.15),
    ((263, 362, 386, 374, 387, 373, 385, 380, 276, 282, 295, 285), 1.15),
    ((61, 291, 0, 17, 37, 267, 84, 314, 13, 14), 1.15),
    ((98, 327, 2, 94, 129, 358), 1.05),
)

_SKIN_ENDS: Final = (0.9, 1.02)  # of the outline
# sine of the direction, -1 down to 1 up, and how wide a natural face is there over its outline
_WIDTHS: Final = ((-1, -0.8, -0.5, 0.3, 0.75, 1), (1.06, 1.06, 1.02, 1.02, 1.17, 1.17))


def skin_only(points: Floats) -> Floats32:
    """1 on bare skin of the face, 0 on its features and outside."""
    mask = radial(points, *_SKIN_ENDS)
    for feature, width in _FEATURES:
        outline = points[list(feature)]
        centre = outline.mean(axis=0)
        corners = cv2.convexHull((centre + (outline - centre) * width).astype(np.float32))
        cv2.fillConvexPoly(mask, np.round(corners).astype(np.int32), 0.0)
    blurred: Floats32 = cv2.GaussianBlur(mask, (0, 0), 4.0)
    return blurred


def radial(points: Floats, inner: float, outer: float) -> Floats32:
    """1 inside the outline scaled by ``inner``, 0 outside the one scaled by ``outer``."""
    reach = rho(points)
    return 1 - smoothstep(reach, inner, outer)


def rho(points: Floats) -> Floats32:
    """For each pixel, its radius over the radius of the face's outline at that angle; read-only."""
    return _rho(points[list(OUTLINE)].tobytes())


@lru_cache(maxsize=2)  # several masks of one face follow one another
def _rho(corners: bytes) -> Floats32:
    outline = np.frombuffer(corners).reshape(-1, 2)
    centre = (outline.min(axis=0) + outline.max(axis=0)) / 2
    polar = outline - centre
    angles, radii = np.arctan2(polar[:, 1], polar[:, 0]), np.hypot(*polar.T)
    order = np.argsort(angles)
    turns, reach = _around(angles[order], radii[order])
    table = np.interp(np.arange(_DIRECTIONS) * (2 * np.pi / _DIRECTIONS), turns, reach).astype(
        np.float32
    )
    x = np.arange(HEAD.width, dtype=np.float32) - np.float32(centre[0])
    y = np.arange(HEAD.height, dtype=np.float32) - np.float32(centre[1])
    radius, angle = cv2.cartToPolar(*np.meshgrid(x, y))
    ratio: Floats32 = (
        radius / table[(angle * (_DIRECTIONS / (2 * np.pi))).astype(np.intp) % _DIRECTIONS]
    )
    ratio.flags.writeable = False
    return ratio


def _around(angles: Floats, radii: Floats) -> tuple[Floats, Floats]:
    """Angles from 0 to 2 pi, with one turn more on both sides."""
    turn = 2 * np.pi
    angles, radii = np.tile(angles, 3), np.tile(radii, 3)
    n = len(angles) // 3
    angles = angles + np.repeat([-turn, 0, turn], n)
    return angles, radii


def widths(points: Floats) -> Floats32:
    """How wide a natural face is over its outline: more at the forehead, less at the sides."""
    outline = points[list(OUTLINE)]
    centre = (outline.min(axis=0) + outline.max(axis=0)) / 2
    x = np.arange(HEAD.width, dtype=np.float32)[None, :] - np.float32(centre[0])
    y = np.arange(HEAD.height, dtype=np.float32)[:, None] - np.float32(centre[1])
    up = -y / np.maximum(np.hypot(x, y), 1e-3)
    return np.asarray(np.interp(up, *_WIDTHS), np.float32)


def hull(points: Floats, width: float, frame: HeadFrame) -> Floats32:
    """The face's outline widened around its centre, filled with 1."""
    outline = points[list(OUTLINE)]
    centre = (outline.min(axis=0) + outline.max(axis=0)) / 2
    mask = np.zeros((frame.height, frame.width), np.float32)
    corners = np.round((centre + (outline - centre) * width) * 16).astype(np.int32)
    cv2.fillPoly(mask, [corners], 1.0, cv2.LINE_AA, shift=4)
    return mask
