"""Grain: noise like a photo's, from one fixed tile, so that a render can be repeated exactly."""

from functools import cache

import cv2
import numpy as np

from ksame.arrays import Bools, Floats32, percentile
from ksame.render.numbers import GRAIN_STEP, FaceNumbers, steps

_TILE = 512
_FINE, _COARSE = 0.5, 1.6  # px: pixel noise after JPEG, and pores or JPEG's larger blotches
_MOST_FINE, _MOST_COARSE, _MOST_TINT = 5.0, 1.5, 1.5  # grey levels; more is structure, not noise
_ROOM = 24  # px of a patch below which coarse noise cannot be told from the face's own shading
_NARROW = 6  # px of a patch that is all edges: what is fine there is the face, and no noise


def add_grain(colour: Floats32, numbers: FaceNumbers) -> None:
    """Add a face's grain to its rendered colours (h, w, 3), in place."""
    fine, coarse, tint = (amount * GRAIN_STEP for amount in numbers.grain)
    if not (fine or coarse or tint):
        return
    height, width = colour.shape[:2]
    start = numbers.seed % _TILE, numbers.seed // _TILE % _TILE
    noise = _window(0, start, (height, width)) * np.float32(fine)
    if coarse:  # clips have none
        noise += _window(1, start, (height, width)) * np.float32(coarse)
    if tint and numbers.colour == "colour":
        other = _window(2, start, (height, width)) * np.float32(tint)
        colour += cv2.merge([noise + other, noise, noise - other])
    else:
        colour += noise[..., None]


def add_noise(colour: Floats32, strength: float, seed: int) -> None:
    """Add fine grey noise of a standard deviation in grey levels, in place."""
    start = seed % _TILE, seed // _TILE % _TILE
    colour += (_window(0, start, colour.shape[:2]) * np.float32(strength))[..., None]


def tile_of(which: int, shape: tuple[int, int]) -> Floats32:
    """Noise of standard deviation 1 over ``shape``, always the same; not to be written to."""
    return _window(which, (0, 0), shape)


def measure_grain(skin: Floats32, weight: Floats32) -> tuple[int, ...]:
    """Strength of fine, coarse and coloured noise on a patch of skin (h, w, 3)."""
    inside = cv2.erode(weight, np.ones((3, 3), np.uint8)) > 0.5
    if inside.sum() < 12:  # too small to tell: no grain
        return (0, 0, 0)
    fine, coarse = _bands(skin[..., 1])
    tint = _bands((skin[..., 0] - skin[..., 2]) * np.float32(0.5))[1]
    fine_gain, coarse_gain = _band_strengths()
    side = float(np.sqrt(inside.sum()))
    roomy = float(side >= _ROOM)
    most = _MOST_FINE * float(np.clip((side - _NARROW) / (_ROOM - _NARROW), 0, 1))
    strengths = [
        min(_calm(fine, inside, 6) / fine_gain, most),
        min(_calm(coarse, inside, 12) / coarse_gain, _MOST_COARSE) * roomy,
        min(_calm(tint, inside, 12) / coarse_gain, _MOST_TINT) * roomy,
    ]
    return steps(strengths, GRAIN_STEP)


def _calm(values: Floats32, inside: Bools, side: int) -> float:
    """The standard deviation in the calmer blocks: wrinkles, stubble and shadows are no noise."""
    weight = cv2.blur(inside.astype(np.float32), (side, side))
    mean = cv2.blur(values * inside, (side, side)) / np.maximum(weight, 1e-3)
    power = cv2.blur(values * values * inside, (side, side)) / np.maximum(weight, 1e-3)
    full = inside & (weight > 0.6)
    if not full.any():
        return 0.0
    return float(np.sqrt(max(percentile((power - mean * mean)[full], 25), 0.0)))


def _bands(values: Floats32) -> tuple[Floats32, Floats32]:
    """What is finer than a pixel and a bit, and what is up to three times as coarse."""
    once = cv2.GaussianBlur(values, (0, 0), 0.8)
    twice = cv2.GaussianBlur(values, (0, 0), 2.4)
    return values - once, once - twice


def _spread(values: Floats32) -> float:
    """The standard deviation of the bulk: an edge or a mole is no noise."""
    low, high = np.percentile(values, [25, 75])
    return float(high - low) / 1.349


@cache
def _band_strengths() -> tuple[float, float]:
    """What a tile of strength 1 shows in the band that it is measured in."""
    fine = _spread(_bands(_tile(0))[0])
    coarse = _spread(_bands(_tile(1))[1])
    return fine, coarse


@cache
def _tile(which: int) -> Floats32:
    """A square of noise of standard deviation 1 that goes on at its edges."""
    noise = np.random.Generator(np.random.PCG64(which)).standard_normal((_TILE, _TILE))
    wide = np.pad(noise.astype(np.float32), 16, mode="wrap")
    soft = cv2.GaussianBlur(wide, (0, 0), _FINE if which == 0 else _COARSE)[16:-16, 16:-16]
    return np.ascontiguousarray(soft / soft.std())


@cache
def _twice(which: int) -> Floats32:
    """A tile twice each way: every part of up to one tile's size lies in it as it is."""
    return np.tile(_tile(which), (2, 2))


def _window(which: int, start: tuple[int, int], shape: tuple[int, ...]) -> Floats32:
    """A part of a tile, repeated where it is too small; not to be written to."""
    if max(shape) <= _TILE:
        return _twice(which)[start[0] : start[0] + shape[0], start[1] : start[1] + shape[1]]
    rows = (start[0] + np.arange(shape[0])) % _TILE
    columns = (start[1] + np.arange(shape[1])) % _TILE
    # lines first: whole ones are copied at once
    part: Floats32 = _tile(which)[rows].take(columns, axis=1)
    return part
