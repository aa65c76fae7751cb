"""The coarse grid on which is decided what lies in front of a face."""

from dataclasses import dataclass, field
from functools import cached_property

import cv2
import numpy as np

from ksame.arrays import Bools, Floats32, Image
from ksame.render.draw import LOWER_CORE, UPPER_CORE
from ksame.render.guards import UNGUARDED, Guard

FREE_FROM = 2  # cells from brows, eyes, nose and mouth from which on something may be kept
LEAST_KEPT = 0.06  # of the face that something in front hides; less is the hair line
MOST_KEPT = 0.3  # of the face: what hides more of it is kept at its rim alone
_LOST = 0.7  # of the face: where so much seems to lie in front, the network sees no face
_RIM = 12  # cells around it that stay with it, beyond the face
_SMOOTH_WALL = 2.5  # cells (sigma) over which the line of the head is made even
_BRIDGE = 7  # cells: what is joined to the rest by less is cut off
_ISLANDS = 0.08  # of the face: the most that is left as it is for being cut off from the rest
_STRAND = 0.01  # of the face: hair that hides less of it is painted over


@dataclass(frozen=True)
class Cells:
    """A face about to be replaced, on the grid.

    Attributes
    ----------
    part : (h, w, 3) array
        The photo.
    bare : (h, w, 3) array
        What bare skin would look like.
    alpha, core : (h, w) arrays
        As in `Rendered`.
    worn : (h, w) uint8 array
        As in `Rendered`.
    cells_a_pixel : float
        How many of the grid's cells one pixel of the photo takes.
    """

    part: Floats32 = field(repr=False)
    bare: Floats32 = field(repr=False)
    alpha: Image = field(repr=False)
    core: Image = field(repr=False)
    worn: Image = field(repr=False)
    cells_a_pixel: float = 0.5

    @cached_property
    def face(self) -> Bools:
        """Where the face is replaced whole."""
        whole: Bools = self.alpha > 250
        return whole

    @cached_property
    def free(self) -> Bools:
        """Where something in front may be kept: not on brows, eyes, nose and mouth, nor close by.

        The verifier's own hulls of them, and its grid, may differ from these by a cell or two.
        """
        return ~grown(self.core > 0, FREE_FROM)

    @cached_property
    def below_eyes(self) -> Bools:
        """The rows of nose and mouth and what lies below them."""
        rows = np.flatnonzero((self.core == LOWER_CORE).any(axis=1))
        below = np.zeros(self.core.shape, bool)
        below[int(rows[0]) if len(rows) else len(below) :] = True
        return below

    @cached_property
    def above_eyes(self) -> Bools:
        """The forehead and what lies above it, whichever way the head lies."""
        upper, lower = self.core == UPPER_CORE, self.core == LOWER_CORE
        if not upper.any() or not lower.any():
            return np.zeros(self.core.shape, bool)
        eyes, mouth = (np.argwhere(part).mean(axis=0) for part in (upper, lower))
        y, x = np.indices(self.core.shape)
        down = mouth - eyes
        return np.asarray((y - eyes[0]) * down[0] + (x - eyes[1]) * down[1] < 0)


@dataclass(frozen=True)
class Layers:
    """Bitmaps (h, w) of what is kept, of a mask that is drawn and of glasses that are drawn.

    In place of glasses, guarded faces have hair that is drawn (``frame_is_hair``). ``of_veil`` and
    ``of_frame`` are the cells whose colours these get, where they are not drawn in the place of
    what they show. ``masked``: what is drawn over nose and mouth is a mask, and no hand.
    """

    kept: Bools = field(repr=False)
    veil: Bools = field(repr=False)
    frame: Bools = field(repr=False)
    of_veil: Bools | None = field(default=None, repr=False)
    of_frame: Bools | None = field(default=None, repr=False)
    frame_is_hair: bool = False
    masked: bool = False


def closed(cells: Bools, side: int = 7) -> Bools:
    """A bitmap without small holes."""
    return _morphed(cells, cv2.MORPH_CLOSE, side)


