"""Where a neck is, and how a photo's neck narrows towards the head that is laid over it.

All in the scene frame. A head of a narrower jaw would otherwise stand before two pillars.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import cv2
import numpy as np

from ksame.composite import frame
from ksame.composite.blend import Floats32
from ksame.composite.frame import CHIN, SCENE, Floats, Image
from ksame.composite.matte import Bools, depth_below_jaw
from ksame.composite.portrait import Portrait
from ksame.composite.surrogate import Look

_FLARE = 2 / 3  # a neck is slender for long and widens towards the shoulders
_RIM = 8  # columns beside a neck
_LENGTH = (0.35, 1.5)  # eye distances: the shortest and longest way to widen


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
        points = frame.apply(SCENE.from_head(), points)
        depth = depth_below_jaw(points, SCENE)
        left, right = _edges(points, neck, depth)
        ends = np.clip(np.rint([left, right]), 0, SCENE.width - 1).astype(int)
        rows = -depth[0, ends] * SCENE.eyes  # the first row lies this far above the jaw
        return cls(left, right, (float(rows[0]), float(rows[1])))


def _edges(points: Floats, neck: Image, depth: Floats32) -> tuple[float, float]:
    """Columns between which the neck shows, or would."""
    band = (depth > 0.1) & (depth < 0.7)
    shown = ((neck > 0.4 * 255) & band).sum(axis=0) > 0.4 * np.maximum(band.sum(axis=0), 1)
    middle = points[CHIN, 0]
    turn = 2 * SCENE.eyes * frame.turn(points)  # a turned head shows the side of the neck
    widest = points[172, 0] - max(turn, 0.0), points[397, 0] + max(-turn, 0.0)
    narrow = 0.7 * widest[0] + 0.3 * middle, 0.7 * widest[1] + 0.3 * middle
    columns = np.nonzero(shown)[0]
    columns = columns[(columns > widest[0]) & (columns < widest[1])]
    if len(columns) < 3:
        return 0.85 * widest[0] + 0.15 * middle, 0.85 * widest[1] + 0.15 * middle
    return min(float(columns.min()), narrow[0]), max(float(columns.max()), narrow[1])


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
        beside = line[int(np.clip(round(edge - _RIM / 2 * inward), 0, SCENE.width - 1))]
        foot = float(np.clip(beside, shortest, longest))
        share = np.clip((goal - columns) / (goal - edge), 0, 1)  # 0 at the goal, 1 at the edge
        curve = jaw + (foot - jaw) * share**_FLARE
        between = (share > 0) & ((columns - edge) * inward >= 0)
        lowered = np.where(between, np.maximum(lowered, np.minimum(curve, clothes)), lowered)
    # a neck's soft rim is no shoulder: no peaks narrower than that
    window = np.ones((1, _RIM + 1), np.uint8)
    closed: Floats = cv2.morphologyEx(lowered[None], cv2.MORPH_CLOSE, window)[0]
    return closed


def below_line(line: Floats) -> Floats32:
    """1 below a line of one row per column, 0 above it, smooth across it however steep it is."""
    steep = np.hypot(1, np.clip(np.gradient(line), -20, 20))
    rows = np.arange(SCENE.height, dtype=np.float32)[:, None]
    below = (rows - line.astype(np.float32)) * (1 / steep).astype(np.float32)
    smooth: Floats32 = np.clip(below + np.float32(0.5), 0, 1)
    return smooth


def spare(line: Floats, own: Neck, neck: Image) -> Floats32:
    """What of a neck lies above the row at which the body is to begin: 1 where it must go."""
    columns = np.arange(SCENE.width)[None, :]
    reach = (columns >= own.left - _RIM) & (columns <= own.right + _RIM)
    above: Bools = below_line(line) < 1
    cut = ((neck > 8) & reach & above).astype(np.uint8)
    # the soft rim of the neck goes along
    wider = cv2.dilate(cut, np.ones((5, 5), np.uint8)) * above
    return np.asarray(wider, np.float32)
