"""The z-buffer: triangles and strands, drawn by Numba loops."""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]
FAR = np.float32(1e9)


@numba.njit(cache=True, fastmath=True)
def draw_triangles(
    points: Floats, triangles: Ints, first: int, face: Ints, weights: Floats, depth: Floats
) -> None:
    """Draw into `face` (triangle index plus `first`), `weights` (two barycentric) and `depth`.

    `points` are x, y in pixels and a depth that grows away from the camera.
    """
    height, width = depth.shape
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, ay = points[a, 0], points[a, 1]
        bx, by = points[b, 0], points[b, 1]
        cx, cy = points[c, 0], points[c, 1]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if abs(area) < 1e-9:
            continue
        x0 = max(int(np.ceil(min(ax, bx, cx))), 0)
        x1 = min(int(np.floor(max(ax, bx, cx))), width - 1)
        y0 = max(int(np.ceil(min(ay, by, cy))), 0)
        y1 = min(int(np.floor(max(ay, by, cy))), height - 1)
        for y in range(y0, y1 + 1):
            for x in range(x0, x1 + 1):
                v = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area
                w = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area
                if v < -1e-5 or w < -1e-5 or v + w > 1.00001:
                    continue
                z = points[a, 2] * (1 - v - w) + points[b, 2] * v + points[c, 2] * w
                if z < depth[y, x]:
                    depth[y, x] = z
                    face[y, x] = t + first
                    weights[y, x, 0] = v
                    weights[y, x, 1] = w


@numba.njit(cache=True, fastmath=True)
def draw_depth(points: Floats, triangles: Ints, depth: Floats) -> None:
    """Draw depth alone: the view of a light."""
    height, width = depth.shape
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, ay = points[a, 0], points[a, 1]
        bx, by = points[b, 0], points[b, 1]
        cx, cy = points[c, 0], points[c, 1]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if abs(area) < 1e-9:
            continue
        x0 = max(int(np.ceil(min(ax, bx, cx))), 0)
        x1 = min(int(np.floor(max(ax, bx, cx))), width - 1)
        y0 = max(int(np.ceil(min(ay, by, cy))), 0)
        y1 = min(int(np.floor(max(ay, by, cy))), height - 1)
        for y in range(y0, y1 + 1):
            for x in range(x0, x1 + 1):
                v = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area
                w = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area
                if v < -1e-5 or w < -1e-5 or v + w > 1.00001:
                    continue
                z = points[a, 2] * (1 - v - w) + points[b, 2] * v + points[c, 2] * w
                depth[y, x] = min(depth[y, x], z)


@numba.njit(cache=True, fastmath=True)
def draw_strands(
    points: Floats, colours: Floats, widths: Floats, image: Floats, depth: Floats, opacity: float
) -> None:
    """Draw polylines: `points` (s, p, 3) on screen, `colours` (s, p, 3), `widths` (s, p) in pixels.

    A strand hides what lies behind it; it is mixed in by `opacity`, so that thin ones stay soft.
    """
    height, width = depth.shape
    for s in range(points.shape[0]):
        for p in range(points.shape[1] - 1):
            x0, y0, z0 = points[s, p, 0], points[s, p, 1], points[s, p, 2]
            dx, dy = points[s, p + 1, 0] - x0, points[s, p + 1, 1] - y0
            dz = points[s, p + 1, 2] - z0
            steps = int(max(abs(dx), abs(dy))) + 1
            if steps > 400:
                continue
            for i in range(steps):
                f = i / steps
                w = widths[s, p] * (1 - f) + widths[s, p + 1] * f
                half = 0.5 * (w - 1.0)
                z = z0 + f * dz
                # a strand is wide across its own direction, so widen along the other axis
                flat = abs(dx) > abs(dy)
                reach = int(np.ceil(half)) if half > 0 else 0
                for o in range(-reach, reach + 1):
                    cover = min(1.0, half + 1.0 - abs(o)) if half > 0 else w
                    x = int(x0 + f * dx + 0.5) + (0 if flat else o)
                    y = int(y0 + f * dy + 0.5) + (o if flat else 0)
                    if x < 0 or y < 0 or x >= width or y >= height or z > depth[y, x] + 0.004:
                        continue
                    a = opacity * cover
                    for c in range(3):
                        shade = colours[s, p, c] * (1 - f) + colours[s, p + 1, c] * f
                        image[y, x, c] = image[y, x, c] * (1 - a) + shade * a
                    if a > 0.5 and z < depth[y, x]:
                        depth[y, x] = z


@numba.njit(cache=True, fastmath=True)
def draw_points(points: Floats, depth: Floats) -> None:
    """Lower `depth` at every point: strands as a light sees them."""
    height, width = depth.shape
    for i in range(points.shape[0]):
        x, y = int(points[i, 0] + 0.5), int(points[i, 1] + 0.5)
        if 0 <= x < width and 0 <= y < height:
            depth[y, x] = min(depth[y, x], points[i, 2])


@numba.njit(cache=True, fastmath=True)
def interpolate(values: Floats, triangles: Ints, face: Ints, weights: Floats) -> Floats:
    """Values of the vertices (n, c) at the pixels that show a triangle; zero elsewhere."""
    height, width = face.shape
    out = np.zeros((height, width, values.shape[1]), np.float32)
    for y in range(height):
        for x in range(width):
            t = face[y, x]
            if t < 0 or t >= triangles.shape[0]:
                continue
            v, w = weights[y, x, 0], weights[y, x, 1]
            a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            for k in range(values.shape[1]):
                out[y, x, k] = values[a, k] * (1 - v - w) + values[b, k] * v + values[c, k] * w
    return out


@numba.njit(cache=True, fastmath=True)
def vertex_normals(points: Floats, triangles: Ints) -> Floats:
    """Area-weighted unit normals."""
    out = np.zeros_like(points)
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ux, uy, uz = points[b] - points[a]
        vx, vy, vz = points[c] - points[a]
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        for i in (a, b, c):
            out[i, 0] += nx
            out[i, 1] += ny
            out[i, 2] += nz
    for i in range(out.shape[0]):
        size = np.sqrt(out[i, 0] ** 2 + out[i, 1] ** 2 + out[i, 2] ** 2) + 1e-12
        out[i] /= size
    return out
