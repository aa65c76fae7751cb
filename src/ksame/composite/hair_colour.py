"""Which pixels have the colour of hair, and which of skin.

The colours are taken from the picture itself: hair above the brow, skin on the cheeks, clothes
below the chin. The figures were chosen on photos of the five test sets.
"""

from functools import cache
from typing import Final

import cv2
import numpy as np

from ksame.arrays import Bools, Floats, Floats32, Image, Indices, medians
from ksame.composite.blend import smoothstep
from ksame.composite.frame import CHIN, NOSE, UNDER_LIP, HeadFrame
from ksame.composite.masks import hull

_BROWS: Final = (105, 334)  # landmarks
_SURELY_PERSON: Final = 0.8  # of the person mask
_AROUND_FACE, _INNER_FACE = 1.08, 0.8  # of the face's outline
# eye distances: below the brow the cheeks begin, below the chin the torso, then surely clothes
_CHEEKS, _TORSO, _CLOTHES = 0.15, 0.3, 0.6
_SURELY_NO_SKIN, _NO_SKIN = 0.05, 0.3  # likeness to skin
_SKIN_LIKE: Final = (0.1, 0.5)  # likeness to skin between which hair becomes skin
_HAIR_FIRST: Final = 0.5  # of the clothes' share of a colour: from there on it is hair's
_RARE: Final = 2e-4  # share of a colour below which nothing is known of it
_THROAT: Final = 0.5  # eye distances to each side of the chin
_BEARD: Final = 0.25  # of the chin that has the colour of hair, if there is a beard
_HAIR_WIDTH: Final = 2.2  # eye distances from the middle within which hair comes down
_ALL_OF_TORSO, _MUCH_OF_TORSO = 0.8, 0.3  # of the torso that has the colour of hair
_ABOVE_CHIN: Final = 0.1  # eye distances
_SHORT_HAIR: Final = 0.12  # eye distances of hair beside the cheek; with less it is short
_TO_DEVIATION: Final = 1.5  # times the median distance from the median: a standard deviation
_LEAST_SPREAD: Final = (30.0, 3.5, 3.5)  # of L, a and b, 0 to 255: shade counts little
_STEEPNESS: Final = 0.18  # of the fall of likeness with the squared deviation
_BINS: Final = (16, 12, 12)  # of L, a and b
_LEAST_CHROMA, _CHROMA_RANGE = 92, 72  # of a and b, 0 to 255: where hair, skin and most clothes lie
_BIN_BLUR: Final = 0.8  # bins


def hair_and_skin(
    view: Image, person: Floats32, points: Floats, frame: HeadFrame, reach: Floats32
) -> tuple[Floats32, Floats32]:
    """Per pixel: how sure it is hair, and how sure it is skin, by colour."""
    lab = cv2.cvtColor(view, cv2.COLOR_RGB2LAB)
    index = _bin(lab)
    rows = np.arange(frame.height)[:, None]
    brow, chin = points[list(_BROWS), 1].mean(), points[CHIN, 1]
    sure = person > _SURELY_PERSON
    wide, inner = hull(points, _AROUND_FACE, frame) > 0, hull(points, _INNER_FACE, frame) > 0
    cheeks = inner & (rows > brow + _CHEEKS * frame.eyes)
    skin = _histogram(index, cheeks)
    like = _likeness(lab, cheeks)
    at_the_sides = (rows < chin) & (reach < 1.0) & (like < _SURELY_NO_SKIN)
    hair = _histogram(index, sure & ~wide & ((rows < brow) | at_the_sides))
    clothes = _histogram(index, sure & (rows > chin + _CLOTHES * frame.eyes))
    # long hair lies among the clothes at the bottom: what looks like hair is taken for hair
    clothes = np.where(hair > _HAIR_FIRST * clothes, 0.0, clothes)
    total = hair + skin + clothes + _RARE
    is_hair = (hair / total).astype(np.float32)[index] * (1 - smoothstep(like, *_SKIN_LIKE))
    is_skin = like * (1 - is_hair)
    torso = sure & (rows > chin + _TORSO * frame.eyes) & (like < _NO_SKIN)
    is_hair = is_hair * (rows < _hair_ends(is_hair, sure & ~wide, torso, points, frame)[None, :])
    front = np.abs(np.arange(frame.width)[None, :] - points[CHIN, 0]) < _THROAT * frame.eyes
    beard = is_hair[inner & front & (rows > points[UNDER_LIP, 1])]
    if not beard.size or beard.mean() < _BEARD:  # then no hair lies before the throat either
        is_hair = np.where(front & (rows > chin), 0.0, is_hair)
    hair_mask, skin_mask = (
        cv2.GaussianBlur(part.astype(np.float32), (0, 0), 1.0) for part in (is_hair, is_skin)
    )
    return hair_mask, skin_mask


