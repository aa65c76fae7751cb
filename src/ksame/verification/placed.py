"""Heads as they lie in a photo: which of their cells can be seen, and what colours they show.

Heads are laid from the smallest to the largest, so that a larger head hides a smaller one; black
boxes are drawn last. A cell counts as visible only if nothing of these, nor the photo's border,
comes near it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from ksame.arrays import AnyFloats, Bools, Floats, Image
from ksame.verification.cells import CELL, COLUMNS, EYES, HEIGHT, ROWS, WIDTH, Look
from ksame.verification.documents import Face, Matrix

Box = tuple[int, ...]

# Pixels of the photo by which a head is unsharp: a warp reads one neighbour, and a head that is
# shrunk is smoothed first, over two thirds of a pixel.
_UNSHARP = 1.7
_SIMILAR = 1e-6  # of the scale: rounding of a matrix


@dataclass(frozen=True, slots=True)
class Placed:
    """One head in a photo; ``to_head`` is the (2, 3) similarity from the photo to the frame."""

    to_head: Floats = field(repr=False)
    look: Look = field(repr=False)

    @property
    def scale(self) -> float:
        """Pixels of the head frame for each pixel of the photo."""
        return math.hypot(self.to_head[0, 0], self.to_head[1, 0])

    @property
    def eyes(self) -> float:
        """Pixels of the photo between the eyes."""
        return EYES / self.scale

    def in_photo(self, places: Floats) -> Floats:
        """Where places (..., 2) of the head frame lie in the photo."""
        back = np.linalg.inv(self.to_head[:, :2])
        return _turned(places - self.to_head[:, 2], back)

    def in_frame(self, places: Floats) -> Floats:
        """Where places (..., 2) of the photo lie in the head frame."""
        return _turned(places, self.to_head[:, :2]) + self.to_head[:, 2]

    def covers(self, places: Floats, spare: float = 0.0) -> Bools:
        """Which places of the photo the head touches, ``spare`` pixels around it included."""
        reach = _grown(self.look.reach, spare * self.scale)
        cells = np.floor(self.in_frame(places) / CELL).astype(int)
        inside = np.asarray(((cells >= 0) & (cells < (COLUMNS, ROWS))).all(axis=-1))
        column, row = np.where(inside[..., None], cells, 0).reshape(-1, 2).T
        return np.asarray(inside & reach[row, column].reshape(inside.shape))


def _turned(places: Floats, turn: AnyFloats) -> Floats:
    """Places (..., 2) after a (2, 2) matrix: one product, and not one for each row of cells."""
    turned: Floats = (places.reshape(-1, 2) @ turn.T).reshape(places.shape)
    return turned


def is_similarity(matrix: Matrix) -> bool:
    """Whether a matrix moves, turns and scales, and does nothing else."""
    (a, b, _), (c, d, _) = matrix
    scale = math.hypot(a, c)
    return scale > 0 and abs(a - d) <= _SIMILAR * scale and abs(b + c) <= _SIMILAR * scale


def lies_on_its_face(head: Placed, face: Face) -> float:
    """The share of a face's box that its head covers."""
    x0, y0, x1, y1 = face.box
    across, down = np.linspace(x0, x1, 9), np.linspace(y0, y1, 9)
    return float(head.covers(np.stack(np.meshgrid(across, down), axis=2)).mean())


def visible(head: Placed, others: Sequence[Placed], boxes: Sequence[Box], shape: Box) -> Bools:
    """Which solid cells of a head are seen whole in a photo of a shape (rows, columns)."""
    unsharp = _UNSHARP * head.scale
    corners = _corners(unsharp)
    places = head.in_photo(corners)  # (rows, columns, 9, 2)
    low, high = places.min(axis=2), places.max(axis=2)
    limit = np.array([shape[1] - 1, shape[0] - 1])
    seen = _shrunk(head.look.solid, unsharp)
    seen &= (low >= 0).all(axis=2) & (high <= limit).all(axis=2)
    for x0, y0, x1, y1 in boxes:
        apart = (high < (x0, y0)) | (low > (x1, y1))
        seen &= apart.any(axis=2)
    for other in others:
        above = other.scale <= head.scale * (1 + _SIMILAR)
        if above and not _far_apart(head, other):
            seen &= ~other.covers(places, _UNSHARP).any(axis=2)
    return seen


