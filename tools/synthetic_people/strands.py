"""Bundles of strands: roots on the head, growth with gravity and collision, shading."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tools.synthetic_people.lights import Received, Rig, ShadowMaps, receive

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Roots:
    """Places on triangles, by barycentric weights, so that roots follow the face."""

    triangle: Ints
    weights: Floats

    def at(self, values: Floats, triangles: Ints) -> Floats:
        """Vertex values (n, c) at the roots."""
        return np.einsum("sk,skc->sc", self.weights, values[triangles[self.triangle]])


@dataclass(frozen=True)
class Strands:
    """Polylines (s, p, 3), the colour of each and the width in pixels at its root and tip."""

    points: Floats
    colours: Floats
    width: tuple[float, float]
    gloss: float = 1.0


def scatter(
    points: Floats, triangles: Ints, density: Floats, count: int, rng: np.random.Generator
) -> Roots:
    """`count` roots, in proportion to area times the `density` of the vertices."""
    corners = points[triangles]
    area = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    mass = area * density[triangles].mean(1)
    chosen = rng.choice(len(triangles), size=count, p=mass / mass.sum())
    u, v = rng.random(count), rng.random(count)
    flip = u + v > 1
    u[flip], v[flip] = 1 - u[flip], 1 - v[flip]
    return Roots(chosen.astype(np.int32), np.stack([1 - u - v, u, v], 1).astype(np.float32))


def tangents(points: Floats) -> Floats:
    """Unit direction along each strand at each point."""
    along = np.gradient(points, axis=1)
    return along / (np.linalg.norm(along, axis=2, keepdims=True) + 1e-9)


def shade_strands(strands: Strands, maps: ShadowMaps, rig: Rig, eye: Floats) -> Floats:
    """Colours (s, p, 3): Kajiya and Kay's (1989) fibre with a white and a tinted highlight.

    Light changes slowly along a strand, so a third of its points is shaded and the rest mixed.
    """
    count = strands.points.shape[1]
    knots = np.unique(np.linspace(0, count - 1, max(3, count // 3)).astype(int))
    points = np.ascontiguousarray(strands.points[:, knots])
    tangent = np.ascontiguousarray(tangents(strands.points)[:, knots])
    light = receive(rig, maps, points.reshape(-1, 3), tangent.reshape(-1, 3), strand=True)
    shaded = _shade_knots(strands, points, tangent, light, rig, eye)
    mix = np.array([np.interp(np.arange(count), knots, row) for row in np.eye(len(knots))])
    return np.einsum("skc,kp->spc", shaded, mix.astype(np.float32), optimize=True)


def _shade_knots(
    strands: Strands, points: Floats, tangent: Floats, light: Received, rig: Rig, eye: Floats
) -> Floats:
    shape = points.shape
    view = eye - points
    view /= np.linalg.norm(view, axis=2, keepdims=True)
    base = strands.colours[:, None, :]
    out = base * light.sky.reshape(shape) * 1.1
    sparkle = np.random.default_rng(1).normal(0, 0.035, (shape[0], 1)).astype(np.float32)
    for i, lamp in enumerate(rig.lamps):
        direction = np.array(lamp.direction, np.float32)
        direction /= np.linalg.norm(direction)
        seen = light.lamps[:, i].reshape(shape[:2])
        half = direction + view
        half /= np.linalg.norm(half, axis=2, keepdims=True)
        along_light = tangent @ direction
        along_half = (tangent * half).sum(2)
        diffuse = np.sqrt(np.clip(1 - along_light**2, 0, 1)) * 0.75
        first = np.clip(1 - (along_half + 0.08 + sparkle) ** 2, 0, 1) ** 60
        second = np.clip(1 - (along_half - 0.12 + sparkle) ** 2, 0, 1) ** 22
        colour = np.array(lamp.colour, np.float32)
        shine = strands.gloss * (0.026 * first[..., None] + 0.6 * second[..., None] * base)
        out += seen[..., None] * colour * (base * diffuse[..., None] + shine)
    return out.astype(np.float32)


def refined(path: Floats, steps: int) -> Floats:
    """The same polylines with more points, for curls."""
    old, new = np.linspace(0, 1, path.shape[1]), np.linspace(0, 1, steps)
    mix = np.array([np.interp(new, old, row) for row in np.eye(len(old))], np.float32)
    return np.einsum("spc,pq->sqc", path, mix, optimize=True)