def _hair_ends(
    hair: Floats32, around: Bools, torso: Bools, points: Floats, frame: HeadFrame
) -> Floats:
    """The row of each column below which clothes are mistaken for hair.

    Below the jaw everywhere, if nearly all of the torso looks like hair; below the mouth on a side
    where much of it does, and no hair comes down past the cheek.
    """
    columns = np.arange(frame.width)
    middle = points[CHIN, 0]
    near = np.abs(columns - middle) < _HAIR_WIDTH * frame.eyes
    ends = np.full(frame.width, float(frame.height))
    if torso.any() and hair[torso].mean() > _ALL_OF_TORSO:
        ends[:] = points[CHIN, 1] - _ABOVE_CHIN * frame.eyes
    low, high = (int(np.clip(points[n, 1], 0, frame.height - 1)) for n in (NOSE, UNDER_LIP))
    past = (hair[low : high + 1] * around[low : high + 1]).sum(axis=0) / (high + 1 - low)
    half = int(np.searchsorted(columns, middle))
    for side in (slice(half), slice(half, None)):
        dressed = hair[:, side][torso[:, side]]
        short = past[side][near[side]].sum() < _SHORT_HAIR * frame.eyes
        if short and dressed.size and dressed.mean() > _MUCH_OF_TORSO:
            ends[side] = high
    return ends


def _likeness(lab: Image, sample: Bools) -> Floats32:
    """How near each pixel's hue is to a sample's; shade and highlights count little."""
    colours = lab[::2, ::2][sample[::2, ::2]].T.astype(np.float32)
    middle = medians(colours).astype(np.float64)
    apart = np.abs(colours - middle[:, None].astype(np.float32))
    spread = np.maximum(_TO_DEVIATION * medians(apart).astype(np.float64), _LEAST_SPREAD)
    table = -_STEEPNESS * ((np.arange(256)[:, None] - middle) / spread) ** 2
    parts = cv2.LUT(lab, table.astype(np.float32)[None])
    likeness = np.exp(cv2.transform(parts, np.ones((1, 3), np.float32)))
    limited: Floats32 = np.clip(1.6 * likeness - 0.2, 0, 1)  # doubt at both ends becomes certainty
    return limited


def _bin(lab: Image) -> Indices:
    """The colour bin of each pixel."""
    level = np.arange(256)
    table = np.empty((1, 256, 3), np.float32)
    table[0, :, 0] = level * _BINS[0] // 256 * (_BINS[1] * _BINS[2])
    for axis, step in ((1, _BINS[2]), (2, 1)):
        bins = (level - _LEAST_CHROMA) * _BINS[axis] // _CHROMA_RANGE
        table[0, :, axis] = np.clip(bins, 0, _BINS[axis] - 1) * step
    parts = cv2.LUT(lab, table)
    index: Indices = cv2.transform(parts, np.ones((1, 3), np.float32)).astype(np.intp)
    return index


def _histogram(index: Indices, where: Bools) -> Floats:
    """The smoothed share of each colour bin among the chosen pixels."""
    counts = np.bincount(index[where], minlength=int(np.prod(_BINS))).astype(np.float64)
    light, a, b = (_blur(size) for size in _BINS)
    rows = (light @ counts.reshape(_BINS[0], -1)).reshape(_BINS)
    smoothed = (a @ rows @ b.T).ravel()
    share: Floats = smoothed / max(smoothed.sum(), 1.0)
    return share


@cache
def _blur(size: int) -> Floats:
    """The matrix that smooths a row of so many bins; beyond its ends there is nothing."""
    apart = np.subtract.outer(np.arange(size), np.arange(size))
    kernel = np.exp(-0.5 * (apart / _BIN_BLUR) ** 2) * (np.abs(apart) <= 3)
    even: Floats = kernel / np.exp(-0.5 * (np.arange(-3, 4) / _BIN_BLUR) ** 2).sum()
    return even
