"""Skin: its colours and its relief as functions of the place on the resting head."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numba
import numpy as np
import numpy.typing as npt
from tools.synthetic_people.noise import fractal, value_noise
from tools.synthetic_people.person import Person, rng_of
from tools.synthetic_people.sample import sample

Floats = npt.NDArray[np.float32]

# the relief map looks at the resting face from the front: decimetres to pixels
LEFT, TOP, SCALE, SIZE = -1.0, 8.3, 360.0, (792, 720)


@dataclass(frozen=True)
class Skin:
    """Parameters of one person's skin; `relief` and `spots` are maps seen from the front."""

    colour: Floats
    lip: Floats
    redness: float
    freckles: float
    age: float
    shadow: float
    lashes: float
    seed: int
    relief: Floats
    spots: Floats


def make_skin(person: Person) -> Skin:
    """Draw the relief and the marks of a person once, for all photos."""
    rng = rng_of(person, "skin")
    colour = np.array(person.skin, np.float32)
    painted = person.gender == "female" and rng.random() < 0.5
    tint = np.array([0.93, 0.60, 0.62] if not painted else [0.85, 0.40, 0.42])
    shadow = {"none": 0.12, "stubble": 0.4, "short": 0.4, "full": 0.5, "goatee": 0.25}
    return Skin(
        colour=colour,
        lip=(colour * tint * rng.uniform(0.92, 1.05, 3)).astype(np.float32),
        redness=person.ruddy * float(np.clip(colour[0] * 2.2, 0.25, 1.0)),
        freckles=person.freckles,
        age=person.oldness,
        shadow=shadow[person.beard] if person.gender == "male" else 0.0,
        lashes=0.75 if person.gender == "female" else 0.5,
        seed=int(rng.integers(1 << 20)),
        relief=_relief(person.oldness, rng),
        spots=_spots(person.oldness, rng),
    )


def _pixel(x: float, y: float) -> tuple[int, int]:
    return round((x - LEFT) * SCALE * 16), round((TOP - y) * SCALE * 16)


def _curve(image: Floats, points: list[tuple[float, float]], depth: float, width: float) -> None:
    """A furrow through points, fading at its ends."""
    knots = np.array(points)
    t = np.linspace(0, 1, 24)
    s = np.linspace(0, 1, len(knots))
    degree = min(len(knots) - 1, 2)
    x, y = (np.polyval(np.polyfit(s, knots[:, c], degree), t) for c in range(2))
    layer = np.zeros_like(image)
    for i in range(len(t) - 1):
        strength = depth * np.sin(np.pi * (i + 0.7) / len(t)) ** 0.6
        a, b = _pixel(x[i], y[i]), _pixel(x[i + 1], y[i + 1])
        cv2.line(layer, a, b, float(strength), max(1, round(width)), cv2.LINE_AA, 4)
    image += cv2.GaussianBlur(layer, (0, 0), width * 0.8)


def _relief(age: float, rng: np.random.Generator) -> Floats:
    """Depth of the furrows: forehead, frown, crow's feet, under the eyes, beside nose and mouth."""
    image = np.zeros(SIZE, np.float32)
    strong = age**1.25
    for i in range(4):
        y = 7.66 + 0.085 * i + rng.normal(0, 0.012)
        reach, bend = rng.uniform(0.22, 0.40), rng.normal(0.02, 0.015)
        jitter = rng.normal(0, 0.008, 5)
        xs = np.linspace(-reach, reach, 5)
        line = [(x, y + bend * (1 - (x / reach) ** 2) + j) for x, j in zip(xs, jitter, strict=True)]
        _curve(image, line, strong * rng.uniform(0.5, 1.1), 3.2)
    for side in (-1, 1):
        frown = [(side * 0.07, 7.42), (side * 0.06, 7.50), (side * 0.075, 7.57)]
        _curve(image, frown, strong * rng.uniform(0.3, 1.0), 3)
        for k in range(4):
            dy = 0.05 * (k - 1.5)
            foot = [
                (side * 0.49, 7.275 + dy * 0.5),
                (side * 0.55, 7.275 + dy),
                (side * 0.62, 7.26 + 1.6 * dy),
            ]
            _curve(image, foot, strong * rng.uniform(0.4, 1.0), 2.2)
        bag = [(side * 0.17, 7.23), (side * 0.27, 7.155), (side * 0.40, 7.17)]
        _curve(image, bag, 0.12 + 0.8 * strong, 5)
        fold = [(side * 0.19, 6.90), (side * 0.27, 6.77), (side * 0.32, 6.62)]
        _curve(image, fold, 0.14 + 1.1 * strong, 6)
        sad = [(side * 0.27, 6.57), (side * 0.29, 6.46), (side * 0.30, 6.38)]
        _curve(image, sad, 0.9 * strong, 5)
    return image


