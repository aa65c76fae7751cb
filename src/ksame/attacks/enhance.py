"""Resolution enhancement of pixelated faces: maximum a posteriori, after Hardie et al. 1997.

A pixelated face is a low-resolution photo of the original (M section 6.2.2). With y the block
means, W the averaging of blocks and D the difference of a pixel from the mean of its four
neighbours, the estimate minimises

    |y - W x|^2 / noise + |D x|^2 / roughness,

whose gradient is linear in x; conjugate gradients solve it for all faces at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ksame.arrays import Array, Floats
from ksame.errors import InputError


def enhance(faces: Array, block: int, roughness: float = 200.0, noise: float = 1.0) -> Floats:
    """Sharper faces `(n, h, w)` whose block means are those of the pixelated ones.

    Parameters
    ----------
    faces
        Pixelated grey faces; blocks start at the upper left corner.
    block
        Side of the blocks, as `find_pixelation` tells it.
    roughness, noise
        Variances of the prior and of the block means: the smaller the noise against the
        roughness, the closer the result keeps to the blocks.
    """
    faces = np.asarray(faces, dtype=np.float64)
    if faces.ndim != 3:
        raise InputError(f"faces of shape {faces.shape}; (n, h, w) grey faces are needed.")
    if block < 2:
        return faces
    shape = faces.shape[1:]
    if block > min(shape):
        raise InputError(f"block={block} is larger than the faces of {shape[0]} x {shape[1]}.")
    weight = roughness / noise

    def normal(x: Floats) -> Floats:
        return weight * _spread(_means(x, block), block, shape) / block**2 + _rough(_rough(x))

    means = _means(faces, block)
    target = weight * _spread(means, block, shape) / block**2
    return _conjugate_gradients(normal, target, faces, steps=4 * block + 12)


def _conjugate_gradients(normal: Any, target: Floats, start: Floats, steps: int) -> Floats:
    """Solve `normal(x) = target` per face; faces that are solved stop moving."""
    x = start.copy()
    residual = target - normal(x)
    direction = residual.copy()
    energy = _dots(residual, residual)
    enough = 1e-10 * np.maximum(_dots(target, target), 1e-30)
    for _ in range(steps):
        if np.all(energy <= enough):
            break
        ahead = normal(direction)
        curve = np.maximum(_dots(direction, ahead), 1e-300)
        step = np.where(energy > enough, energy / curve, 0.0)[:, None, None]
        x += step * direction
        residual -= step * ahead
        fresh = _dots(residual, residual)
        direction = residual + (fresh / np.maximum(energy, 1e-300))[:, None, None] * direction
        energy = fresh
    return x


def _dots(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.einsum("nij,nij->n", a, b))


def _means(x: Floats, block: int) -> Floats:
    """Block means; blocks cut by the border average the pixels that they have."""
    rows = np.arange(0, x.shape[1], block)
    columns = np.arange(0, x.shape[2], block)
    sums = np.add.reduceat(np.add.reduceat(x, rows, axis=1), columns, axis=2)
    tall = np.diff(np.append(rows, x.shape[1]))
    wide = np.diff(np.append(columns, x.shape[2]))
    return np.asarray(sums / np.outer(tall, wide))


def _spread(means: Floats, block: int, shape: tuple[int, ...]) -> Floats:
    wide = np.repeat(np.repeat(means, block, axis=1), block, axis=2)
    return wide[:, : shape[0], : shape[1]]


def _rough(x: Floats) -> Floats:
    """A pixel minus the mean of its four neighbours, with the border repeated; symmetric."""
    out = np.zeros_like(x)
    down, across = np.diff(x, axis=1), np.diff(x, axis=2)
    out[:, :-1] -= down
    out[:, 1:] += down
    out[:, :, :-1] -= across
    out[:, :, 1:] += across
    return out / 4.0
