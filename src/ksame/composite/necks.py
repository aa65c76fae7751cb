"""Where a neck is, and how a photo's neck narrows towards the head that is laid over it.

All in the scene frame. A head of a narrower jaw would otherwise stand before two pillars.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self

import cv2
import numpy as np

from ksame import geometry
from ksame.arrays import Bools, Floats, Floats32, Image, Ints32
from ksame.composite import frame
from ksame.composite.frame import CHIN, SCENE
from ksame.composite.matte import depth_below_jaw
from ksame.composite.portrait import Portrait
from ksame.composite.surrogate import Look

_FLARE: Final = 2 / 3  # a neck is slender for long and widens towards the shoulders
_RIM: Final = 8  # columns beside a neck
_LENGTH: Final = (0.35, 1.5)  # eye distances: the shortest and longest way to widen
_BAND: Final = (0.1, 0.7)  # eye distances below the jaw in which the neck's edges are looked for
_SHOWN: Final = 0.4  # of the mask, and of the band's rows, that make a column one of the neck
_LEAST: Final = 0.7  # of the jaw's width: a neck is not narrower
_HIDDEN: Final = 0.85  # of the jaw's width: how wide a neck is taken to be that cannot be seen
_TURNED: Final = 2.0  # eye distances of neck that appear when the nose is off by the face's width
_STEEPEST: Final = 20  # rows a column
_TRACE: Final = 8  # of 255: less of the neck is not seen
_JAW: Final = (172, 397)  # landmarks between which the jaw has its full width


@dataclass(frozen=True)
class Neck:
    """The columns between which a neck shows, or would, and the jaw's row at each."""

    left: float
    right: float
    jaw: tuple[float, float]

    @classmethod
    def of_portrait(cls, portrait: Portrait) -> Self:
        """The neck in a photo."""
        return cls._found(portrait.points, portrait.maps[..., 2])

    @classmethod
    @lru_cache(maxsize=8)  # photos of a group follow one another
    def of_look(cls, look: Look) -> Self:
        """The neck of a surrogate's head."""
        neck = cv2.multiply(look.neck, look.head[..., 3], scale=1 / 255)
        return cls._found(look.points, cv2.warpAffine(neck, SCENE.from_head(), SCENE.size))

    @classmethod
    def _found(cls, points: Floats, neck: Image) -> Self:
        points = geometry.apply(SCENE.from_head(), points)
        depth = depth_below_jaw(points, SCENE)
        left, right = _edges(points, neck, depth)
        ends = np.clip(np.rint([left, right]), 0, SCENE.width - 1).astype(int)
        rows = -depth[0, ends] * SCENE.eyes  # the first row lies this far above the jaw
        return cls(left, right, (float(rows[0]), float(rows[1])))


def _edges(points: Floats, neck: Image, depth: Floats32) -> tuple[float, float]:
    """Columns between which the neck shows, or would."""
    band = (depth > _BAND[0]) & (depth < _BAND[1])
    seen, rows = (_rows_of_columns(mask) for mask in ((neck > _SHOWN * 255) & band, band))
    shown = seen > _SHOWN * np.maximum(rows, 1)
    middle = points[CHIN, 0]
    turn = (
        _TURNED * SCENE.eyes * frame.nose_offset(points)
    )  # a turned head shows the side of the neck
    widest = points[_JAW[0], 0] - max(turn, 0.0), points[_JAW[1], 0] + max(-turn, 0.0)
    narrow = [_LEAST * edge + (1 - _LEAST) * middle for edge in widest]
    columns = np.nonzero(shown)[0]
    columns = columns[(columns > widest[0]) & (columns < widest[1])]
    if len(columns) < 3:
        left, right = (_HIDDEN * edge + (1 - _HIDDEN) * middle for edge in widest)
        return left, right
    return min(float(columns.min()), narrow[0]), max(float(columns.max()), narrow[1])


def _rows_of_columns(mask: Bools) -> Ints32:
    """In how many rows each column of a mask is set."""
    rows: Ints32 = cv2.reduce(mask.view(np.uint8), 0, cv2.REDUCE_SUM, dtype=cv2.CV_32S)[0]
    return rows


def narrowed(line: Floats, own: Neck, theirs: Neck, clothes: Floats) -> Floats:
    """The row at which the body begins, per column, if its neck is to end in a narrower one.

    From where the narrower neck leaves its jaw, the edge runs out and down to the photo's own neck.
    ``clothes`` are the rows at which they begin: a collar stays as it is.
    """
    columns = np.arange(SCENE.width, dtype=np.float64)
    lowered = line.copy()
    for edge, goal, jaw, inward in (
        (own.left, theirs.left, theirs.jaw[0], 1.0),
        (own.right, theirs.right, theirs.jaw[1], -1.0),
    ):
        if (goal - edge) * inward < 1:
            continue
        shortest, longest = (jaw + length * SCENE.eyes for length in _LENGTH)
        outside = line[int(np.clip(round(edge - _RIM / 2 * inward), 0, SCENE.width - 1))]
        foot = float(np.clip(outside, shortest, longest))
        share = np.clip((goal - columns) / (goal - edge), 0, 1)  # 0 at the goal, 1 at the edge
        curve = jaw + (foot - jaw) * share**_FLARE
        between = (share > 0) & ((columns - edge) * inward >= 0)
        lowered = np.where(between, np.maximum(lowered, np.minimum(curve, clothes)), lowered)
    # a neck's soft rim is no shoulder: no peaks narrower than that
    window = np.ones((1, _RIM + 1), np.uint8)
    closed: Floats = cv2.morphologyEx(lowered[None], cv2.MORPH_CLOSE, window)[0]
    return closed


def below_line(line: Floats) -> Floats32:
    """1 below a line of one row per column, 0 above it, smooth across it however steep it is.

    Read-only: what is cut and what is filled follow one another.
    """
    return _below_line(line.astype(np.float64).tobytes())


@lru_cache(maxsize=2)
def _below_line(rows_of_columns: bytes) -> Floats32:
    line = np.frombuffer(rows_of_columns)
    steep = np.hypot(1, np.clip(np.gradient(line), -_STEEPEST, _STEEPEST))
    rows = np.arange(SCENE.height, dtype=np.float32)[:, None]
    below = (rows - line.astype(np.float32)) * (1 / steep).astype(np.float32)
    smooth: Floats32 = np.clip(below + np.float32(0.5), 0, 1)
    smooth.flags.writeable = False
    return smooth


def surplus_neck(line: Floats, own: Neck, neck: Image) -> Floats32:
    """The part of a neck above the row at which the body is to begin: 1 where it is removed."""
    columns = np.arange(SCENE.width)[None, :]
    reach = (columns >= own.left - _RIM) & (columns <= own.right + _RIM)
    above: Bools = below_line(line) < 1
    cut = ((neck > _TRACE) & reach & above).astype(np.uint8)
    # the soft rim of the neck goes along
    wider = cv2.dilate(cut, np.ones((5, 5), np.uint8)) * above
    return np.asarray(wider, np.float32)
