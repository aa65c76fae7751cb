"""Eyebrows, lashes and beards: short strands whose roots move with the expression."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from tools.synthetic_people.assets import SKIN, Assets
from tools.synthetic_people.noise import fractal_at
from tools.synthetic_people.person import Person, grey_mix, rng_of
from tools.synthetic_people.raster import vertex_normals
from tools.synthetic_people.skin import beard_area
from tools.synthetic_people.strands import Roots, Strands, scatter

Floats = npt.NDArray[np.float32]


def _curved(root: Floats, first: Floats, last: Floats, length: Floats, steps: int = 5) -> Floats:
    """Strands that leave along `first` and end along `last`."""
    t = np.linspace(0, 1, steps, dtype=np.float32)[None, :, None]
    reach = length[:, None, None]
    return root[:, None] + reach * (first[:, None] * (t - t * t / 2) + last[:, None] * t * t / 2)


def _unit(v: Floats) -> Floats:
    return v / (np.linalg.norm(v, axis=-1, keepdims=True) + 1e-9)


def _fixed_roots(assets: Assets, density: Floats, count: int, rng: np.random.Generator) -> Roots:
    density = np.where(assets.part == SKIN, density, 0).astype(np.float32)
    return scatter(assets.rest, assets.mesh.triangles, density, count, rng)


def make_brows(assets: Assets, person: Person, points: Floats) -> Strands:
    """Two arcs of hairs that rise at the nose and lie outwards at the temple."""
    rng = rng_of(person, "brows")
    male = person.gender == "male"
    x, y, z = assets.rest.T
    ax = np.abs(x)
    thick = rng.uniform(0.036, 0.05) if male else rng.uniform(0.022, 0.032)
    arch, rise = rng.uniform(0.015, 0.05), rng.uniform(-0.012, 0.015)
    t = np.clip((ax - 0.10) / 0.42, 0, 1)
    middle = (7.452 if male else 7.462) + rise - 0.03 * t**3
    middle += arch * np.sin(np.pi * np.clip(t * 0.95, 0, 1))
    taper = np.interp(t, [0, 0.15, 0.6, 1.0], [0.8, 1.0, 0.85, 0.30])
    density = np.exp(-(((y - middle) / (thick * taper)) ** 2) * 1.3)
    density *= np.clip((ax - 0.085) / 0.05, 0, 1) * np.clip((0.53 - ax) / 0.06, 0, 1) * (z > 0.9)
    density[density < 0.12] = 0
    roots = _fixed_roots(assets, density, 1500 if male else 1100, rng)
    place = roots.at(assets.rest, assets.mesh.triangles)
    normal = roots.at(vertex_normals(points, assets.mesh.triangles), assets.mesh.triangles)
    t = np.clip((np.abs(place[:, 0]) - 0.10) / 0.42, 0, 1)[:, None]
    side = np.sign(place[:, :1])
    along = np.hstack([side * (0.35 + 0.65 * t), 0.95 - 1.2 * t, -0.35 * t])
    above = np.interp(t[:, 0], [0, 1], [7.435, 7.45]) + rise + 0.6 * arch
    along[:, 1] -= 2.5 * np.clip(place[:, 1] - above, -0.05, 0.05) * 4
    along = _unit(along + rng.normal(0, 0.10, along.shape)).astype(np.float32)
    length = rng.uniform(0.035, 0.062, len(place)).astype(np.float32)
    root = roots.at(points, assets.mesh.triangles) + 0.006 * normal
    shape = _curved(root, _unit(along + 0.35 * normal), along, length)
    colour = grey_mix(person, rng.random(len(place)) * 1.3 + 0.3) * 0.8
    colour = np.minimum(colour, np.array(person.skin, np.float32) * 0.42)
    return Strands(shape.astype(np.float32), colour.astype(np.float32), (0.75, 0.4), 0.25)


def make_lashes(assets: Assets, person: Person, points: Floats) -> Strands:
    """Hairs along the edges of the lids, longer above and outwards."""
    rng = rng_of(person, "lashes")
    female = person.gender == "female"
    triangles = assets.mesh.triangles
    edge = _lid_edge(assets)
    rest = assets.rest[edge]
    upper = rest[:, 1] > 7.285
    chosen = np.concatenate(
        [rng.choice(np.flatnonzero(upper), 330), rng.choice(np.flatnonzero(~upper), 90)]
    )
    rows = edge[chosen]
    jitter = edge[(chosen + 1) % len(edge)]
    near = np.linalg.norm(assets.rest[jitter] - assets.rest[rows], axis=1) < 0.05
    jitter = np.where(near, jitter, rows)
    mix = rng.random((len(rows), 1)).astype(np.float32)
    root = points[rows] * (1 - mix) + points[jitter] * mix
    normal = vertex_normals(points, triangles)[rows]
    up = np.where(rest[chosen, 1] > 7.285, 1.0, -0.8)[:, None]
    middle = np.sign(rest[chosen, :1]) * 0.31
    out = (rest[chosen, :1] - middle) * 4.2
    first = _unit(np.hstack([out, 0.15 * up, np.full_like(out, 1.0)]))
    last = _unit(np.hstack([out * 1.2, 1.0 * up, np.full_like(out, 0.5)]))
    last = _unit(last + rng.normal(0, 0.12, last.shape))
    size = np.where(up[:, 0] > 0, 0.062 if female else 0.042, 0.022)
    length = size * rng.uniform(0.75, 1.1, len(rows))
    shape = _curved(root + 0.004 * normal, first, last, length.astype(np.float32))
    colour = np.full((len(rows), 3), 0.012, np.float32)
    return Strands(shape.astype(np.float32), colour, (1.0 if female else 0.8, 0.35), 0.1)


def _lid_edge(assets: Assets) -> npt.NDArray[np.int64]:
    """Vertices on the rim of the lids, in the order of their angle around each eye."""
    x, y, z = assets.rest.T
    ring = np.hypot((np.abs(x) - 0.325) / 0.128, (y - 7.285) / 0.046)
    rim = (ring > 0.93) & (ring < 1.12) & (z > 1.30) & (assets.part == SKIN)
    rows = np.flatnonzero(rim)
    angle = np.arctan2(y[rows] - 7.285, np.abs(x[rows]) - 0.325) + 10 * (x[rows] > 0)
    return rows[np.argsort(angle)]


def make_beard(assets: Assets, person: Person, points: Floats) -> Strands | None:
    """Stubble, short or full beard, or a goatee; None for bare faces."""
    if person.beard == "none":
        return None
    rng = rng_of(person, "beard")
    rest = assets.rest
    density = np.array([beard_area(*p) for p in rest], np.float32)
    density *= (1 - np.clip(assets.lips * 2, 0, 1)) * (assets.ears < 0.05)
    density *= np.clip(0.85 + 0.5 * fractal_at(rest * 7, 2, person.seed % 9973), 0.1, 1.4)
    if person.beard == "goatee":
        density *= np.exp(-((np.clip(np.abs(rest[:, 0]) - 0.20, 0, 1) / 0.07) ** 2))
        density *= rest[:, 1] > 6.12
    density[density < 0.08] = 0
    count = {"stubble": 3600, "short": 9000, "full": 12000, "goatee": 3400}[person.beard]
    size = {"stubble": 0.022, "short": 0.055, "full": 0.11, "goatee": 0.085}[person.beard]
    roots = _fixed_roots(assets, density, count, rng)
    place = roots.at(rest, assets.mesh.triangles)
    strength = roots.at(density[:, None], assets.mesh.triangles)[:, 0]
    normal = roots.at(vertex_normals(points, assets.mesh.triangles), assets.mesh.triangles)
    down = np.stack([0.35 * place[:, 0], -np.ones(count), 0.15 + 0 * place[:, 0]], 1)
    down[:, 0] += 1.6 * place[:, 0] * (place[:, 1] > 6.66)
    last = _unit(down + rng.normal(0, 0.22, down.shape))
    first = _unit(normal * 0.7 + 0.8 * last)
    chin = 1 + 0.7 * np.exp(-((place[:, 0] / 0.22) ** 2) - ((place[:, 1] - 6.25) / 0.16) ** 2)
    lip = np.where(place[:, 1] > 6.69, 0.62, 1.0)
    length = size * rng.uniform(0.6, 1.15, count) * np.clip(strength, 0.35, 1) * chin * lip
    root = roots.at(points, assets.mesh.triangles) + 0.003 * normal
    shape = _curved(root, first, last, length.astype(np.float32))
    colour = grey_mix(person, rng.random(count)) * 0.85
    colour *= rng.uniform(0.75, 1.2, (count, 1)).astype(np.float32)
    thick = 0.8 if person.beard == "stubble" else 1.05
    return Strands(shape.astype(np.float32), colour.astype(np.float32), (thick, thick * 0.5), 0.5)
