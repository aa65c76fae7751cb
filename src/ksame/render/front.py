"""What lies in front of a face: hair over the forehead, hats, masks, collars, microphones.

A cheap test that never sees the person's features: pixels that bare skin in this light cannot
explain, and that reach in from outside of the face. Where it is unsure the face is replaced. The
answer is a coarse bitmap, small enough for a ledger.

A mask over nose and mouth is not kept but drawn again, smooth: its folds are known to recognisers
as well as a face is (a third of the people they named wore one).
"""

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from ksame.errors import InputError
from ksame.render.draw import LOWER_CORE, UPPER_CORE, Rendered
from ksame.render.numbers import steps

Image = npt.NDArray[np.uint8]
Floats32 = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]

GRID_SIDE: Final = 96  # cells of the longer side
MOST_KEPT: Final = 0.35  # of the face; fringes and hands hide less, so more is no sure mask
PAINT_STEP: Final = 4.0  # grey levels of a mask's colour
_OFFSET = 10.0  # grey levels added before logarithms: in the dark, noise is no difference
_LEAST_BRIGHT, _LEAST_TINT = 0.16, 0.07  # of a logarithm: what skin varies by on any face
_OUTSIDE, _INSIDE = 2.6, 4.0  # spreads off bare skin: in the feather, and where the face is whole
_BEARD = 6.0  # spreads below the nose, where dark may be beard: only another colour counts
_MASK = 2.0  # spreads of colour: what a mask differs from skin by, as a whole
_COVERED = 0.8  # share of the lower face that must be no skin before a mask is believed
LEAST_KEPT: Final = 0.06  # of the face that something in front hides; less is the hair line
_RIM = 12  # cells around it that stay with it, beyond the face
# cells by which the hair line is drawn back. Rank-1 by SFace on 323 faces of scenes: .040 with hair
# kept to its edge, .022 drawn back by three cells, .022 with no hair kept
_DRAWN_BACK = 3
_THIN = 0.03  # of the box: what is thinner (a shadow's edge, a temple of glasses) is not kept


@dataclass(frozen=True)
class Front:
    """What lies in front of a rendered face, as bitmaps over its box.

    Attributes
    ----------
    cells : (h, w) bool array
        True where something in front is kept as the photo shows it.
    veil : (h, w) bool array
        True where a mask is drawn over nose and mouth.
    paint : tuple of 18 int
        The mask's colour: red, green and blue by six smooth functions of the place.
    """

    cells: Bools
    veil: Bools
    paint: tuple[int, ...]

    def painted(self, size: tuple[int, int]) -> tuple[Floats32, Floats32]:
        """The mask's colours (h, w, 3) and how much of each pixel is mask (h, w)."""
        share = cv2.resize(_soft(self.veil), size, interpolation=cv2.INTER_LINEAR)
        many = np.array(self.paint, np.float32).reshape(6, 3) * PAINT_STEP
        coarse = _functions(self.veil.shape) @ many
        return cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR), share

    def soft(self) -> Floats32:
        """The mask for ``replace_face``: 0 to 1, its edge one cell wide."""
        return _soft(self.cells)

    def as_json(self) -> dict[str, Any]:
        """Height, width, the packed bits of both bitmaps and the mask's colour."""
        bits = np.packbits(np.stack([self.cells, self.veil])).tobytes()
        packed = base64.b64encode(zlib.compress(bits, 9)).decode("ascii")
        return {"size": list(self.cells.shape), "bits": packed, "paint": list(self.paint)}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "Front":
        """What ``as_json`` wrote."""
        try:
            rows, columns = (int(side) for side in record["size"])
            paint = tuple(int(value) for value in record["paint"])
            if not (0 < rows <= GRID_SIDE and 0 < columns <= GRID_SIDE) or len(paint) != 18:
                raise ValueError("size")
            stream = zlib.decompressobj()
            raw = stream.decompress(base64.b64decode(record["bits"]), GRID_SIDE * GRID_SIDE)
            bits = np.unpackbits(np.frombuffer(raw, np.uint8), count=2 * rows * columns)
        except (KeyError, TypeError, ValueError, zlib.error) as error:
            raise InputError("the mask of a face is damaged; take it as written") from error
        cells, veil = bits.reshape(2, rows, columns).astype(bool)
        return cls(cells, veil, paint)


