"""High dynamic range seen as ordinary pictures, and back.

Detectors and the renderer work on 8 bit pictures of ordinary range. A curve per channel makes
them from HLG (ITU-R BT.2100, ARIB STD-B67) and PQ (SMPTE ST 2084) and has an inverse, so that
what was drawn comes back in the clip's own transfer. Samples that nobody changed never take this
way: they keep their own values.
"""

from functools import cache

import numpy as np

from ksame.arrays import Array, Floats, Image
from ksame.media.clips.facts import PQ

LEVELS = 1024
"""Values of a 10 bit sample."""

_WHITE_NITS = 203.0
"""Candela a square metre of a white page in HDR (ITU-R BT.2408); it becomes nearly white."""

_HLG_WHITE = 0.2650
"""Scene light of the same page in HLG: its signal is 75%."""

_KNEE = 0.5
"""Share of white up to which light is kept as it is; what is brighter is pressed together."""


def to_ordinary(rgb: Array, transfer: int) -> Image:
    """Pixels (.., 3) of 10 bits in HLG or PQ as 8 bit ones for eyes and networks."""
    seen: Image = _seen(transfer)[rgb]
    return seen


def from_ordinary(rgb: Image, transfer: int) -> Array:
    """The inverse of `to_ordinary`, as 10 bit pixels."""
    return _unseen(transfer)[rgb]


@cache
def _curve(transfer: int) -> Floats:
    """What every 10 bit value looks like, 0 to 255, increasing."""
    signal = np.linspace(0, 1, LEVELS)
    light = _pq_light(signal) if transfer == PQ else _hlg_light(signal)
    bright = light > _KNEE
    light[bright] = _KNEE + (1 - _KNEE) * (1 - np.exp(-(light[bright] - _KNEE) / (1 - _KNEE)))
    low = light <= 0.0031308
    return 255 * np.where(low, 12.92 * light, 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055)


@cache
def _seen(transfer: int) -> Image:
    return np.rint(_curve(transfer)).astype(np.uint8)


@cache
def _unseen(transfer: int) -> Array:
    values = np.interp(np.arange(256), _curve(transfer), np.arange(LEVELS))
    return np.rint(values).astype(np.uint16)


def _pq_light(signal: Floats) -> Floats:
    """Light over that of a white page, from a PQ signal (ST 2084, equation 4.1)."""
    m1, m2 = 2610 / 16384, 2523 / 32
    c1, c2, c3 = 3424 / 4096, 2413 / 128, 2392 / 128
    power = signal ** (1 / m2)
    nits = 10000 * (np.maximum(power - c1, 0) / (c2 - c3 * power)) ** (1 / m1)
    return np.asarray(nits / _WHITE_NITS)


def _hlg_light(signal: Floats) -> Floats:
    """Light over that of a white page, from an HLG signal (BT.2100, table 5)."""
    a, b, c = 0.17883277, 0.28466892, 0.55991073
    low = signal**2 / 3
    high = (np.exp((signal - c) / a) + b) / 12
    return np.asarray(np.where(signal <= 0.5, low, high) / _HLG_WHITE)
