"""Light on surfaces, light under skin, and what a camera makes of it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numba
import numpy as np
import numpy.typing as npt
from tools.synthetic_people.lights import Rig

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

# how far light travels under the skin, in pixels of a 960 px picture, for red, green and blue
SCATTER = (9.0, 4.5, 2.5)


@dataclass(frozen=True)
class Surface:
    """One row per shown pixel."""

    albedo: Floats
    normal: Floats
    gloss: Floats
    sky: Floats
    lamps: Floats
    skin: Mask
    eyes: Mask


def light_surface(surface: Surface, rig: Rig, shown: Mask) -> Floats:
    """Radiance towards the camera, which is taken to be far away along z."""
    incident = surface.sky.copy()
    shine = np.zeros_like(surface.albedo)
    facing = np.clip(surface.normal[:, 2], 0, 1)
    grazing = (1 - facing) ** 5
    for i, lamp in enumerate(rig.lamps):
        direction = np.array(lamp.direction, np.float32)
        direction /= np.linalg.norm(direction)
        # a lamp with a face still reaches a little behind the horizon
        wrap = np.float32(0.12 + 0.3 * lamp.spread)
        colour = np.array(lamp.colour, np.float32)
        _add_lamp(surface.normal, surface.gloss, surface.eyes, surface.lamps[:, i], direction,
                  colour, wrap, incident, shine)  # fmt: skip
    shine += (surface.gloss * 0.10 * grazing + 0.035 * surface.eyes)[:, None] * surface.sky
    incident = _scatter(incident, surface.skin, shown)
    return surface.albedo * incident + shine


@numba.njit(cache=True, fastmath=True)
def _add_lamp(
    normal: Floats, gloss: Floats, eyes: Mask, seen: Floats, direction: Floats, colour: Floats,
    wrap: float, incident: Floats, shine: Floats,
) -> None:  # fmt: skip
    """Add one lamp: Lambert with a soft horizon, two Blinn lobes, and a sharp one on wet eyes."""
    hx, hy, hz = direction[0], direction[1], direction[2] + 1
    size = np.sqrt(hx * hx + hy * hy + hz * hz)
    for i in range(normal.shape[0]):
        nx, ny, nz = normal[i, 0], normal[i, 1], normal[i, 2]
        cosine = nx * direction[0] + ny * direction[1] + nz * direction[2]
        lit = max(0.0, (cosine + wrap) / (1 + wrap)) * seen[i]
        glance = max(0.0, (nx * hx + ny * hy + nz * hz) / size)
        g2 = glance * glance
        g8 = g2 * g2 * g2 * g2
        g16 = g8 * g8
        spark = gloss[i] * seen[i] * min(max(cosine * 3 + 0.2, 0.0), 1.0)
        spark *= 0.050 * g8 * g2 * g2 * g2 + 0.085 * g16 * g16 * g16
        if eyes[i]:
            wet = 9.0 * min(1.4 * glance**900, 1.0) + 0.05 * glance**60
            spark += 0.55 * wet * min(max(seen[i] * 1.6, 0.3), 1.0)
        for c in range(3):
            incident[i, c] += lit * colour[c]
            shine[i, c] += spark * colour[c]


def _scatter(incident: Floats, skin: Mask, shown: Mask) -> Floats:
    """Blur light within the skin, red furthest: shadows get a warm edge."""
    plane = np.zeros((*shown.shape, 4), np.float32)
    plane[shown] = np.hstack([incident, np.ones((len(incident), 1), np.float32)])
    where = np.zeros(shown.shape, np.float32)
    where[shown] = skin
    out = incident.copy()
    for c in range(3):
        radius = SCATTER[c] * shown.shape[0] / 960
        weight = cv2.GaussianBlur(where, (0, 0), radius)
        soft = cv2.GaussianBlur(plane[..., c] * where, (0, 0), radius) / np.maximum(weight, 1e-4)
        mixed = 0.72 * soft[shown] + 0.28 * incident[:, c]
        out[:, c] = np.where(skin, mixed, incident[:, c])
    return out


def develop(
    image: Floats, size: int, exposure: float, noise: float, rng: np.random.Generator
) -> npt.NDArray[np.uint8]:
    """Shrink, bloom, tone curve, grain."""
    small = cv2.resize(image, (size, size), interpolation=cv2.INTER_AREA) * exposure
    glow = cv2.GaussianBlur(np.clip(small - 0.8, 0, 2), (0, 0), size / 60)
    small = small + 0.12 * glow
    small = np.maximum(small + 0.22 * (small - cv2.GaussianBlur(small, (0, 0), 1.1)), 0)
    # a shoulder instead of clipping, then the sRGB curve
    knee = 0.62
    high = knee + (1 - knee) * (1 - np.exp(-(small - knee) / (1 - knee)))
    small = np.where(small > knee, high, small)
    srgb = np.where(
        small <= 0.0031308, 12.92 * small, 1.055 * np.maximum(small, 1e-6) ** (1 / 2.4) - 0.055
    )
    srgb = srgb + noise * rng.normal(0, 1, srgb.shape)
    return (np.clip(srgb, 0, 1) * 255 + 0.5).astype(np.uint8)
