"""The ad hoc alterations of N figure 13 and G section 4.2, each for all faces at once.

Every function takes float faces (n, h, w, c) with values from 0 to 255 and `Settings`, and returns
altered faces of the same shape. None gives a guarantee.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ksame.arrays import Floats
from ksame.errors import InputError

_GREY = np.array([0.299, 0.587, 0.114])
_BLACK_WHITE = 65.0  # grey level at which N's black and white techniques divide (section 5.3)


@dataclass(frozen=True)
class Layout:
    """Where a face's features lie in its frame, as shares of height (rows) and width (gap).

    The defaults are those of a registered face; `BOX` is for the box of a face detector.
    """

    eyes: float = 0.36
    nose: float = 0.57
    mouth: float = 0.70
    gap: float = 0.42


BOX = Layout(eyes=0.40, nose=0.58, mouth=0.77, gap=0.45)


@dataclass(frozen=True, eq=False)
class Settings:
    """What an alteration may need: its strength, the layout, other people's faces, randomness."""

    level: float
    layout: Layout
    others: Floats | None
    rng: np.random.Generator = field(repr=False)


Filter = Callable[[Floats, Settings], Floats]


def _rows(faces: Floats, top: float, bottom: float) -> slice:
    """Return the rows between two shares of the height, at least one."""
    height = faces.shape[1]
    first = min(max(round(top * height), 0), height - 1)
    return slice(first, max(round(bottom * height), first + 1))


def _columns(faces: Floats, half_width: float) -> slice:
    """Return the columns within a share of the width on both sides of the middle, at least one."""
    width = faces.shape[2]
    first = min(max(round((0.5 - half_width) * width), 0), width - 1)
    return slice(first, max(round((0.5 + half_width) * width), first + 1))


def black_white(faces: Floats, limit: float = _BLACK_WHITE) -> Floats:
    """Return pure black and white: 255 where a face is at least as bright as the limit."""
    grey = faces @ _GREY if faces.shape[3] == 3 else faces[..., 0]
    return np.broadcast_to(np.where(grey >= limit, 255.0, 0.0)[..., None], faces.shape).copy()


def blackout(faces: Floats, settings: Settings) -> Floats:
    """Colour the whole face black (N example 2.6)."""
    return np.zeros_like(faces)


def average(faces: Floats, settings: Settings) -> Floats:
    """Replace every face by the mean of all (N example 2.7, equation 1)."""
    everyone = faces if settings.others is None else np.concatenate([faces, settings.others])
    return np.broadcast_to(everyone.mean(axis=0), faces.shape).copy()


def random_one(faces: Floats, settings: Settings) -> Floats:
    """Turn one randomly chosen pixel that is not black to black (N example 2.8)."""
    lit = faces.reshape(len(faces), -1, faces.shape[3]).max(axis=2) > 0
    chosen = np.where(lit, settings.rng.random(lit.shape), -1.0).argmax(axis=1)
    altered = faces.copy()
    altered.reshape(len(faces), -1, faces.shape[3])[np.arange(len(faces)), chosen] = 0.0
    return altered


def bar(faces: Floats, settings: Settings) -> Floats:
    """Cover the eyes with a black band across the face."""
    altered = faces.copy()
    eyes = settings.layout.eyes
    altered[:, _rows(faces, eyes - 0.09, eyes + 0.08)] = 0.0
    return altered


def t_mask(faces: Floats, settings: Settings) -> Floats:
    """Cover the eyes and the nose with a black T."""
    altered = bar(faces, settings)
    nose = _rows(faces, settings.layout.eyes, settings.layout.nose + 0.05)
    altered[:, nose, _columns(faces, 0.35 * settings.layout.gap)] = 0.0
    return altered


def mouth(faces: Floats, settings: Settings) -> Floats:
    """Leave only the mouth and the chin."""
    altered = np.zeros_like(faces)
    middle = 0.5 * (settings.layout.nose + settings.layout.mouth)
    rows = _rows(faces, middle, 1.0)
    altered[:, rows] = faces[:, rows]
    return altered


