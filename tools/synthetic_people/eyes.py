"""Eyeballs: a sphere with a cornea, and the colours of pupil, iris, limbus and sclera."""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt
from tools.synthetic_people.noise import fractal, value_noise

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

RINGS, SECTORS = 28, 40
IRIS = 0.50  # sine of the iris' half angle
PUPIL = 0.19


def eyeball(centre: Floats, radius: float, gaze: Floats) -> tuple[Floats, Floats, Ints]:
    """Front half of an eyeball: vertices, unit vectors with z along the gaze, triangles."""
    polar = np.linspace(0, 0.62 * np.pi, RINGS)
    around = np.linspace(0, 2 * np.pi, SECTORS, endpoint=False)
    p, a = np.meshgrid(polar, around, indexing="ij")
    local = np.stack([np.sin(p) * np.cos(a), np.sin(p) * np.sin(a), np.cos(p)], -1).reshape(-1, 3)
    bulge = 1 + 0.055 * np.clip(1 - (np.sin(p) / (IRIS * 1.15)) ** 2, 0, 1) * (p < 1.2)
    turned = (local * bulge.reshape(-1, 1)) @ _turn(gaze).T
    i, j = np.meshgrid(np.arange(RINGS - 1), np.arange(SECTORS), indexing="ij")
    k = (j + 1) % SECTORS
    first = np.stack([i * SECTORS + j, (i + 1) * SECTORS + j, (i + 1) * SECTORS + k], -1)
    second = np.stack([i * SECTORS + j, (i + 1) * SECTORS + k, i * SECTORS + k], -1)
    triangles = np.concatenate([first.reshape(-1, 3), second.reshape(-1, 3)]).astype(np.int32)
    points = (centre + radius * turned).astype(np.float32)
    return points, local.astype(np.float32), triangles


def _turn(gaze: Floats) -> Floats:
    forward = gaze / np.linalg.norm(gaze)
    right = np.cross([0.0, 1.0, 0.0], forward)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(forward, right), forward], 1)


@numba.njit(cache=True, fastmath=True)
def eye_colours(local: Floats, iris: Floats, age: float, seed: int) -> Floats:
    """Linear albedo at unit vectors (n, 3) of an eyeball."""
    out = np.empty_like(local)
    for i in range(local.shape[0]):
        x, y = local[i, 0], local[i, 1]
        r = np.sqrt(x * x + y * y)
        angle = np.arctan2(y, x)
        veins = max(0.0, fractal(x * 9, y * 9, local[i, 2] * 9, 3, seed) - 0.45)
        side = min(1.0, max(0.0, (r - 0.5) * 1.6))
        sclera = (
            0.66 - 0.10 * side - 0.1 * veins - 0.05 * age,
            0.60 - 0.16 * side - 0.4 * veins - 0.07 * age,
            0.56 - 0.17 * side - 0.4 * veins - 0.10 * age,
        )
        t = min(max((r - PUPIL) / (IRIS - PUPIL), 0.0), 1.0)
        fibre = value_noise(np.cos(angle) * 14, np.sin(angle) * 14, r * 3, seed + 7)
        fibre += 0.6 * value_noise(np.cos(angle) * 30, np.sin(angle) * 30, r * 5, seed + 9)
        collar = np.exp(-(((t - 0.25) / 0.16) ** 2))
        shade = (0.75 + 0.40 * fibre * (0.4 + t)) * (1.15 - 0.25 * t)
        limbus = min(max((r - IRIS * 0.80) / (IRIS * 0.20), 0.0), 1.0)
        to_white = min(max((r - IRIS * 0.97) / (IRIS * 0.10), 0.0), 1.0)
        in_pupil = min(max((PUPIL - r) / 0.035 + 0.5, 0.0), 1.0)
        for c in range(3):
            warm = 0.05 * collar * (1.0 if c == 0 else 0.6 if c == 1 else 0.15)
            value = (iris[c] * shade * 0.85 + 0.6 * warm) * (1 - 0.72 * limbus * limbus)
            value = value * (1 - in_pupil) + 0.004 * in_pupil
            out[i, c] = max(value * (1 - to_white) + sclera[c] * to_white, 0.002)
    return out
