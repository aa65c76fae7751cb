"""Read from an altered face how it was altered: pixelation by voting of runs, blur by its spectrum.

M section 6.2.1: "counts runs of pixels with identical or nearly identical pixel values in both the
x and y direction and uses a voting scheme to determine a single pixelation value".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from ksame.arrays import Array, Floats, Floats32

_LARGEST = 64
_QUORUM = 0.35


@dataclass(frozen=True)
class Level:
    """An alteration found on a face: `pixelate` with its block or `blur` with its sigma, in pixels.

    `kind` is "none" where neither was found.
    """

    kind: Literal["none", "pixelate", "blur"]
    value: float = 0.0


def find_level(image: Array, sharp: float = 1.0) -> Level:
    """Pixelation or blur of one face, read from its pixels alone.

    `sharp` is the blur in pixels that an unaltered face has from its lens and resizing; only what
    exceeds it twice over counts as an alteration.
    """
    block = find_pixelation(image)
    if block > 1:
        return Level("pixelate", float(block))
    sigma = find_blur(image)
    return Level("blur", sigma) if sigma > 2 * sharp else Level("none")


def find_pixelation(image: Array, tolerances: tuple[float, ...] = (2.0, 6.0, 12.0)) -> int:
    """Side of the blocks of a pixelated image; 1 where there are none.

    Every run votes for its length with its number of pixels. Runs that touch the border are cut,
    so they do not vote; a winner needs 35% of all pixels, and its edges must carry the steps.
    What counts as "nearly identical" grows until there is a winner: JPEG blurs the steps.
    """
    grey = _grey(image)
    found = (_find_blocks(grey, tolerance) for tolerance in tolerances)
    return next((block for block in found if block > 1), 1)


def _find_blocks(grey: Floats32, tolerance: float) -> int:
    votes = np.zeros(_LARGEST + 1)
    for lines in (grey, grey.T):
        votes += _votes(np.diff(lines, axis=1), tolerance)
    # A block next to an equal one makes a run of twice the length: count it for the shorter one.
    tally = [votes[p] + votes[2 * p : _LARGEST + 1 : p].sum() for p in range(2, _LARGEST // 2 + 1)]
    exact = votes[2 : _LARGEST // 2 + 1]
    support = np.where(exact >= 0.25 * votes.sum(), tally, 0.0)
    if not votes.sum() or support.max(initial=0.0) < _QUORUM * 2 * grey.size:
        return 1
    block = int(np.argmax(support)) + 2
    return block if _on_grid(grey, block) else 1


def _votes(steps: Floats32, tolerance: float) -> Floats:
    """Pixels in inner runs, by length of run."""
    votes = np.zeros(_LARGEST + 1)
    rows, columns = np.nonzero(np.abs(steps) > tolerance)
    inner = np.diff(rows) == 0
    lengths = np.diff(columns)[inner]
    lengths = lengths[lengths <= _LARGEST]
    np.add.at(votes, lengths, lengths)
    return votes


def _on_grid(grey: Floats32, block: int) -> bool:
    """Whether the steps of an image sit on one phase of a grid, as blocks put them."""
    for lines in (grey, grey.T):
        energy = np.abs(np.diff(lines, axis=1)).sum(axis=0)
        phases = [energy[o::block].sum() for o in range(block)]
        if max(phases) < 0.6 * energy.sum():
            return False
    return True


def find_blur(image: Array) -> float:
    """Standard deviation, in pixels, of the Gaussian that a face was blurred with.

    Faces have a power spectrum near 1 / f^2; a Gaussian multiplies it by `exp(-(2 pi sigma f)^2)`.
    The slope of `log(power f^2)` over f^2, above the noise of 8-bit pixels, gives sigma.
    """
    grey = _grey(image)
    height, width = grey.shape
    window = np.outer(np.hanning(height), np.hanning(width))
    power = np.abs(np.fft.fft2((grey - grey.mean()) * window)) ** 2
    radius = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.fftfreq(width)[None, :])
    rings = np.linspace(1.5 / min(height, width), 0.5, 64)
    index = np.digitize(radius.ravel(), rings)
    count = np.bincount(index, minlength=len(rings) + 1)[1:-1]
    total = np.bincount(index, power.ravel(), minlength=len(rings) + 1)[1:-1]
    f = (rings[1:] + rings[:-1]) / 2
    kept = count > 0
    f, ring = f[kept], total[kept] / count[kept]
    # Rounding to whole grey levels leaves white noise of variance 1/12 under the window.
    floor = 8.0 * np.sum(window**2) / 12.0
    loud = np.flatnonzero(ring <= floor)
    last = loud[0] if len(loud) else len(f)
    if last < 4:
        return float(1.0 / (2 * np.pi * f[0]))
    slope = np.polyfit(f[:last] ** 2, np.log(ring[:last] * f[:last] ** 2), 1)[0]
    return float(np.sqrt(max(-slope, 0.0)) / (2 * np.pi))


def pixelate(image: Array, block: int) -> Array:
    """Replace every block by its mean; blocks at the far borders may be cut (M section 6.1)."""
    height, width = image.shape[:2]
    small = _block_means(image, block)
    wide = np.repeat(np.repeat(small, block, axis=0), block, axis=1)[:height, :width]
    return wide.astype(image.dtype) if image.dtype != np.uint8 else np.rint(wide).astype(np.uint8)


def _block_means(image: Array, block: int) -> Floats:
    """Mean of each block, of the pixels that it has."""
    rows = np.arange(0, image.shape[0], block)
    columns = np.arange(0, image.shape[1], block)
    sums = np.add.reduceat(image.astype(np.float64), rows, axis=0)
    sums = np.add.reduceat(sums, columns, axis=1)
    tall = np.diff(np.append(rows, image.shape[0]))
    wide = np.diff(np.append(columns, image.shape[1]))
    area = np.outer(tall, wide).astype(np.float64)
    return sums / (area if image.ndim == 2 else area[..., None])


def blur(image: Array, sigma: float) -> Array:
    """Gaussian blur with mirrored borders."""
    out: Array = cv2.GaussianBlur(image, (0, 0), sigma, borderType=cv2.BORDER_REFLECT_101)
    return out


def apply_level(image: Array, level: Level) -> Array:
    """Alter an image as a found level says: the parrot's own copy of the method."""
    if level.kind == "pixelate":
        return pixelate(image, max(round(level.value), 1))
    return blur(image, level.value) if level.kind == "blur" else image


def _grey(image: Array) -> Floats32:
    image = np.asarray(image, dtype=np.float32)
    return image if image.ndim == 2 else image.mean(axis=2)