def _far_apart(one: Placed, two: Placed) -> bool:
    """Whether the circles around two heads' frames do not meet."""
    middle, radius = np.array([WIDTH, HEIGHT]) / 2, math.hypot(WIDTH, HEIGHT) / 2 + CELL
    distance = float(np.hypot(*(one.in_photo(middle) - two.in_photo(middle))))
    return distance > radius / one.scale + radius / two.scale + 2 * _UNSHARP


def _corners(spare: float) -> Floats:
    """Nine points of each cell, ``spare`` pixels of the frame wider than it is."""
    x, y = (np.arange(n) * CELL + (CELL - 1) / 2 for n in (COLUMNS, ROWS))
    middle = np.stack(np.meshgrid(x, y), axis=2)[:, :, None]
    step = np.array([[i, j] for i in (-1, 0, 1) for j in (-1, 0, 1)])
    corners: Floats = middle + step * (CELL / 2 + spare)
    return corners


def _cells_for(pixels: float) -> int:
    """How many whole cells cover so many pixels of the frame."""
    return math.ceil(pixels / CELL - 1e-9)


def _grown(cells: Bools, by: float) -> Bools:
    return _morphed(cells, _cells_for(by), cv2.dilate)


def _shrunk(cells: Bools, by: float) -> Bools:
    """The cells whose surroundings are of the region too; a quarter of a cell is forgiven."""
    return _morphed(cells, _cells_for(max(by - CELL / 4, 0)), cv2.erode)


def _morphed(cells: Bools, reach: int, change: Callable[..., Image]) -> Bools:
    if not reach:
        return cells.copy()
    window = np.ones((2 * reach + 1,) * 2, np.uint8)
    found = change(cells.astype(np.uint8), window, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    return np.asarray(found > 0)


def shown(photo: Image, head: Placed) -> Floats:
    """The mean colours of a head's cells, from a photo that is shrunk if it is much finer."""
    part, offset = _around(photo, head)
    matrix = np.c_[head.to_head[:, :2], head.in_frame(offset)]
    shrink = max(int(1 / head.scale), 1)
    if shrink > 1:
        size = tuple(max(side // shrink, 1) for side in part.shape[1::-1])
        factor = np.array([part.shape[1] / size[0], part.shape[0] / size[1]])
        part = cv2.resize(part, size, interpolation=cv2.INTER_AREA)
        # pixel centres: p of the smaller copy lies at (p + 1/2) f - 1/2 of the photo
        shift = matrix[:, :2] @ (0.5 * factor - 0.5) + matrix[:, 2]
        matrix = np.c_[matrix[:, :2] * factor, shift]
    view = cv2.warpAffine(part, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_LINEAR)
    # sums of whole numbers are exact: these are the means of the cells' pixels
    corners = cv2.integral(view)[::CELL, ::CELL].astype(np.float64)
    cells: Floats = np.diff(np.diff(corners, axis=0), axis=1) / CELL**2
    return cells


def _around(photo: Image, head: Placed) -> tuple[Image, Floats]:
    """The part of a photo that a head's frame covers, and the (x, y) of its first pixel."""
    corners = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], np.float64)
    places, margin = head.in_photo(corners), 2 + math.ceil(1 / head.scale)
    limit = np.array([photo.shape[1], photo.shape[0]])
    low = np.clip(np.floor(places.min(axis=0)).astype(int) - margin, 0, limit - 1)
    high = np.clip(np.ceil(places.max(axis=0)).astype(int) + margin, low + 1, limit)
    return photo[low[1] : high[1], low[0] : high[0]], low.astype(np.float64)
