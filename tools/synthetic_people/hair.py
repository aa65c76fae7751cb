"""The hair of the head: a hair line, a direction field, growth with gravity and collision."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree
from tools.synthetic_people.assets import SKIN, Assets
from tools.synthetic_people.hairstyles import STYLES, Style
from tools.synthetic_people.noise import fractal_at
from tools.synthetic_people.person import Person, grey_mix, rng_of
from tools.synthetic_people.raster import vertex_normals
from tools.synthetic_people.sample import sample
from tools.synthetic_people.strands import Strands, refined, scatter

Floats = npt.NDArray[np.float32]

STEPS = 18
CENTRE = np.array([0.0, 7.45, 0.48], np.float32)
CROWN = np.array([0.03, 8.42, 0.10], np.float32)
KNOT = np.array([0.0, 8.48, -0.12], np.float32)
# the hair line of the resting head: angle from the front, height
LINE_ANGLE = (0, 0.30, 0.55, 0.75, 0.95, 1.10, 1.22, 1.32, 1.38, 1.70, 1.80, 2.10, 2.60, 3.15)
LINE_HEIGHT = (7.96, 7.97, 8.0, 7.96, 7.74, 7.50, 7.14, 7.10, 7.38, 7.38, 7.2, 6.85, 6.66, 6.62)


@dataclass(frozen=True)
class Hull:
    """How far the head reaches in each direction: a sphere map above, a cylinder map below."""

    sphere: Floats
    cylinder: Floats

    def settle(self, p: Floats, layer: Floats, stick: float) -> Floats:
        """Move points that lie deeper than `layer` above the surface out to it.

        Those that lie higher come down by the share `stick` of the way.
        """
        q = p - CENTRE
        r = np.linalg.norm(q, axis=1) + 1e-9
        theta = np.arccos(np.clip(q[:, 1] / r, -1, 1)) / np.pi * (self.sphere.shape[0] - 1)
        wanted = _bilinear(self.sphere, theta, np.arctan2(q[:, 0], q[:, 2])) + layer
        settled = np.where(r < wanted, wanted, r + stick * (wanted - r))
        above = CENTRE + q / r[:, None] * settled[:, None]
        axis = np.array([0.0, 0.30], np.float32)
        flat = p[:, [0, 2]] - axis
        s = np.linalg.norm(flat, axis=1) + 1e-9
        row = (p[:, 1] - 4.9) / 2.4 * (self.cylinder.shape[0] - 1)
        wanted = _bilinear(self.cylinder, row, np.arctan2(flat[:, 0], flat[:, 1])) + layer
        # hair hangs past the neck; what falls behind the shoulders is hidden by them
        wanted = np.minimum(wanted, 0.62 + layer)
        out = axis + flat / s[:, None] * np.maximum(s, wanted)[:, None]
        below = np.stack([out[:, 0], p[:, 1], out[:, 1]], 1)
        return np.where((p[:, 1] > 7.0)[:, None], above, below).astype(np.float32)


def _bilinear(table: Floats, row: Floats, angle: Floats) -> Floats:
    column = (angle / (2 * np.pi) + 0.5) * (table.shape[1] - 1)
    return sample(table, column, row)


def make_hull(assets: Assets, points: Floats, with_ears: bool) -> Hull:
    """Largest radius of the skin per direction, smoothed."""
    keep = assets.part == SKIN
    if not with_ears:
        keep &= assets.ears < 0.3
    p = points[keep]
    q = p[p[:, 1] > 6.3] - CENTRE
    r = np.linalg.norm(q, axis=1)
    theta = np.arccos(np.clip(q[:, 1] / r, -1, 1)) / np.pi
    sphere = _splat(theta, np.arctan2(q[:, 0], q[:, 2]), r, (48, 96))
    low = p[(p[:, 1] < 7.3) & (p[:, 1] > 4.9)]
    flat = low[:, [0, 2]] - np.array([0.0, 0.30])
    row = (low[:, 1] - 4.9) / 2.4
    cylinder = _splat(
        row, np.arctan2(flat[:, 0], flat[:, 1]), np.linalg.norm(flat, axis=1), (40, 72)
    )
    return Hull(sphere, cylinder)


def _splat(row: Floats, angle: Floats, radius: Floats, shape: tuple[int, int]) -> Floats:
    table = np.zeros(shape, np.float32)
    i = np.clip(np.rint(row * (shape[0] - 1)), 0, shape[0] - 1).astype(int)
    j = np.clip(np.rint((angle / (2 * np.pi) + 0.5) * (shape[1] - 1)), 0, shape[1] - 1).astype(int)
    np.maximum.at(table, (i, j), radius)
    while (table == 0).any():
        grown = cv2.dilate(table, np.ones((3, 3)))
        table = np.where(table == 0, grown, table)
    return cv2.GaussianBlur(cv2.copyMakeBorder(table, 0, 0, 8, 8, cv2.BORDER_WRAP), (0, 0), 1.0)[
        :, 8:-8
    ].copy()


def scalp_density(assets: Assets, person: Person) -> Floats:
    """How densely hair grows at each vertex: 0 on the face, 1 on the scalp."""
    style = STYLES[person.hair_style]
    rng = rng_of(person, "hairline")
    x, y, z = assets.rest.T
    angle = np.arctan2(np.abs(x), z - 0.45)
    line = np.interp(angle, LINE_ANGLE, LINE_HEIGHT) + rng.normal(0, 0.025)
    corner = np.exp(-(((angle - 0.5) / 0.22) ** 2)) * (0.3 if person.gender == "male" else 0.1)
    line += corner * rng.uniform(0.1, 0.35) + 0.05 * fractal_at(
        assets.rest * 9, 2, person.seed % 7919
    )
    if style.recede:
        line += style.recede * (0.10 + 0.24 * np.exp(-(((angle - 0.55) / 0.3) ** 2)))
    # short hair thins out towards its line, long hair hides where it starts
    density = np.clip((y - line) / (0.07 if style.over_ears else 0.15), 0, 1)
    if style.bald:
        above = np.linalg.norm((assets.rest - CROWN - [0, -0.1, 0.25]) / [0.62, 0.5, 0.85], axis=1)
        density *= np.clip((above - 0.85) / 0.35, 1 - style.bald, 1)
        density[(y > 7.8) & (angle < 0.9)] *= 1 - style.bald
    density[(assets.ears > 0.05) | (assets.part != SKIN) | (y < 6.5)] = 0
    return (density * (density > 0.04)).astype(np.float32)


def make_hair(assets: Assets, person: Person, points: Floats) -> Strands:
    """Grow the person's hair on a head without expression or pose."""
    style = STYLES[person.hair_style]
    rng = rng_of(person, "hair")
    triangles = assets.mesh.triangles
    density = scalp_density(assets, person)
    roots = scatter(points, triangles, density, style.count, rng)
    rest = roots.at(assets.rest, triangles)
    normal = roots.at(vertex_normals(points, triangles), triangles)
    root = roots.at(points, triangles)
    length = _length(style, rest) * rng.uniform(0.82, 1.08, len(rest))
    length *= np.clip(roots.at(density[:, None], triangles)[:, 0] * 1.4, 0.35, 1)
    comb = _comb(style, rest, rng)
    hull = make_hull(assets, points, style.over_ears)
    layer = style.volume * rng.random(len(rest)) ** 0.8 + 0.012
    bundle = Bundle(root, normal, comb, length.astype(np.float32), layer.astype(np.float32))
    path = _grow(bundle, hull, style, rng)
    path = _dress(path, root, length, style, rng)
    path = path[~_over_face(path, style)]
    if style.comb == "tied":
        path = np.concatenate([path, _knot(style, rng)])
    colour = grey_mix(person, rng.random(len(path)))
    streak = 1 + 0.22 * fractal_at(path[:, 0] * 6, 2, person.seed % 6007)[:, None]
    colour = colour * streak * rng.uniform(0.78, 1.25, (len(path), 1))
    dull = 0.35 if style.curl else 1.0
    return Strands(path, np.clip(colour, 0.004, 1).astype(np.float32), (1.35, 0.75), dull)