def _soft(cells: Bools) -> Floats32:
    soft: Floats32 = cv2.GaussianBlur(cells.astype(np.float32), (0, 0), 0.7)
    return soft


def _functions(shape: tuple[int, ...]) -> Floats32:
    """Six smooth functions of the place in the box: (h, w, 6)."""
    y, x = np.meshgrid(np.linspace(-1, 1, shape[0]), np.linspace(-1, 1, shape[1]), indexing="ij")
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=2).astype(np.float32)


def front_mask(photo: Image, rendered: Rendered) -> Front | None:
    """What lies in front of a face about to be replaced; None for nothing.

    Nothing is kept on the core: brows, eyes, nose and mouth.
    """
    x0, y0, x1, y1 = rendered.box
    if x1 <= x0 or y1 <= y0:
        return None
    scale = GRID_SIDE / max(x1 - x0, y1 - y0)
    size = max(round((x1 - x0) * scale), 1), max(round((y1 - y0) * scale), 1)
    part = _sized(photo[y0:y1, x0:x1], size).astype(np.float32)
    bare = _sized(rendered.bare, size)
    alpha = _sized(rendered.alpha, size)
    core = cv2.resize(rendered.core, size, interpolation=cv2.INTER_NEAREST)
    face = alpha > 250
    if not face.any():
        return None
    off, tint = _unlike(part, bare, face)
    covered = _lower_face_covered(off, tint, core)
    other = _zones(off, tint, alpha, core, covered)
    free = core != UPPER_CORE
    veil = np.zeros(off.shape, bool)
    if covered:
        hidden = (tint > _MASK) | (off > _INSIDE)
        veil = _below_eyes(core) & hidden & free & (alpha > 0)
        veil = _filled(_reaching_in(veil | (core == LOWER_CORE), face) & free)
    kept = _drawn_back(_reaching_in(other & free & (core != LOWER_CORE) & ~veil, face)) & ~veil
    kept = _deep(kept, face)
    if (kept & face).sum() > MOST_KEPT * face.sum():
        kept = np.zeros_like(kept)
    if not (kept.any() or veil.any()):
        return None
    return Front(kept, veil, _paint(part, veil))


def _drawn_back(cells: Bools) -> Bools:
    """The cells without a margin along the face: recognisers know a hair line's own shape."""
    side = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * _DRAWN_BACK + 1,) * 2)
    smaller: Bools = cv2.erode(cells.astype(np.uint8), side) > 0
    return smaller


def _below_eyes(core: Image) -> Bools:
    """The rows of nose and mouth and what lies below them."""
    rows = np.flatnonzero((core == LOWER_CORE).any(axis=1))
    below = np.zeros(core.shape, bool)
    below[int(rows[0]) :] = True
    return below


def _filled(cells: Bools) -> Bools:
    """A bitmap without small holes."""
    side = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7))
    closed: Bools = cv2.morphologyEx(cells.astype(np.uint8), cv2.MORPH_CLOSE, side) > 0
    return closed


def _paint(part: Floats32, cells: Bools) -> tuple[int, ...]:
    """The smooth colour of a mask, by robust least squares."""
    if cells.sum() < 12:
        return (0,) * 18
    values, wanted = _functions(cells.shape)[cells], part[cells]
    middle = np.median(wanted, axis=0)
    weight = 1 / (1 + (np.abs(wanted - middle).sum(axis=1, keepdims=True) / 40) ** 2)
    ridge = np.diag([1e-3, 1, 1, 4, 4, 4]) * 0.02 * float(cells.sum())
    normal = values.T @ (values * weight) + ridge
    start = np.zeros((6, 3))
    start[0] = middle
    answer = start + np.linalg.solve(normal, values.T @ ((wanted - middle) * weight))
    return steps(answer.ravel(), PAINT_STEP)


