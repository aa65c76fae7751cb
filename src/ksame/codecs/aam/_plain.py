"""The loops of `_kernels` in NumPy, for where numba is not installed; the same to the last bit."""

from __future__ import annotations

import numpy as np

from ksame.arrays import Array, Floats, Ints, Ints32

EDGE = 1e-9
"""A pixel centre this far outside an edge, in barycentric units, still counts as inside."""


def rasterise(points: Floats, triangles: Ints32, height: int, width: int) -> tuple[Ints32, Floats]:
    """Each pixel centre's triangle on a grid (-1: none), and its barycentric weights there."""
    owner = np.full(height * width, -1, np.int32)
    weights = np.zeros((height * width, 3))
    for number, corners in enumerate(points[triangles]):
        (ax, ay), (bx, by), (cx, cy) = corners[0], corners[1] - corners[0], corners[2] - corners[0]
        area = bx * cy - by * cx
        if area == 0.0:
            continue
        left = max(0, int(np.ceil(ax + min(0.0, bx, cx) - EDGE)))
        right = min(width - 1, int(np.floor(ax + max(0.0, bx, cx) + EDGE)))
        top = max(0, int(np.ceil(ay + min(0.0, by, cy) - EDGE)))
        bottom = min(height - 1, int(np.floor(ay + max(0.0, by, cy) + EDGE)))
        x, y = np.arange(left, right + 1)[None, :], np.arange(top, bottom + 1)[:, None]
        dx, dy = x - ax, y - ay
        beta = (dx * cy - dy * cx) / area
        gamma = (bx * dy - by * dx) / area
        three = np.stack([1.0 - beta - gamma, beta, gamma], axis=-1)
        pixel = y * width + x
        # of two triangles that share an edge the first one takes its pixels
        mine = (owner[pixel] < 0) & (three.min(axis=-1, initial=np.inf) >= -EDGE)
        owner[pixel[mine]] = number
        weights[pixel[mine]] = three[mine]
    return owner, weights


def sample(image: Array, points: Floats, vertices: Ints32, weights: Floats, out: Array) -> None:
    """Bilinear samples of ``image`` (h, w, c) at the warped position of each template pixel."""
    height, width, _ = image.shape
    corners = points[vertices]
    place = weights[:, 0, None] * corners[:, 0]
    place = place + weights[:, 1, None] * corners[:, 1]
    place = place + weights[:, 2, None] * corners[:, 2]
    # positions outside the image take the nearest border pixel
    x, y = np.clip(place[:, 0], 0.0, width - 1.0), np.clip(place[:, 1], 0.0, height - 1.0)
    x0, y0 = x.astype(np.intp), y.astype(np.intp)
    x1, y1 = np.minimum(x0 + 1, width - 1), np.minimum(y0 + 1, height - 1)
    fx, fy = (x - x0)[:, None], (y - y0)[:, None]
    out[:] = (
        (1.0 - fx) * (1.0 - fy) * image[y0, x0]
        + fx * (1.0 - fy) * image[y0, x1]
        + (1.0 - fx) * fy * image[y1, x0]
        + fx * fy * image[y1, x1]
    )


def gradient(values: Array, neighbours: Ints32, out: Array) -> None:
    """Differences of ``values`` (m, c) over each pixel's neighbours left, right, above and below.

    Central where both neighbours lie in the mesh, one-sided at its rim, 0 where neither does.
    """
    own = np.arange(len(values))
    for axis in range(2):
        before, after = neighbours[:, 2 * axis], neighbours[:, 2 * axis + 1]
        steps = (before >= 0).astype(np.int64) + (after >= 0)
        low, high = np.where(before >= 0, before, own), np.where(after >= 0, after, own)
        out[:, :, axis] = (values[high] - values[low]) / np.maximum(steps, 1)[:, None]


def steepest(gradient: Array, motion: Array, out: Array) -> None:
    """Steepest-descent images: gradient (m, c, 2) times dW/dp (m, 2, d), as rows (m * c, d)."""
    along = gradient[:, :, 0, None] * motion[:, None, 0]
    along = along + gradient[:, :, 1, None] * motion[:, None, 1]
    out[:] = along.reshape(out.shape)


def linear_parts(points: Floats, triangles: Ints32, inverse_edges: Floats, degree: Ints) -> Floats:
    """The warp's linear part (n, 2, 2) at each vertex: the mean over the triangles that meet."""
    corners = points[triangles]
    u, v = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    parts = u[:, :, None] * inverse_edges[:, None, 0] + v[:, :, None] * inverse_edges[:, None, 1]
    out = np.zeros((len(points), 2, 2))
    np.add.at(out, triangles.ravel(), parts.repeat(3, axis=0))
    return out / np.maximum(degree, 1)[:, None, None]
