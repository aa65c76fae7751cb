"""Filled faces: the oval around a face is what its surroundings give, spread smoothly, and grain.

The fill is worked out again from the written file, from pixels outside of the oval alone, and
compared with what the oval shows. A face that was left there is nothing that follows from the wall
behind it.
"""

from collections.abc import Callable, Iterator, Sequence

import cv2
import numpy as np

from ksame.arrays import Bools, Floats, Floats32, Image
from ksame.verification.documents import Face
from ksame.verification.grid import Grid

WIDER = 1.25  # of the face's box: the oval that is filled
FEATHER = 0.08  # of the oval, outwards: there it fades into the photo
AROUND = 2.2  # of the oval: the surroundings that it is filled from
COARSE = 96  # cells of their longer side
SOFT = 2.0  # cells (sigma) by which the fill is smoothed
ENOUGH = 0.25  # share of known pixels from which on a coarser mean counts in full

# What is compared: inside of 0.7 of the oval, where the rim's contrast no longer reaches, what is
# coarser than noise (2 px or 6% of the oval) and finer than 15% of the oval (sigmas).
INNER, RIM = 0.7, 0.97
SMOOTHING, SMOOTHING_OF_OVAL = 2.0, 0.06
DETAIL = 0.15
LEAST_FREE = 0.3  # of the inner cells; below it the others' ovals are compared as well
# Of the inner cells: beside a face that was compared there, less shows nobody. Of 495 fills of
# scenes the crescents of .05 to .1 came nearest to what is allowed (.8 of it), and one went beyond
LEAST_JUDGED = 0.1
# Levels of 255; the second figure is divided by the oval's mean half axis in pixels. Over 352 fills
# of photographs, noise and JPEG made 0.36 of detail in ovals of less than 8 px, 0.65 in those of
# less than 12, 1.2 below 25 and 1.4 above. Original faces put back there made 3.3 or more from 25
# px on and 1.8 from 12 px on. Of those below 8 px a third was not told from a fill before the limit
# was tightened; it was not counted again. With 2.4 - 13 / half a fill of 9 px in a crowd was
# refused for 1.0, and one of 55 px between two pictures' white frames for 2.4.
MOST_DETAIL, LESS_OF_SMALL, LEAST_DETAIL = 2.7, 13.0, 0.7


def oval(face: Face) -> tuple[Floats, Floats]:
    """Middle and half axes of the oval that is filled for a face, in pixels."""
    corners = np.array(face.box, np.float64)
    half = np.maximum((corners[2:] - corners[:2]) / 2 * WIDER, 1.0)
    return (corners[:2] + corners[2:]) / 2, half


def covered_by(face: Face, filled: bool, grid: Grid, spare: float) -> Bools:
    """The cells of a grid that a hidden face's oval or black box reaches, and some pixels more."""
    x, y = _centres(grid)
    more = spare + grid.cell
    if not filled:
        a, b, c, d = face.hidden or (0, 0, 0, 0)
        across = (x >= a - more) & (x <= c + more)
        down = (y >= b - more) & (y <= d + more)
        return np.asarray(down[:, None] & across[None])
    middle, half = oval(face)
    return reach(grid, middle, half * (1 + FEATHER) + more) <= 1


def _centres(grid: Grid) -> tuple[Floats, Floats]:
    """The columns' and rows' middles in the photo."""
    x0, y0, x1, y1 = grid.box
    x = x0 + (np.arange(grid.columns) + 0.5) * (x1 - x0) / grid.columns - 0.5
    y = y0 + (np.arange(grid.rows) + 0.5) * (y1 - y0) / grid.rows - 0.5
    return x, y


def reach(grid: Grid, middle: Floats, half: Floats) -> Floats:
    """How far out each cell lies, in half axes of an oval."""
    x, y = _centres(grid)
    found: Floats = np.hypot(
        ((x - middle[0]) / half[0])[None], ((y - middle[1]) / half[1])[:, None]
    )
    return found


def check_filled(
    photo: Image, faces: Sequence[Face], over: Sequence[Callable[[Grid], Bools]] = ()
) -> Iterator[str]:
    """Every filled oval of a photo: where it should be, and nothing in it but its surroundings.

    ``over`` tells the cells of model faces that were compared there and lie over the ovals.
    """
    hidden = [face for face in faces if face.hidden is not None]
    for i, face in enumerate(hidden):
        if not _covers(face, photo.shape):
            yield "a filled region does not cover its face"
            continue
        found = detail(photo, face, hidden[:i] + hidden[i + 1 :], over)
        most = most_detail(face)
        if found > most:
            yield (
                f"a filled face shows {found:.1f} levels of detail that its surroundings do not "
                f"give; {most:.1f} are allowed"
            )


def most_detail(face: Face) -> float:
    """Levels of detail that a fill may show."""
    half = float(oval(face)[1].mean())
    return max(MOST_DETAIL - LESS_OF_SMALL / half, LEAST_DETAIL)