def opened(cells: Bools, side: int) -> Bools:
    """A bitmap without what is thinner than ``side`` cells."""
    return _morphed(cells, cv2.MORPH_OPEN, side)


def grown(cells: Bools, by: int) -> Bools:
    """A bitmap and what lies within ``by`` cells of it."""
    return _morphed(cells, cv2.MORPH_DILATE, 2 * by + 1)


def drawn_back(cells: Bools, by: int = 1) -> Bools:
    """The cells without a margin along the face: recognisers know a hair line's own shape."""
    side = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * by + 1,) * 2)
    smaller: Bools = cv2.erode(cells.astype(np.uint8), side) > 0
    return smaller


def evened_hair(hair: Bools, face: Bools, guard: Guard = UNGUARDED) -> Bools:
    """Hair as it may be kept beside a face: away from its own edge.

    A face that is laid over the hair beside it is seen to be laid on; the hair's own line is what
    recognisers know people by. So hair stays, without the curls of its edge and drawn back.
    """
    kept = _evened(hair, face, guard.evened, guard.drawn_back)
    return kept if (kept & face).sum() >= _STRAND * face.sum() else kept & ~face


def evened_wall(wall: Bools, face: Bools) -> Bools:
    """What lies behind a head, however little: skin drawn over it sticks out like a horn."""
    return _evened(wall, face, _SMOOTH_WALL, 1)


def _evened(cells: Bools, face: Bools, sigma: float, back: int) -> Bools:
    """What reaches in from outside of the face, its edge made even and drawn back."""
    even = cv2.GaussianBlur(cells.astype(np.float32), (0, 0), sigma) > 0.5
    return touching(drawn_back(even, back), ~face)


def without_islands(kept: Bools, view: Cells) -> Bools:
    """The cells, and what they cut off from brows, eyes, nose and mouth of the face that is drawn.

    A patch of forehead above a hat's brim, or between two locks, looks torn. Large ones are none:
    a hand may lie across a face.
    """
    drawn = (view.alpha > 0) & ~kept
    whole = touching(opened(drawn, _BRIDGE), view.core > 0)
    cut_off = drawn & view.free & ~grown(whole, _BRIDGE // 2)
    if (cut_off & view.face).sum() > _ISLANDS * view.face.sum():
        return kept
    return kept | cut_off


def deep(kept: Bools, face: Bools, least: float = LEAST_KEPT) -> Bools:
    """What reaches far into the face: a fringe, a hand, a hat, but not the line of the hair.

    The hair line is a person's own, and next to the face itself what recognisers know people by:
    where it is all that lies in front, the face's own forehead is drawn over it.
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStats((kept & face).astype(np.uint8))
    large = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] >= least * face.sum()]
    inside = np.isin(labels, large)
    side = np.ones((2 * _RIM + 1,) * 2, np.uint8)
    beside = cv2.dilate(inside.astype(np.uint8), side) > 0
    found: Bools = inside | (kept & ~face & beside)
    return found


def at_the_rim(kept: Bools, face: Bools) -> Bools:
    """What may be kept of the photo: no more than a share of the face, from its rim inwards."""
    inside, whole = kept & face, float(face.sum())
    if inside.sum() <= MOST_KEPT * whole:
        return kept
    if inside.sum() > _LOST * whole:
        return np.zeros_like(kept)
    depth = cv2.distanceTransform(face.astype(np.uint8), cv2.DIST_L2, 3)
    deepest = np.sort(depth[inside])[int(MOST_KEPT * whole)]
    return np.asarray(kept & (depth < deepest))


def touching(cells: Bools, seed: Bools) -> Bools:
    """The connected parts of a bitmap that meet another one."""
    _, labels = cv2.connectedComponents(cells.astype(np.uint8), connectivity=8)
    met = np.unique(labels[cells & seed])
    return np.isin(labels, met[met > 0])


def _morphed(cells: Bools, way: int, side: int) -> Bools:
    element = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    changed = cv2.morphologyEx(
        cells.astype(np.uint8), way, element, borderType=cv2.BORDER_REPLICATE
    )
    result: Bools = changed > 0
    return result
