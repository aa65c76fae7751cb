"""Whole eyeballs from what lids leave free: irises are round, the white goes on as it is."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
from tools.face_model.extend import extended
from tools.face_model.frame import EYE_UNIT

from ksame.codecs.face.geometry import IRIS_RADIUS

Floats32 = npt.NDArray[np.float32]

RADIUS = IRIS_RADIUS * EYE_UNIT
_EDGE = 1.35  # lids throw a shadow on this many pixels of the eyeball
_ENOUGH = 0.2  # share of the iris that must be seen


def whole_eye(island: npt.NDArray[np.uint8], centre: tuple[float, float]) -> Floats32 | None:
    """One eyeball (h, w, 3) as luma, Cr, Cb; None where too little of it is seen.

    `island` has the visible part as its fourth channel; `centre` (x, y) is the iris' place.
    """
    picture = cv2.cvtColor(island[..., :3].astype(np.float32) / 255, cv2.COLOR_RGB2YCrCb) * 255
    seen = cv2.erode(island[..., 3], np.ones((5, 5), np.uint8)).astype(np.float32) / 255
    row, column = np.mgrid[: island.shape[0], : island.shape[1]]
    distance = np.hypot(column - centre[0], row - centre[1])
    iris = distance < 0.93 * RADIUS
    if seen[iris].mean() < _ENOUGH:
        return None
    profile = _profile(picture, seen, distance)
    if profile is None:
        return None
    round_part = profile[np.clip(np.round(distance).astype(int), 0, len(profile) - 1)]
    # reflections of lamps are light, not eye
    shine = (picture[..., 0] > round_part[..., 0] + 28) & (distance < RADIUS)
    seen = seen * (1 - cv2.dilate(shine.astype(np.uint8), np.ones((3, 3), np.uint8)))
    white = seen * (distance > 1.12 * RADIUS)
    if white.sum() < 30:
        return None
    outside = extended(picture, white, reach=3.0)
    inside = seen[..., None] * picture + (1 - seen[..., None]) * round_part
    inside = 0.6 * inside + 0.4 * round_part
    blend = np.clip((1.16 * RADIUS - distance) / (0.16 * RADIUS), 0, 1)[..., None]
    return (blend * inside + (1 - blend) * outside).astype(np.float32)


def _profile(picture: Floats32, seen: Floats32, distance: Floats32) -> Floats32 | None:
    """The median colour at each distance from the pupil, where it is seen."""
    out = []
    for ring in range(int(1.3 * RADIUS) + 2):
        own = (np.abs(distance - ring) < 0.8) & (seen > 0.6)
        out.append(np.median(picture[own], axis=0) if own.sum() >= 3 else np.full(3, np.nan))
    table = np.array(out, np.float32)
    good = np.isfinite(table[:, 0])
    if good.sum() < 0.5 * len(table):
        return None
    places = np.arange(len(table))
    return np.stack([np.interp(places, places[good], table[good, c]) for c in range(3)], 1).astype(
        np.float32
    )
