"""Lamps and sky: how much of each reaches every vertex and every strand, shadows included."""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
import numpy.typing as npt
from tools.synthetic_people.raster import FAR, draw_depth, draw_points

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]

MAP = 176  # pixels of a shadow map
CENTRE = np.array([0.0, 7.1, 0.5], np.float32)
RADIUS = 2.4
SKY_DIRECTIONS = 40


@dataclass(frozen=True)
class Lamp:
    """A soft lamp: unit direction to it, colour times strength, half angle of its face."""

    direction: tuple[float, float, float]
    colour: tuple[float, float, float]
    spread: float = 0.2
    samples: int = 8


@dataclass(frozen=True)
class Rig:
    """Lamps and a sky that goes from `ground` to `zenith`."""

    lamps: tuple[Lamp, ...]
    zenith: tuple[float, float, float]
    ground: tuple[float, float, float]
    exposure: float = 1.0


@dataclass(frozen=True)
class Received:
    """Light at receivers: `sky` (n, 3) irradiance, `lamps` (n, lamps) their visible share."""

    sky: Floats
    lamps: Floats


@dataclass(frozen=True)
class Blockers:
    """What throws shadows: triangles of the head and points along the strands."""

    points: Floats
    triangles: Ints
    strand_points: Floats


@dataclass(frozen=True)
class ShadowMaps:
    """First surface seen along each direction: `axes` (d, 3, 3) map to pixels of `depth` (d, h, w).

    `colour` (d, 3) is the light that comes from there; `lamp` (d,) its lamp, or -1 for the sky.
    """

    axes: Floats
    depth: Floats
    colour: Floats
    lamp: Ints


def make_maps(rig: Rig, blockers: Blockers) -> ShadowMaps:
    """Look at the head from the sky and from points on the face of every lamp."""
    directions = [(d, -1, _sky_colour(rig, d)) for d in _sphere(SKY_DIRECTIONS)]
    for i, lamp in enumerate(rig.lamps):
        directions += [(d, i, np.full(3, 1 / lamp.samples)) for d in _lamp_face(lamp)]
    depth = np.full((len(directions), MAP, MAP), FAR, np.float32)
    axes = np.empty((len(directions), 3, 3), np.float32)
    for i, (direction, _, _) in enumerate(directions):
        right, up, forward = _frame(direction)
        axes[i] = np.stack([right, up, -forward])
        draw_depth(_to_map(blockers.points, axes[i]), blockers.triangles, depth[i])
        draw_points(_to_map(blockers.strand_points, axes[i]), depth[i])
    colour = np.array([d[2] for d in directions], np.float32)
    return ShadowMaps(axes, depth, colour, np.array([d[1] for d in directions], np.int32))


def receive(rig: Rig, maps: ShadowMaps, points: Floats, axes: Floats, strand: bool) -> Received:
    """Light at `points`; `axes` are normals, or tangents where the receivers are strands.

    Inside hair light fades with the depth below the first surface; on skin a shadow is sharp.
    """
    bias, fade = (0.02, 0.10) if strand else (0.045, 0.03)
    sky = np.zeros((len(points), 3), np.float32)
    lamps = np.zeros((len(points), len(rig.lamps)), np.float32)
    _gather(
        points, axes, maps.axes, maps.depth, maps.colour, maps.lamp, strand,
        np.float32(bias), np.float32(fade), sky, lamps,
    )  # fmt: skip
    return Received(sky, lamps)


def _sky_colour(rig: Rig, direction: Floats) -> Floats:
    up = 0.5 + 0.5 * float(direction[1])
    return 4.0 / SKY_DIRECTIONS * (np.array(rig.zenith) * up + np.array(rig.ground) * (1 - up))


def _lamp_face(lamp: Lamp) -> list[Floats]:
    """Sunflower points on the lamp's face."""
    right, up, forward = _frame(np.array(lamp.direction, np.float32))
    out = []
    for i in range(lamp.samples):
        r = lamp.spread * np.sqrt((i + 0.5) / lamp.samples)
        angle = 2.399963 * i
        d = forward + r * (np.cos(angle) * right + np.sin(angle) * up)
        out.append(d / np.linalg.norm(d))
    return out