@dataclass(frozen=True)
class Bundle:
    """What strands start from: one row each."""

    root: Floats
    normal: Floats
    comb: Floats
    length: Floats
    layer: Floats


def _length(style: Style, rest: Floats) -> Floats:
    up = np.clip((rest[:, 1] - 7.78) / 0.36, 0, 1)
    back = np.clip((0.45 - rest[:, 2]) / 0.5, 0, 1)
    low = style.side * (1 - back) + style.back * back
    length = style.top * up + low * (1 - up)
    front = np.clip((rest[:, 2] - 1.12) / 0.15, 0, 1)
    front = front * np.clip((0.42 - np.abs(rest[:, 0])) / 0.1, 0, 1)
    if style.forelock < 0:
        fringe = _fringe(rest)
        return np.where(fringe, -style.forelock * (1 + 0.3 * np.abs(rest[:, 0])), length)
    return length * (1 - front * (1 - style.forelock))


def _fringe(rest: Floats) -> npt.NDArray[np.bool_]:
    """Roots above the forehead whose hair is cut to a fringe."""
    return (rest[:, 2] > 1.12 - 0.45 * np.abs(rest[:, 0])) & (np.abs(rest[:, 0]) < 0.56)


def _comb(style: Style, rest: Floats, rng: np.random.Generator) -> Floats:
    """The direction in which each strand is combed."""
    away = rest - CROWN
    if style.comb == "up":
        comb = np.zeros_like(rest)
    elif style.comb == "back":
        comb = np.stack([0.25 * rest[:, 0], 0.35 + 0 * rest[:, 0], -np.ones(len(rest))], 1)
        low = (rest[:, 1] < 7.85)[:, None]
        comb = np.where(low, np.array([0, -0.8, -0.5]), comb)
    elif style.comb == "tied":
        comb = KNOT - rest
    elif style.comb == "part":
        side = np.tanh((rest[:, 0] - style.part) / 0.03)
        comb = np.stack([side, -0.25 + 0 * side, -0.28 + 0 * side], 1)
        low = np.clip((7.9 - rest[:, 1]) / 0.3, 0, 1)[:, None]
        comb = comb * (1 - low) + low * np.array([0, -1.0, -0.35])
        behind = np.clip((0.25 - rest[:, 2]) / 0.3, 0, 1)[:, None]
        comb = comb * (1 - behind) + behind * np.array([0, -1.0, -0.2])
        if style.forelock < 0:
            forward = away * [0.25, 0, 0] + [0, -0.3, 1.0]
            comb = np.where(_fringe(rest)[:, None], forward, comb)
    else:
        comb = away * np.array([1.0, 0.8, 1.0])
    comb = comb / (np.linalg.norm(comb, axis=1, keepdims=True) + 1e-6)
    return (comb + rng.normal(0, 0.10, comb.shape)).astype(np.float32)