def _covers(face: Face, shape: tuple[int, ...]) -> bool:
    """Whether the box that was hidden is the one around the oval of its face."""
    middle, half = oval(face)
    limit = np.array([shape[1], shape[0]])
    corners = np.clip(np.concatenate([middle - half, middle + half]), 0, np.tile(limit, 2))
    apart = np.abs(corners - np.array(face.hidden)).max()
    ordered = face.box[0] < face.box[2] and face.box[1] < face.box[3]
    return bool(ordered and apart <= 1.5)


def detail(
    photo: Image,
    face: Face,
    others: Sequence[Face] = (),
    over: Sequence[Callable[[Grid], Bools]] = (),
) -> float:
    """Mean detail inside of an oval, in levels, that does not follow from its surroundings.

    Detail is what a mean over a sixth of the oval takes away. What other ovals cover is left out,
    unless hardly anything remains; what model faces cover always is. Of an oval that they cover
    but for its rim nothing is told.
    """
    middle, half = oval(face)
    grid = _around(photo, middle, half)
    shown, expected = _cells(photo, grid, middle, half)
    out = reach(grid, middle, half)
    free = np.ones(out.shape, bool)
    for other in others:
        free &= ~covered_by(other, True, grid, 0.0)
    inner = out < INNER
    if (free & inner).sum() < LEAST_FREE * inner.sum():
        free[:] = True
    for covered in over:
        free &= ~covered(grid)
    if (free & inner).sum() < LEAST_JUDGED * inner.sum():
        return 0.0
    size = float(half.mean())
    fine = max(max(SMOOTHING, SMOOTHING_OF_OVAL * size) / grid.cell, 0.7)
    band = _band(shown - expected, free & (out < RIM), fine, DETAIL * size / grid.cell)
    return float(np.abs(band[free & inner]).mean())


def _band(values: Floats32, inside: Bools, fine: float, coarse: float) -> Floats32:
    """What is coarser than noise and finer than a fill, by means over the cells inside."""
    weight = inside.astype(np.float32)

    def mean(cells: Floats32, sigma: float) -> Floats32:
        sigma = min(sigma, float(max(weight.shape)))  # an oval may be larger than any photo
        total = cv2.GaussianBlur(cells * weight[..., None], (0, 0), sigma)
        found: Floats32 = (
            total / np.maximum(cv2.GaussianBlur(weight, (0, 0), sigma), 1e-6)[..., None]
        )
        return found

    smooth = mean(values, fine)
    return smooth - mean(smooth, coarse)


def _around(photo: Image, middle: Floats, half: Floats) -> Grid:
    """The grid over an oval and what it was filled from."""
    limit = np.array(photo.shape[1::-1])
    low = np.clip(np.floor(middle - AROUND * half - 2).astype(int), 0, limit - 1)
    high = np.clip(np.ceil(middle + AROUND * half + 3).astype(int), low + 1, limit)
    box = (int(low[0]), int(low[1]), int(high[0]), int(high[1]))
    width, height = box[2] - box[0], box[3] - box[1]
    factor = min(COARSE / max(width, height), 1.0)
    return Grid(box, max(round(width * factor), 2), max(round(height * factor), 2))


def _cells(photo: Image, grid: Grid, middle: Floats, half: Floats) -> tuple[Floats32, Floats32]:
    """What the cells show, and what they should show by what lies outside of the oval."""
    x0, y0, x1, y1 = grid.box
    part = photo[y0:y1, x0:x1].astype(np.float32)
    pixels = Grid(grid.box, x1 - x0, y1 - y0)
    outside = (reach(pixels, middle, half) > 1 + FEATHER).astype(np.float32)

    def shrunk(values: Floats32) -> Floats32:
        found: Floats32 = cv2.resize(values, grid.size, interpolation=cv2.INTER_AREA)
        return found

    spread = _spread(shrunk(part * outside[..., None]), shrunk(outside))
    return shrunk(part), cv2.GaussianBlur(spread, (0, 0), SOFT)


def _spread(known: Floats32, weight: Floats32) -> Floats32:
    """Means of what is known, each place from the finest scale that knows enough of it.

    ``known`` (h, w, 3) is weighted already.
    """
    rows, columns = weight.shape
    mean = known / np.maximum(weight, np.float32(1e-6))[..., None]
    if min(rows, columns) <= 2:
        total = known.sum(axis=(0, 1)) / max(float(weight.sum()), 1e-6)
        coarser = np.broadcast_to(total.astype(np.float32), known.shape)
    else:
        half = ((columns + 1) // 2, (rows + 1) // 2)
        below = _spread(
            cv2.resize(known, half, interpolation=cv2.INTER_AREA),
            cv2.resize(weight, half, interpolation=cv2.INTER_AREA),
        )
        coarser = cv2.resize(below, (columns, rows), interpolation=cv2.INTER_LINEAR)
    trust = np.minimum(weight / np.float32(ENOUGH), 1)[..., None]
    found: Floats32 = mean * trust + coarser * (1 - trust)
    return found
