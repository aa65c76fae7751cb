"""Small pictures for the page, made when they are asked for and kept within bounds.

Nothing larger than the page shows ever leaves the server, and nothing is written to the disk.
"""

import io
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from ksame.arrays import Image
from ksame.media import read_photo

THUMBNAIL: Final = 360  # pixels of the longer side, in the grid
VIEW: Final = 1400  # ... of the photo that is looked at
CROP: Final = 144  # ... of a face: twice what it is shown at, for dense screens
_MARGIN: Final = 0.35  # of a face's longer side, shown around it
_QUALITY: Final = 82
_BYTES: Final = 96_000_000  # kept in memory: some 20,000 faces


class Pictures:
    """Thumbnails, views and crops; the least recently used are forgotten first."""

    def __init__(self, max_pixels: int, most: int = _BYTES) -> None:
        self._max_pixels, self._most, self._size = max_pixels, most, 0
        self._kept: OrderedDict[tuple[object, ...], bytes] = OrderedDict()
        self._lock = threading.Lock()
        # photos are decoded one at a time: many at once would take memory, not time, of two cores
        self._reading = threading.Lock()
        self._last: tuple[Path, Image] | None = None

    def thumbnail(self, path: Path) -> bytes:
        """A photo for the grid."""
        return self._made((path, "thumbnail"), path, lambda rgb: _within(rgb, THUMBNAIL))

    def view(self, path: Path) -> bytes:
        """A photo to look at."""
        return self._made((path, "view"), path, lambda rgb: _within(rgb, VIEW))

    def crop(self, path: Path, box: Sequence[float]) -> bytes:
        """A face with some of its surroundings, as a square."""
        key = (path, *(round(value, 2) for value in box))
        return self._made(key, path, lambda rgb: _square(rgb, box))

    def _made(self, key: tuple[object, ...], path: Path, make: Callable[[Image], Image]) -> bytes:
        with self._lock:
            if (found := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
                return found
        with self._reading:
            # the faces of a photo are asked for together: the last photo is read once
            if self._last is None or self._last[0] != path:
                self._last = None  # let go of the old one first
                rgb = read_photo(path, max_pixels=self._max_pixels, writeable=False).rgb
                self._last = (path, rgb)
            data = _encoded(make(self._last[1]))
        with self._lock:
            if key not in self._kept:
                self._kept[key] = data
                self._size += len(data)
            while self._size > self._most and self._kept:
                self._size -= len(self._kept.popitem(last=False)[1])
        return data


def _within(rgb: Image, side: int) -> Image:
    """A picture no longer than so many pixels."""
    scale = side / max(rgb.shape[:2])
    if scale >= 1:
        return rgb
    size = [max(round(length * scale), 1) for length in rgb.shape[1::-1]]
    small: Image = cv2.resize(rgb, size, interpolation=cv2.INTER_AREA)
    return small


def _square(rgb: Image, box: Sequence[float]) -> Image:
    """The square around a face; beyond the border of the photo it is grey."""
    x0, y0, x1, y1 = box
    half = max(max(x1 - x0, y1 - y0) * (0.5 + _MARGIN), 1.0)
    middle = ((x0 + x1) / 2, (y0 + y1) / 2)
    low = [int(np.floor(value - half)) for value in middle]
    side = int(np.ceil(2 * half))
    height, width = rgb.shape[:2]
    a, b = max(low[0], 0), max(low[1], 0)
    c, d = min(low[0] + side, width), min(low[1] + side, height)
    square = np.full((side, side, 3), 128, np.uint8)
    if c > a and d > b:
        square[b - low[1] : d - low[1], a - low[0] : c - low[0]] = rgb[b:d, a:c]
    crop: Image = cv2.resize(square, (CROP, CROP), interpolation=cv2.INTER_AREA)
    return crop


def _encoded(rgb: Image) -> bytes:
    from PIL import Image as Pillow

    buffer = io.BytesIO()
    Pillow.fromarray(rgb).save(buffer, "JPEG", quality=_QUALITY)
    return buffer.getvalue()