def _spots(age: float, rng: np.random.Generator) -> Floats:
    """Moles and, later in life, age spots."""
    image = np.zeros(SIZE, np.float32)
    for _ in range(int(rng.integers(0, 4))):
        centre = _pixel(rng.uniform(-0.55, 0.55), rng.uniform(6.3, 7.9))
        cv2.circle(image, centre, round(rng.uniform(2.0, 4.2) * 16), 0.75, -1, cv2.LINE_AA, 4)
    for _ in range(int(age * 16)):
        centre = _pixel(rng.uniform(-0.65, 0.65), rng.uniform(6.5, 8.1))
        layer = np.zeros_like(image)
        cv2.circle(layer, centre, round(rng.uniform(3, 8) * 16), 0.22, -1, cv2.LINE_AA, 4)
        image = np.maximum(image, cv2.GaussianBlur(layer, (0, 0), 2.5))
    return cv2.GaussianBlur(image, (0, 0), 1.0)


def relief_at(skin: Skin, rest: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Depth, its slope along x and along y, and spots, at resting places (n, 3)."""
    x, y = (rest[:, 0] - LEFT) * SCALE, (TOP - rest[:, 1]) * SCALE
    slope_x = cv2.Sobel(skin.relief, cv2.CV_32F, 1, 0, ksize=3) / 8
    slope_y = -cv2.Sobel(skin.relief, cv2.CV_32F, 0, 1, ksize=3) / 8
    maps = (skin.relief, slope_x, slope_y, skin.spots)
    # the back of the head has the same x and y as the face: no furrows there
    front = np.clip((rest[:, 2] - 0.75) * 4, 0, 1)
    found = [sample(m, x, y) * front for m in maps]
    return found[0], found[1], found[2], found[3]


@numba.njit(cache=True, fastmath=True)
def _near(x: float, y: float, cx: float, cy: float, rx: float, ry: float) -> float:
    return np.exp(-(((x - cx) / rx) ** 2) - ((y - cy) / ry) ** 2)


@numba.njit(cache=True, fastmath=True)
def beard_area(x: float, y: float, z: float) -> float:
    """1 where a beard grows on the resting face, falling to 0 around it."""
    ax = abs(x)
    low = min(max((6.80 - 0.15 * max(0.0, 0.3 - ax) - y) / 0.08, 0.0), 1.0)
    # the cheek line climbs towards the ear, the moustache sits between nose and lip
    line = 6.60 + 1.05 * max(0.0, ax - 0.30)
    cheek = min(max((line - y) / 0.10, 0.0), 1.0)
    lip = _near(ax, y, 0.10, 6.755, 0.17, 0.055)
    beside = _near(ax, y, 0.29, 6.66, 0.06, 0.10)
    neck = min(max((y - 6.02) / 0.14, 0.0), 1.0)
    front = min(max((z - 0.50) / 0.10, 0.0), 1.0)
    area = max(cheek, 0.9 * lip, 0.9 * beside)
    bare = _near(ax, y, 0.13, 6.47, 0.07, 0.035) * 0.8
    return max(0.0, area - bare) * max(low, cheek) * neck * front


@numba.njit(cache=True, fastmath=True)
def shade_skin(
    rest: Floats,
    normal: Floats,
    masks: Floats,
    relief: Floats,
    colour: Floats,
    lip: Floats,
    traits: Floats,
    seed: int,
) -> tuple[Floats, Floats, Floats]:
    """Albedo, bumped normal and gloss at skin pixels.

    `masks` (n, 4): lips, lids, ears, inside of the mouth; `relief` (n, 4) from `relief_at`;
    `traits`: redness, freckles, age, beard shadow, darkness of the lash line.
    """
    n = rest.shape[0]
    albedo = np.empty((n, 3), np.float32)
    bumped = np.empty((n, 3), np.float32)
    gloss = np.empty(n, np.float32)
    redness, freckles, age, shadow, lashes = traits[0], traits[1], traits[2], traits[3], traits[4]
    dark = 1 - min(1.0, colour[0] / 0.5)
    for i in range(n):
        x, y, z = rest[i, 0], rest[i, 1], rest[i, 2]
        ax = abs(x)
        front = min(max((z - 0.7) * 4, 0.0), 1.0)
        blotch = fractal(x * 4.5, y * 4.5, z * 4.5, 3, seed)
        mottle = fractal(x * 22, y * 22, z * 22, 2, seed + 11)
        red = 0.55 * _near(ax, y, 0.36, 6.98, 0.22, 0.17) + 0.6 * _near(x, y, 0, 6.92, 0.15, 0.11)
        red += 0.22 * _near(x, y, 0, 6.30, 0.16, 0.10)
        red = (red * front + 0.5 * masks[i, 2]) * redness + 0.16 * blotch * (0.5 + redness)
        red += 0.06 * mottle
        yellow = 0.25 * _near(x, y, 0, 7.8, 0.5, 0.25) * front
        under = (
            _near(ax, y, 0.27, 7.165, 0.14, 0.05) + 0.5 * _near(ax, y, 0.155, 7.25, 0.05, 0.06)
        ) * front
        under *= 0.35 + 0.55 * age
        socket = _near(ax, y, 0.30, 7.37, 0.20, 0.05) * front
        tone = 1 + 0.06 * blotch + 0.06 * mottle - 0.22 * under - (0.10 + 0.1 * dark) * socket
        tone *= 1 - 0.17 * min(relief[i, 0], 1.2)
        r = colour[0] * tone * (1 + 0.04 * red)
        g = colour[1] * tone * (1 - 0.24 * red - 0.06 * under + 0.02 * yellow)
        b = colour[2] * tone * (1 - 0.22 * red + 0.02 * under - 0.08 * yellow)
        if shadow > 0:
            s = shadow * beard_area(x, y, z) * (0.75 + 0.35 * mottle)
            r *= 1 - 0.46 * s
            g *= 1 - 0.38 * s
            b *= 1 - 0.30 * s
        spot = relief[i, 3]
        if freckles > 0:
            where = max(_near(ax, y, 0.27, 7.03, 0.30, 0.17), 0.45 * _near(x, y, 0, 7.7, 0.5, 0.3))
            f = value_noise(x * 38, y * 38, z * 38, seed + 31) + 0.4 * value_noise(
                x * 70, y * 70, z * 70, seed + 37
            )
            spot = max(spot, 0.55 * freckles * where * front * min(max((f - 0.42) * 5, 0.0), 1.0))
        r *= 1 - 0.38 * spot
        g *= 1 - 0.55 * spot
        b *= 1 - 0.62 * spot
        lips = min(max((masks[i, 0] - 0.22) * 2.6, 0.0), 1.0) * (1.0 if z > 1.0 else 0.0)
        if lips > 0:
            crease = value_noise(x * 75, y * 9, 3.0, seed + 51)
            lr = lip[0] * (0.93 + 0.10 * crease + 0.03 * blotch)
            lg = lip[1] * (0.90 + 0.14 * crease)
            lb = lip[2] * (0.90 + 0.14 * crease)
            k = 0.88 * lips
            r, g, b = r * (1 - k) + lr * k, g * (1 - k) + lg * k, b * (1 - k) + lb * k
        lids = masks[i, 1]
        # the roots of the lashes draw a dark line along the upper lid
        ring = np.sqrt(((ax - 0.325) / 0.128) ** 2 + ((y - 7.285) / 0.046) ** 2)
        line = np.exp(-(((ring - 1.02) / 0.07) ** 2)) * front * (1.0 if y > 7.285 else 0.25)
        r, g, b = r * (1 - lashes * line), g * (1 - lashes * line), b * (1 - lashes * line)
        r, g, b = r * (1 - 0.14 * lids), g * (1 - 0.26 * lids), b * (1 - 0.24 * lids)
        hole = masks[i, 3]
        r, g, b = r * (1 - 0.5 * hole), g * (1 - 0.78 * hole), b * (1 - 0.78 * hole)
        albedo[i, 0], albedo[i, 1], albedo[i, 2] = max(r, 0.003), max(g, 0.003), max(b, 0.003)
        # pores: the slope of fine noise tilts the normal
        pores = 0.050 + 0.03 * age
        px = value_noise(x * 62, y * 62, z * 62, seed + 71)
        py = value_noise(x * 62 + 9, y * 62, z * 62, seed + 73)
        px += 0.6 * value_noise(x * 24, y * 24, z * 24, seed + 75)
        py += 0.6 * value_noise(x * 24 + 5, y * 24, z * 24, seed + 77)
        nx = normal[i, 0] + pores * px + 9.0 * relief[i, 1]
        ny = normal[i, 1] + pores * py + 9.0 * relief[i, 2]
        nz = normal[i, 2]
        if lips > 0:
            nx += 0.16 * lips * value_noise(x * 60, y * 8, 1.0, seed + 81)
        size = np.sqrt(nx * nx + ny * ny + nz * nz) + 1e-9
        bumped[i, 0], bumped[i, 1], bumped[i, 2] = nx / size, ny / size, nz / size
        oil = 0.8 * _near(x, y, 0, 7.02, 0.10, 0.28) + 0.5 * _near(x, y, 0, 7.75, 0.4, 0.25)
        oil += 0.35 * _near(ax, y, 0.40, 7.10, 0.14, 0.10)
        grain = 0.8 + 0.35 * px
        gloss[i] = (0.55 + 0.5 * oil * front) * grain * (1 - 0.25 * age) + 0.8 * lips
    return albedo, bumped, gloss
