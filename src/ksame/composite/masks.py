"""Masks of the head frame that follow a face's mesh."""

from functools import lru_cache

import cv2
import numpy as np

from ksame.composite.blend import Floats32, smoothstep
from ksame.composite.frame import HEAD, OUTLINE, Floats

_TURN = 4096  # directions at which an outline is read off
_FEATURES = (
    ((33, 133, 159, 145, 160, 144, 158, 153, 46, 52, 65, 55), 1.15),
    ((263, 362, 386, 374, 387, 373, 385, 380, 276, 282, 295, 285), 1.15),
    ((61, 291, 0, 17, 37, 267, 84, 314, 13, 14), 1.15),
    ((98, 327, 2, 94, 129, 358), 1.05),
)


def skin_only(points: Floats) -> Floats32:
    """1 on bare skin of the face, 0 on its features and outside."""
    mask = radial(points, 0.9, 1.02)
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
    table = np.interp(np.arange(_TURN) * (2 * np.pi / _TURN), turns, reach).astype(np.float32)
    x = np.arange(HEAD.width, dtype=np.float32) - np.float32(centre[0])
    y = np.arange(HEAD.height, dtype=np.float32) - np.float32(centre[1])
    radius, angle = cv2.cartToPolar(*np.meshgrid(x, y))
    ratio: Floats32 = radius / table[(angle * (_TURN / (2 * np.pi))).astype(np.intp) % _TURN]
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
    at, width = [-1, -0.8, -0.5, 0.3, 0.75, 1], [1.06, 1.06, 1.02, 1.02, 1.17, 1.17]
    return np.asarray(np.interp(up, at, width), np.float32)
