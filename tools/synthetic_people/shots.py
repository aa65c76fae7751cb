"""How photos are taken: pose, lamps, wall and camera of the studio and of the wild mode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from tools.synthetic_people.lights import Lamp, Rig
from tools.synthetic_people.person import Person, rng_of


@dataclass(frozen=True)
class Shot:
    """One photo to take; angles in degrees, `zoom` 1 shows head and shoulders."""

    expression: str
    mode: str
    yaw: float
    pitch: float
    roll: float
    zoom: float
    shift: tuple[float, float]
    rig: Rig
    wall_seed: int
    noise: float
    gaze: tuple[float, float]


def studio_shot(person: Person, expression: str) -> Shot:
    """Near-frontal, soft key and fill, the person's own backdrop; small changes between photos."""
    rng = rng_of(person, "studio " + expression)
    own = rng_of(person, "studio")
    side = np.sign(own.normal())
    strength = rng.uniform(0.96, 1.04)
    key = Lamp((0.62 * side, 0.62, 1.0), _tint(1.16 * strength, rng.normal(0.015, 0.01)), 0.30, 10)
    fill = Lamp((-0.9 * side, 0.15, 0.9), _tint(0.30, -0.02), 0.4, 5)
    rim = Lamp((-0.85 * side, 0.75, -0.75), _tint(0.85, 0.03), 0.25, 4)
    rig = Rig((key, fill, rim), (0.30, 0.305, 0.32), (0.16, 0.15, 0.145), _exposure(person))
    yaw, pitch, roll = rng.normal(0, 1.8), rng.normal(0, 1.2), rng.normal(0, 0.9)
    shift = (float(rng.normal(0, 0.02)), float(rng.normal(0, 0.02)))
    zoom = float(rng.normal(1, 0.01))
    wall = int(own.integers(1 << 30))
    gaze = (float(rng.normal(0, 1)), float(rng.normal(0, 1)))
    return Shot(expression, "studio", yaw, pitch, roll, zoom, shift, rig, wall, 0.004, gaze)


def wild_shot(person: Person, expression: str) -> Shot:
    """Any pose up to a quarter turn, any light, a blurred place, a noisier camera."""
    rng = rng_of(person, "wild " + expression)
    angle = rng.uniform(-1.3, 1.3)
    direction = (np.sin(angle), rng.uniform(0.1, 1.0), np.cos(angle))
    warmth = rng.normal(0.02, 0.07)
    key = Lamp(direction, _tint(rng.uniform(0.8, 1.9), warmth), rng.uniform(0.06, 0.35), 8)
    back = Lamp((-direction[0], 0.5, -0.8), _tint(rng.uniform(0.1, 1.0), -warmth), 0.2, 4)
    sky = rng.uniform(0.30, 0.65) * (1 + rng.normal(0, 0.06, 3))
    ground = rng.uniform(0.14, 0.35) * (1 + rng.normal(0, 0.08, 3))
    rig = Rig((key, back), tuple(sky), tuple(ground), float(rng.uniform(0.85, 1.15)))
    yaw, pitch = float(rng.uniform(-22, 22)), float(rng.normal(0, 6))
    roll = float(rng.normal(0, 5))
    shift = (float(rng.normal(0, 0.08)), float(rng.normal(0, 0.06)))
    gaze = (float(rng.normal(0, 4) - 0.5 * yaw), float(rng.normal(0, 2)))
    zoom = float(rng.uniform(0.78, 1.08))
    seed = int(rng.integers(1 << 30))
    return Shot(
        expression, "wild", yaw, pitch, roll, zoom, shift, rig, seed, rng.uniform(0.006, 0.02), gaze
    )


def _exposure(person: Person) -> float:
    """A photographer opens the lens for dark skin, though not all the way."""
    return float(np.clip((0.5 / person.skin[0]) ** 0.22, 0.95, 1.3))


def _tint(strength: float, warmth: float) -> tuple[float, float, float]:
    return (strength * (1 + warmth), strength, strength * (1 - 1.3 * warmth))
