"""Cloth, teeth, tongue and the wall behind: everything that is neither skin, eye nor hair."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
from tools.synthetic_people.noise import fractal_at

Floats = npt.NDArray[np.float32]

# edges between the teeth of one side, from the middle, in decimetres across the resting mouth
TOOTH_EDGES = np.array([0.0, 0.080, 0.142, 0.198, 0.240, 0.272, 0.30])


def cloth_depth(rest: Floats, neckline: str) -> Floats:
    """Signed distance below the neck line in decimetres: positive under cloth."""
    x, y, z = rest.T
    front = np.clip((z - 0.1) / 0.9, -0.5, 1.2)
    line = 6.04 - 0.33 * front
    if neckline == "vee":
        line = line - 0.50 * np.clip(front, 0, 1) * np.clip(1 - np.abs(x) / 0.42, 0, 1)
    elif neckline == "scoop":
        line = line - 0.26 * np.clip(front + 0.2, 0, 1)
    elif neckline == "shirt":
        line = line + 0.10 - 0.42 * np.clip(front, 0, 1) * np.clip(1 - np.abs(x) / 0.20, 0, 1)
    return (line - y).astype(np.float32)


def shade_cloth(rest: Floats, depth: Floats, colour: Floats, seed: int) -> tuple[Floats, Floats]:
    """Albedo and a normal offset: weave, soft folds and a hem along the neck line."""
    weave = np.sin(rest[:, 0] * 260) * np.sin(rest[:, 1] * 260)
    folds = fractal_at(rest * np.array([2.2, 1.1, 2.2], np.float32), 3, seed)
    hem = np.exp(-(((depth - 0.085) / 0.012) ** 2))
    tone = 1 + 0.05 * weave + 0.05 * folds - 0.30 * hem
    tilt = np.stack([fractal_at(rest * 2.6 + k, 3, seed + 5 + k) for k in range(3)], 1)
    return (colour * tone[:, None]).astype(np.float32), (0.22 * tilt).astype(np.float32)


def shade_teeth(rest: Floats, age: float) -> Floats:
    """Enamel with gaps and gums; upper and lower rows by height."""
    x, y = np.abs(rest[:, 0]), rest[:, 1]
    upper = y > 6.615
    edges = np.where(upper[:, None], TOOTH_EDGES, TOOTH_EDGES * 0.72)
    off = np.abs(x[:, None] - edges).min(1)
    # crowns part towards their biting edge, so gaps widen there
    bite = np.clip(np.where(upper, 6.66 - y, y - 6.56) / 0.05, 0, 1)
    gap = np.exp(-((off / (0.0035 + 0.006 * bite**2)) ** 2))
    enamel = np.array([0.72, 0.665, 0.56]) - age * np.array([0.06, 0.09, 0.13])
    tone = (1 - (0.26 + 0.25 * bite) * gap) * np.clip(1.04 - 1.9 * np.clip(x - 0.08, 0, 1), 0.3, 1)
    out = enamel * tone[:, None]
    gum = np.clip((np.where(upper, y - 6.735, 6.50 - y) + 0.012 * (gap < 0.3)) / 0.012, 0, 1)[
        :, None
    ]
    return (out * (1 - gum) + gum * np.array([0.36, 0.12, 0.11])).astype(np.float32)


def studio_wall(size: int, rng: np.random.Generator) -> Floats:
    """A paper backdrop: one colour, lit from the side, darker in the corners."""
    palette = [
        (0.46, 0.48, 0.50), (0.36, 0.42, 0.47), (0.50, 0.46, 0.41), (0.33, 0.38, 0.36),
        (0.52, 0.52, 0.50), (0.40, 0.40, 0.46), (0.45, 0.40, 0.38),
    ]  # fmt: skip
    colour = np.array(palette[int(rng.integers(len(palette)))]) * rng.uniform(0.7, 1.0)
    y, x = np.mgrid[0:240, 0:240] / 240 - 0.5
    glow = np.exp(-(((x - rng.uniform(-0.2, 0.2)) / 0.62) ** 2) - ((y - 0.02) / 0.68) ** 2)
    small = (colour * (0.42 + 0.66 * glow)[..., None]).astype(np.float32)
    return cv2.resize(small, (size, size), interpolation=cv2.INTER_LINEAR)


def wild_scene(size: int, rng: np.random.Generator) -> Floats:
    """A place out of focus: sky or room, shapes and lights, strongly blurred."""
    small = 96
    top, bottom = rng.uniform(0.1, 0.75, 3), rng.uniform(0.03, 0.4, 3)
    ramp = np.linspace(0, 1, small)[:, None, None]
    scene = (top * (1 - ramp) + bottom * ramp) * np.ones((1, small, 1))
    scene = scene.astype(np.float32)
    for _ in range(int(rng.integers(6, 14))):
        colour = [float(c) for c in rng.uniform(0.02, 0.7, 3) * rng.uniform(0.4, 1.0)]
        a, b = rng.integers(0, small, 2), rng.integers(8, 40, 2)
        if rng.random() < 0.6:
            corner = (int(a[0] + b[0] / 2), int(a[1] + 2 * b[1]))
            cv2.rectangle(scene, (int(a[0]), int(a[1])), corner, colour, -1)
        else:
            cv2.circle(scene, (int(a[0]), int(a[1])), int(b[0] // 2), colour, -1)
    scene = cv2.GaussianBlur(scene, (0, 0), float(rng.uniform(3, 6)))
    for _ in range(int(rng.integers(0, 9))):
        layer = np.zeros_like(scene)
        centre = (int(rng.integers(small)), int(rng.integers(small * 0.6)))
        cv2.circle(layer, centre, int(rng.integers(3, 7)), (0.9, 0.75, 0.5), -1, cv2.LINE_AA)
        scene += 0.5 * cv2.GaussianBlur(layer, (0, 0), 0.8)
    scene = 0.35 * scene + 0.65 * scene.mean(2, keepdims=True)
    return cv2.resize(scene, (size, size), interpolation=cv2.INTER_CUBIC).clip(0.005, 1.5)