@numba.njit(cache=True, fastmath=True)
def _to_map(points: Floats, axes: Floats) -> Floats:
    out = np.empty((points.shape[0], 3), np.float32)
    for i in range(points.shape[0]):
        x, y, z = points[i, 0] - CENTRE[0], points[i, 1] - CENTRE[1], points[i, 2] - CENTRE[2]
        for k in range(3):
            out[i, k] = axes[k, 0] * x + axes[k, 1] * y + axes[k, 2] * z
        out[i, 0] = (out[i, 0] / (2 * RADIUS) + 0.5) * (MAP - 1)
        out[i, 1] = (out[i, 1] / (2 * RADIUS) + 0.5) * (MAP - 1)
    return out


@numba.njit(cache=True, fastmath=True)
def _gather(
    points: Floats, axes: Floats, frames: Floats, depths: Floats, colours: Floats, lamp_of: Ints,
    strand: bool, bias: float, fade: float, sky: Floats, lamps: Floats,
) -> None:  # fmt: skip
    """Add the light of every direction to `sky` and `lamps`."""
    for d in range(frames.shape[0]):
        f = frames[d]
        for i in range(points.shape[0]):
            # the third axis points away from the light
            cosine = -(axes[i, 0] * f[2, 0] + axes[i, 1] * f[2, 1] + axes[i, 2] * f[2, 2])
            if lamp_of[d] < 0 and not strand and cosine <= 0:
                continue
            x, y, z = points[i, 0] - CENTRE[0], points[i, 1] - CENTRE[1], points[i, 2] - CENTRE[2]
            u = ((f[0, 0] * x + f[0, 1] * y + f[0, 2] * z) / (2 * RADIUS) + 0.5) * (MAP - 1)
            v = ((f[1, 0] * x + f[1, 1] * y + f[1, 2] * z) / (2 * RADIUS) + 0.5) * (MAP - 1)
            w = f[2, 0] * x + f[2, 1] * y + f[2, 2] * z - bias
            seen = _seen(depths[d], u, v, w, fade, strand)
            if lamp_of[d] >= 0:
                lamps[i, lamp_of[d]] += seen * colours[d, 0]
            else:
                share = seen * (0.7 * np.sqrt(max(0.0, 1 - cosine * cosine)) if strand else cosine)
                for c in range(3):
                    sky[i, c] += share * colours[d, c]


@numba.njit(cache=True, fastmath=True)
def _seen(depth: Floats, u: float, v: float, w: float, fade: float, nearest: bool) -> float:
    """How much light passes the first surface to reach depth `w`: bilinear over four texels."""
    u, v = min(max(u, 0.0), MAP - 1.01), min(max(v, 0.0), MAP - 1.01)
    if nearest:
        behind = w - depth[int(v + 0.5), int(u + 0.5)]
        return 1.0 if behind <= 0 else np.exp(-behind / fade)
    ix, iy = int(u), int(v)
    u, v = u - ix, v - iy
    total = 0.0
    for dy in range(2):
        for dx in range(2):
            behind = w - depth[iy + dy, ix + dx]
            seen = 1.0 if behind <= 0 else np.exp(-behind / fade)
            total += (u if dx else 1 - u) * (v if dy else 1 - v) * seen
    return total


def _frame(direction: Floats) -> tuple[Floats, Floats, Floats]:
    forward = direction / np.linalg.norm(direction)
    helper = np.array([0, 1, 0]) if abs(forward[1]) < 0.95 else np.array([1, 0, 0])
    right = np.cross(helper, forward)
    right /= np.linalg.norm(right)
    return right, np.cross(forward, right), forward


def _sphere(count: int) -> Floats:
    """Directions spread evenly over the sphere (Fibonacci lattice)."""
    i = np.arange(count) + 0.5
    y = 1 - 2 * i / count
    angle = np.pi * (1 + 5**0.5) * i
    ring = np.sqrt(1 - y * y)
    return np.stack([ring * np.cos(angle), y, ring * np.sin(angle)], 1).astype(np.float32)