def _sized(values: npt.NDArray[Any], size: tuple[int, int]) -> npt.NDArray[Any]:
    shrink = values.shape[1] > size[0]
    way = cv2.INTER_AREA if shrink else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(values, size, interpolation=way))


def _unlike(part: Floats32, bare: Floats32, face: Bools) -> tuple[Floats32, Floats32]:
    """How far each cell is from bare skin, in spreads of this face: in all, and in colour alone."""
    ratio = np.log((part + _OFFSET) / (np.maximum(bare, 0) + _OFFSET))
    bright = ratio[..., 1]
    red, blue = ratio[..., 0] - bright, ratio[..., 2] - bright
    parts = []
    for values, least in ((bright, _LEAST_BRIGHT), (red, _LEAST_TINT), (blue, _LEAST_TINT)):
        low, high = np.percentile(values[face], [30, 70])
        spread = min(max(float(high - low) / 1.05, least), 1.6 * least)
        parts.append(values / np.float32(spread))
    tint = np.hypot(parts[1], parts[2])
    return np.hypot(parts[0], tint).astype(np.float32), tint.astype(np.float32)


def _zones(off: Floats32, tint: Floats32, alpha: Image, core: Image, covered: bool) -> Bools:
    """What counts as no skin: easily in the feather, strictly inside, most strictly at the jaw."""
    off, tint = (cv2.GaussianBlur(values, (0, 0), 0.8) for values in (off, tint))
    rows = np.flatnonzero((core == LOWER_CORE).any(axis=1))
    limit = np.full(off.shape, _INSIDE, np.float32)
    limit[alpha < 128] = _OUTSIDE
    other = off > limit
    if len(rows):
        low = np.zeros(off.shape, bool)
        low[int(rows[0]) :] = True
        beard = low & (alpha > 128)
        other = np.where(beard, tint > (_MASK if covered else _BEARD), other)
    found: Bools = other
    return found


def _lower_face_covered(off: Floats32, tint: Floats32, core: Image) -> bool:
    """Whether nose and mouth lie behind something that is no skin; a beard leaves the nose free."""
    lower, upper = core == LOWER_CORE, core == UPPER_CORE
    if not lower.any() or not upper.any():
        return False
    other = (tint > _MASK) | (off > _INSIDE)
    share, above = float(other[lower].mean()), float((tint[upper] > _MASK).mean())
    return share > _COVERED and above < 0.5


def _deep(kept: Bools, face: Bools) -> Bools:
    """What reaches far into the face: a fringe, a hand, a hat, but not the line of the hair.

    The hair line is a person's own, and next to the face itself what recognisers know people by:
    where it is all that lies in front, the face's own forehead is drawn over it.
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStats((kept & face).astype(np.uint8))
    large = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] >= LEAST_KEPT * face.sum()]
    inside = np.isin(labels, large)
    side = np.ones((2 * _RIM + 1,) * 2, np.uint8)
    beside = cv2.dilate(inside.astype(np.uint8), side) > 0
    found: Bools = inside | (kept & ~face & beside)
    return found


def _reaching_in(other: Bools, face: Bools) -> Bools:
    """The thick parts of what is no skin that go on beyond the face."""
    side = max(round(_THIN * max(other.shape)), 2)
    round_cells = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    thick = cv2.morphologyEx(
        other.astype(np.uint8), cv2.MORPH_OPEN, round_cells, borderType=cv2.BORDER_REPLICATE
    )
    _, labels = cv2.connectedComponents(thick, connectivity=8)
    outside = np.unique(labels[(thick > 0) & ~face])
    return np.isin(labels, outside[outside > 0])
