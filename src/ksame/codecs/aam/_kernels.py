"""Inner loops of the piecewise-affine warp: compiled where numba is installed, else in NumPy.

They are exact to rounding, unlike fixed-point remapping, which rounds source positions to 1/32
pixel. A first call compiles; the machine code is cached on disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ksame.codecs.aam import _plain
from ksame.compiled import compiled, has_numba

_EDGE = _plain.EDGE


def _rasterise(points: Any, triangles: Any, height: int, width: int) -> Any:
    """Each pixel centre's triangle on a grid (-1: none), and its barycentric weights there."""
    owner = np.full(height * width, -1, np.int32)
    weights = np.zeros((height * width, 3))
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, ay = points[a, 0], points[a, 1]
        bx, by = points[b, 0] - ax, points[b, 1] - ay
        cx, cy = points[c, 0] - ax, points[c, 1] - ay
        area = bx * cy - by * cx
        if area == 0.0:
            continue
        left = max(0, int(np.ceil(ax + min(0.0, bx, cx) - _EDGE)))
        right = min(width - 1, int(np.floor(ax + max(0.0, bx, cx) + _EDGE)))
        top = max(0, int(np.ceil(ay + min(0.0, by, cy) - _EDGE)))
        bottom = min(height - 1, int(np.floor(ay + max(0.0, by, cy) + _EDGE)))
        for y in range(top, bottom + 1):
            for x in range(left, right + 1):
                dx, dy = x - ax, y - ay
                beta = (dx * cy - dy * cx) / area
                gamma = (bx * dy - by * dx) / area
                alpha = 1.0 - beta - gamma
                pixel = y * width + x
                if owner[pixel] < 0 and min(alpha, beta, gamma) >= -_EDGE:
                    owner[pixel] = t
                    weights[pixel, 0] = alpha
                    weights[pixel, 1] = beta
                    weights[pixel, 2] = gamma
    return owner, weights


def _sample(image: Any, points: Any, vertices: Any, weights: Any, out: Any) -> None:
    """Bilinear samples of ``image`` (h, w, c) at the warped position of each template pixel."""
    height, width, channels = image.shape
    for i in range(vertices.shape[0]):
        a, b, c = vertices[i, 0], vertices[i, 1], vertices[i, 2]
        u, v, w = weights[i, 0], weights[i, 1], weights[i, 2]
        x = u * points[a, 0] + v * points[b, 0] + w * points[c, 0]
        y = u * points[a, 1] + v * points[b, 1] + w * points[c, 1]
        # positions outside the image take the nearest border pixel
        x = min(max(x, 0.0), width - 1.0)
        y = min(max(y, 0.0), height - 1.0)
        x0 = int(x)
        y0 = int(y)
        x1 = min(x0 + 1, width - 1)
        y1 = min(y0 + 1, height - 1)
        fx = x - x0
        fy = y - y0
        w00 = (1.0 - fx) * (1.0 - fy)
        w01 = fx * (1.0 - fy)
        w10 = (1.0 - fx) * fy
        w11 = fx * fy
        for k in range(channels):
            out[i, k] = (
                w00 * image[y0, x0, k]
                + w01 * image[y0, x1, k]
                + w10 * image[y1, x0, k]
                + w11 * image[y1, x1, k]
            )


def _gradient(values: Any, neighbours: Any, out: Any) -> None:
    """Differences of ``values`` (m, c) over each pixel's neighbours left, right, above and below.

    Central where both neighbours lie in the mesh, one-sided at its rim, 0 where neither does.
    """
    for i in range(values.shape[0]):
        for axis in range(2):
            before = neighbours[i, 2 * axis]
            after = neighbours[i, 2 * axis + 1]
            steps = (before >= 0) + (after >= 0)
            low = before if before >= 0 else i
            high = after if after >= 0 else i
            for k in range(values.shape[1]):
                if steps == 0:
                    out[i, k, axis] = 0.0
                else:
                    out[i, k, axis] = (values[high, k] - values[low, k]) / steps


def _steepest(gradient: Any, motion: Any, out: Any) -> None:
    """Steepest-descent images: gradient (m, c, 2) times dW/dp (m, 2, d), as rows (m * c, d)."""
    pixels, channels, _ = gradient.shape
    for i in range(pixels):
        for k in range(channels):
            gx, gy = gradient[i, k, 0], gradient[i, k, 1]
            row = i * channels + k
            for d in range(motion.shape[2]):
                out[row, d] = gx * motion[i, 0, d] + gy * motion[i, 1, d]


def _linear_parts(points: Any, triangles: Any, inverse_edges: Any, degree: Any) -> Any:
    """The warp's linear part (n, 2, 2) at each vertex: the mean over the triangles that meet."""
    out = np.zeros((points.shape[0], 2, 2))
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        for i in range(2):
            u = points[b, i] - points[a, i]
            v = points[c, i] - points[a, i]
            for j in range(2):
                value = u * inverse_edges[t, 0, j] + v * inverse_edges[t, 1, j]
                out[a, i, j] += value
                out[b, i, j] += value
                out[c, i, j] += value
    for n in range(points.shape[0]):
        for i in range(2):
            for j in range(2):
                out[n, i, j] /= max(degree[n], 1)
    return out


_FAST = has_numba()
rasterise: Any = compiled(_rasterise) if _FAST else _plain.rasterise
linear_parts: Any = compiled(_linear_parts) if _FAST else _plain.linear_parts
sample: Any = compiled(_sample) if _FAST else _plain.sample
gradient: Any = compiled(_gradient) if _FAST else _plain.gradient
steepest: Any = compiled(_steepest) if _FAST else _plain.steepest