def _grow(bundle: Bundle, hull: Hull, style: Style, rng: np.random.Generator) -> Floats:
    """Integrate strands step by step; the head and the shoulders push them out."""
    flat = bundle.comb - bundle.normal * (bundle.comb * bundle.normal).sum(1, keepdims=True)
    d = flat + style.lift * bundle.normal * rng.uniform(0.6, 1.2, (len(flat), 1))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    p = bundle.root.copy()
    step = (bundle.length / (STEPS - 1))[:, None]
    pull = np.array([0, -1.0, 0], np.float32) * style.gravity
    path = [p]
    for i in range(1, STEPS):
        d = d + pull * step * 4.0
        if style.comb != "tied" and style.gravity > 0:
            d = d + 0.25 * flat * step
        if style.over_ears:
            d = d + _away_from_face(p, bundle, style)
        d /= np.linalg.norm(d, axis=1, keepdims=True) + 1e-9
        rise = np.minimum(bundle.layer, 0.02 + bundle.layer * i / 5)
        q = hull.settle((p + d * step).astype(np.float32), rise.astype(np.float32), style.stick)
        moved = q - p
        size = np.linalg.norm(moved, axis=1, keepdims=True) + 1e-9
        d = moved / size
        p = p + d * np.minimum(size, 1.5 * step)
        path.append(p)
    return np.stack(path, 1).astype(np.float32)


