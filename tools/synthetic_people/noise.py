"""Smooth random functions of space: value noise and its sum over octaves."""

from __future__ import annotations

import numba
import numpy as np


@numba.njit(cache=True, inline="always")
def _hash(x: int, y: int, z: int, seed: int) -> float:
    h = np.uint32(x * 374761393 + y * 668265263 + z * 2147483647 + seed * 1274126177)
    h = np.uint32((h ^ (h >> np.uint32(13))) * np.uint32(1274126177))
    h = np.uint32((h ^ (h >> np.uint32(16))) * np.uint32(2246822519))
    return np.float32(h >> np.uint32(8)) / np.float32(16777216.0)


@numba.njit(cache=True, fastmath=True)
def value_noise(x: float, y: float, z: float, seed: int) -> float:
    """Smooth noise in [-1, 1] with features of size one."""
    fx, fy, fz = np.floor(x), np.floor(y), np.floor(z)
    ix, iy, iz = int(fx), int(fy), int(fz)
    u, v, w = x - fx, y - fy, z - fz
    u = u * u * (3 - 2 * u)
    v = v * v * (3 - 2 * v)
    w = w * w * (3 - 2 * w)
    total = 0.0
    for dx in range(2):
        for dy in range(2):
            for dz in range(2):
                weight = (u if dx else 1 - u) * (v if dy else 1 - v) * (w if dz else 1 - w)
                total += weight * _hash(ix + dx, iy + dy, iz + dz, seed)
    return 2 * total - 1


@numba.njit(cache=True, fastmath=True)
def fractal(x: float, y: float, z: float, octaves: int, seed: int) -> float:
    """Noise summed over octaves of half the size and half the strength."""
    total, strength = 0.0, 1.0
    for i in range(octaves):
        total += strength * value_noise(x, y, z, seed + i)
        x, y, z, strength = 2.03 * x, 2.03 * y, 2.03 * z, 0.5 * strength
    return total


@numba.njit(cache=True, fastmath=True)
def fractal_at(points: np.ndarray, octaves: int, seed: int) -> np.ndarray:
    """`fractal` at the rows of `points`."""
    out = np.empty(points.shape[0], np.float32)
    for i in range(points.shape[0]):
        out[i] = fractal(points[i, 0], points[i, 1], points[i, 2], octaves, seed)
    return out