def mouth_bw(faces: Floats, settings: Settings) -> Floats:
    """Leave only the mouth and the chin, in black and white."""
    return mouth(black_white(faces), settings)


def pixelate(faces: Floats, settings: Settings) -> Floats:
    """Replace each square of `level` pixels by its mean; N uses 15, 20 and 30."""
    size = max(int(settings.level), 1)
    _, height, width, _ = faces.shape
    tops, lefts = np.arange(0, height, size), np.arange(0, width, size)
    sums = np.add.reduceat(np.add.reduceat(faces, tops, axis=1), lefts, axis=2)
    tall, wide = np.diff(np.append(tops, height)), np.diff(np.append(lefts, width))
    means = sums / (tall[:, None] * wide[None, :])[None, :, :, None]
    blocks: Floats = means.repeat(tall, axis=1).repeat(wide, axis=2)
    return blocks


def blur(faces: Floats, settings: Settings) -> Floats:
    """Convolve with a Gaussian of `level` pixels (G section 4.2)."""
    from scipy.ndimage import gaussian_filter  # slow to import, and rarely needed

    blurred: Floats = gaussian_filter(faces, (0, settings.level, settings.level, 0))
    return blurred


def negative(faces: Floats, settings: Settings) -> Floats:
    """Turn each value x into 255 - x."""
    return 255.0 - faces


def negative_bw(faces: Floats, settings: Settings) -> Floats:
    """Turn a black and white face into its negative."""
    return 255.0 - black_white(faces)


def potato(faces: Floats, settings: Settings) -> Floats:
    """Take the areas of eyes, nose and mouth from other faces (N's "Mr. Potato Face")."""
    own = len(faces)
    everyone = faces if settings.others is None else np.concatenate([faces, settings.others])
    if len(everyone) < 2:
        raise InputError("potato mixes faces and needs at least 2; 1 was given. Pass others=faces.")
    at, gap = settings.layout, settings.layout.gap
    areas = [
        (_rows(faces, at.eyes - 0.09, at.eyes + 0.08), _columns(faces, 0.95 * gap)),
        (_rows(faces, at.eyes + 0.08, at.nose + 0.05), _columns(faces, 0.40 * gap)),
        (_rows(faces, at.nose + 0.05, at.mouth + 0.10), _columns(faces, 0.65 * gap)),
    ]
    altered = faces.copy()
    for rows, columns in areas:
        steps = settings.rng.integers(1, len(everyone), size=own)
        donors = (np.arange(own) + steps) % len(everyone)
        altered[:, rows, columns] = everyone[donors][:, rows, columns]
    return altered


def _noisy_pixels(faces: Floats, settings: Settings) -> Floats:
    """Choose a share `level` of the pixels, the same in every face, as a mask (h, w)."""
    share = min(max(settings.level, 0.0), 1.0)
    height, width = faces.shape[1:3]
    mask = np.zeros(height * width)
    mask[settings.rng.permutation(height * width)[: round(share * height * width)]] = 1.0
    return mask.reshape(height, width)


def noise(faces: Floats, settings: Settings) -> Floats:
    """Replace a share `level` of the pixels, the same ones in every face, by random values."""
    chosen = _noisy_pixels(faces, settings).astype(bool)
    altered = faces.copy()
    shape = (len(faces), int(chosen.sum()), faces.shape[3])
    altered[:, chosen] = settings.rng.integers(0, 256, size=shape)
    return altered


def noise_bw(faces: Floats, settings: Settings) -> Floats:
    """Flip a share `level` of the pixels, the same in every face, of black and white faces."""
    chosen = _noisy_pixels(faces, settings).astype(bool)
    altered = black_white(faces)
    altered[:, chosen] = 255.0 - altered[:, chosen]
    return altered


def ordinal(faces: Floats, settings: Settings) -> Floats:
    """Turn each value into one of `level` bin values (N: five)."""
    bins = max(int(settings.level), 2)
    return np.minimum(np.floor(faces * bins / 256.0), bins - 1) * (255.0 / (bins - 1))


def threshold(faces: Floats, settings: Settings) -> Floats:
    """Turn each pixel black or white at the value `level`."""
    return black_white(faces, settings.level)