def _away_from_face(p: Floats, bundle: Bundle, style: Style) -> Floats:
    """Long hair falls beside the face, not over it, and to the side of the parting it grows on."""
    long = bundle.length > 0.9
    beside = long & (p[:, 2] > 0.62) & (p[:, 1] < 7.9) & (np.abs(p[:, 0]) < 0.78)
    forehead = long & (p[:, 2] > 0.95) & (p[:, 1] < 8.25) & (np.abs(p[:, 0]) < 0.60)
    side = np.sign(bundle.root[:, 0] - style.part)
    push = np.zeros_like(p)
    push[:, 0] = 0.25 * beside * np.sign(p[:, 0]) + 0.75 * forehead * side
    push[:, 2] = -0.2 * beside - 0.25 * forehead
    push[:, 1] = 0.25 * forehead
    return push


def _dress(
    path: Floats, root: Floats, length: Floats, style: Style, rng: np.random.Generator
) -> Floats:
    """Clumps, waves, curls and stray hairs."""
    if style.curl:
        path = refined(path, 46)
    n, steps = path.shape[:2]
    t = np.linspace(0, 1, steps, dtype=np.float32)
    leaders = rng.choice(n, max(40, n // (24 if style.curl else 14)), replace=False)
    _, nearest = cKDTree(root[leaders]).query(root)
    lead = path[leaders[nearest]]
    pull = style.clump * rng.uniform(0.4, 1.0, n)[:, None] * t[None] ** 0.8
    path = path + pull[..., None] * (lead - path)
    phase = rng.uniform(0, 2 * np.pi, len(leaders))[nearest] + rng.normal(0, 0.5, n)
    along = length[:, None] * t[None]
    if style.wave:
        swing = (
            style.wave
            * np.minimum(t * 2.5, 1)[None]
            * np.sin(style.turns * 2.6 * along + phase[:, None])
        )
        path = path + swing[..., None] * np.array([0.8, 0.1, 0.8])
    if style.curl:
        spin = (
            style.turns * 2 * np.pi * t[None] * np.sqrt(length / length.mean())[:, None]
            + phase[:, None]
        )
        size = style.curl * np.minimum(t * 3, 1)[None]
        offset = np.stack([np.cos(spin), 0.5 * np.sin(2 * spin + 1), np.sin(spin)], 2)
        path = path + size[..., None] * offset
    stray = rng.normal(0, 1, (n, 3)) * np.where(rng.random((n, 1)) < 0.06, 3.0, 1.0)
    path = path + style.frizz * stray[:, None] * (t[None, :, None] ** 1.5)
    return path.astype(np.float32)


def _over_face(path: Floats, style: Style) -> npt.NDArray[np.bool_]:
    """Strands that would cross the eyes or the cheeks or, where all is parted, the forehead."""
    x, y, z = path[..., 0], path[..., 1], path[..., 2]
    parted = style.over_ears and style.forelock > 0
    brow = (7.58 if parted else 7.36) + 0.25 * np.abs(x)
    return ((np.abs(x) < 0.50) & (y < brow) & (z > (1.0 if parted else 0.85))).any(1)


def _knot(style: Style, rng: np.random.Generator) -> Floats:
    """A bun on the crown of the head: loops around a ball."""
    n = style.count // 4
    t = np.linspace(0, 1, STEPS)[None]
    tilt, turn = rng.uniform(-1.2, 1.2, (n, 1)), rng.uniform(0, 2 * np.pi, (n, 1))
    angle = turn + t * 2.4
    ring = 0.27 * np.cos(tilt) + rng.normal(0, 0.01, (n, 1))
    centre = np.array([0.0, 8.52, -0.12])
    x, z = ring * np.cos(angle), ring * np.sin(angle)
    y = 0.22 * np.sin(tilt) + 0 * t
    return (np.stack([x, y + 0.05 * z, z], 2) + centre).astype(np.float32)
