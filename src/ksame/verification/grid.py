"""Cells over a part of a photo, on which colours are compared."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from ksame.arrays import Bools, Floats, Ints32

LARGEST = 112  # cells of the longer side of a face's box: eyes are then about 20 cells wide
_FURTHEST = 1e5  # pixels: further off a polygon's corner changes nothing that is seen
SUBPIXEL = 4  # bits of a pixel's fraction that OpenCV paints polygons with


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells over a box (xyxy) of the photo."""

    box: tuple[int, ...]
    columns: int
    rows: int

    @classmethod
    def over(cls, box: tuple[int, ...]) -> "Grid":
        """The grid of a box: cells of whole pixels where it is small."""
        width, height = box[2] - box[0], box[3] - box[1]
        shrink = max(max(width, height) / LARGEST, 1.0)
        return cls(box, max(round(width / shrink), 1), max(round(height / shrink), 1))

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows, as OpenCV wants them."""
        return self.columns, self.rows

    @property
    def cell(self) -> float:
        """Photo pixels of a cell's side."""
        width, height = self.box[2] - self.box[0], self.box[3] - self.box[1]
        return (width / self.columns + height / self.rows) / 2

    def places(self, points: Floats, finer: int = 1) -> Floats:
        """Where points (n, 2) of the photo lie on the grid, or on one several times as fine."""
        x0, y0, x1, y1 = self.box
        scale = np.array([self.columns * finer / (x1 - x0), self.rows * finer / (y1 - y0)])
        found: Floats = (points - (x0, y0) + 0.5) * scale - 0.5
        return found

    def polygon(self, corners: Floats) -> Bools:
        """The cells inside of a polygon of the photo."""
        mask = np.zeros((self.rows, self.columns), np.uint8)
        fill(mask, self.places(corners), 1)
        return mask > 0


def fill(mask: npt.NDArray[np.generic], corners: Floats, value: int) -> None:
    """Paint a polygon, whose corners may lie between pixels."""
    cv2.fillPoly(mask, [subpixels(corners)], value, shift=SUBPIXEL)


def subpixels(corners: Floats) -> Ints32:
    """Corners as OpenCV takes them; what lies absurdly far off is brought near."""
    held = np.clip(corners, -_FURTHEST, _FURTHEST)
    return np.asarray(np.round(held * 2**SUBPIXEL), np.int32)
