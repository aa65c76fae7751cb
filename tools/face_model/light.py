"""Take the light out of textures: what varies slowly with the surface's direction is shading."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats32 = npt.NDArray[np.float32]

_RIDGE = (
    2e-3  # of the fit, over the number of pixels: holds back what a half-hidden face leaves open
)
_ROUNDS = 4


def to_linear(srgb: npt.NDArray[np.floating]) -> Floats32:
    """sRGB 0 to 255 as linear light 0 to 1."""
    value = np.asarray(srgb, np.float32) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4).astype(
        np.float32
    )


def to_srgb(linear: npt.NDArray[np.floating]) -> Floats32:
    """Linear light 0 to 1 as sRGB 0 to 255."""
    value = np.clip(np.asarray(linear, np.float32), 0, 1)
    return (
        255 * np.where(value <= 0.0031308, 12.92 * value, 1.055 * value ** (1 / 2.4) - 0.055)
    ).astype(np.float32)


def shading_basis(normals: Floats32, order: int = 2) -> Floats32:
    """Spherical harmonics of unit normals without the constant: (..., 3) or (..., 8)."""
    x, y, z = normals[..., 0], normals[..., 1], normals[..., 2]
    parts = [x, y, z]
    if order == 2:
        parts += [x * y, x * z, y * z, x * x - y * y, 3 * z * z - 1]
    return np.stack(parts, -1).astype(np.float32)


def fit_shading(residual: Floats32, basis: Floats32, weights: Floats32) -> Floats32:
    """Coefficients of a basis (p, b) plus a constant in a residual (p,), robustly (Huber)."""
    full = np.column_stack([np.ones(len(basis), np.float32), basis]).astype(np.float64)
    own = weights.astype(np.float64)
    found = np.zeros(full.shape[1])
    for _ in range(_ROUNDS):
        weighted = full * own[:, None]
        gram = weighted.T @ full + np.diag([0.0] + [_RIDGE * len(full)] * basis.shape[1])
        found = np.linalg.solve(gram, weighted.T @ residual)
        rest = residual - full @ found
        scale = 1.48 * np.median(np.abs(rest[weights > 0.5])) + 1e-6
        own = weights / np.maximum(1, np.abs(rest) / (1.5 * scale))
    return found.astype(np.float32)
