"""Small pictures for the page, made when they are asked for and kept within bounds.

Nothing larger than the page shows ever leaves the server, and nothing is written to the disk.
"""

import io
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from ksame.arrays import Image
from ksame.media import read_photo
from ksame.review.footage import Shot

if TYPE_CHECKING:
    from ksame.media.clips import ClipFacts

THUMBNAIL: Final = 360  # pixels of the longer side, in the grid
VIEW: Final = 1400  # ... of the photo that is looked at
FRAME: Final = 1000  # ... of a frame of a clip: many are looked at, one after the other
_AHEAD: Final = 12  # frames that are decoded together
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
        self._last: tuple[tuple[Path, int], Image] | None = None
        self._facts: dict[Path, ClipFacts] = {}

    def thumbnail(self, shot: Shot) -> bytes:
        """A photo for the grid."""
        return self._made((*_name(shot), "thumbnail"), shot, lambda rgb: _within(rgb, THUMBNAIL))

    def view(self, shot: Shot) -> bytes:
        """A photo to look at; of a clip the frames around are made ready too."""
        if shot.facts is not None:
            return self._frame(shot, shot.facts)
        return self._made((*_name(shot), "view"), shot, lambda rgb: _within(rgb, VIEW))

    def crop(self, shot: Shot, box: Sequence[float]) -> bytes:
        """A face with some of its surroundings, as a square."""
        key = (*_name(shot), *(round(value, 2) for value in box))
        return self._made(key, shot, lambda rgb: _square(rgb, box))

    def facts_of(self, path: Path) -> "ClipFacts":
        """The facts of a clip, which is read once for them."""
        from ksame.media.clips import read_facts

        with self._reading:
            if path not in self._facts:
                self._facts[path] = read_facts(path, self._max_pixels)
            return self._facts[path]

    def _made(self, key: tuple[object, ...], shot: Shot, make: Callable[[Image], Image]) -> bytes:
        if (found := self._known(key)) is not None:
            return found
        with self._reading:
            # the faces of a photo are asked for together: the last photo is read once
            if self._last is None or self._last[0] != _name(shot):
                self._last = None  # let go of the old one first
                self._last = (_name(shot), self._read(shot))
            data = _encoded(make(self._last[1]))
        self._keep(key, data)
        return data

    def _read(self, shot: Shot) -> Image:
        if shot.facts is None:
            return read_photo(shot.path, max_pixels=self._max_pixels, writeable=False).rgb
        from ksame.media.clips import Segment, read_frames

        return next(read_frames(shot.path, shot.facts, Segment(shot.frame, shot.frame + 1)))

    def _frame(self, shot: Shot, facts: "ClipFacts") -> bytes:
        """A frame of a clip. Whoever steps on wants the next ones: some are decoded together."""
        from ksame.media.clips import Segment, read_frames

        key = (shot.path, shot.frame, "view")
        if (found := self._known(key)) is not None:
            return found
        low = shot.frame - shot.frame % _AHEAD
        high = min(low + _AHEAD, facts.frames)
        wanted = b""
        with self._reading:
            if (found := self._known(key)) is not None:  # made while this one waited
                return found
            for number, rgb in enumerate(read_frames(shot.path, facts, Segment(low, high)), low):
                data = _encoded(_within(rgb, FRAME))
                self._keep((shot.path, number, "view"), data)
                wanted = data if number == shot.frame else wanted
        return wanted

    def _known(self, key: tuple[object, ...]) -> bytes | None:
        with self._lock:
            if (found := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
            return found

    def _keep(self, key: tuple[object, ...], data: bytes) -> None:
        with self._lock:
            if key not in self._kept:
                self._kept[key] = data
                self._size += len(data)
            while self._size > self._most and self._kept:
                self._size -= len(self._kept.popitem(last=False)[1])


def _name(shot: Shot) -> tuple[Path, int]:
    return shot.path, shot.frame


def _within(rgb: Image, side: int) -> Image:
    """A picture no longer than so many pixels."""
    scale = side / max(rgb.shape[:2])
    if scale >= 1:
        return rgb
    size = [max(round(length * scale), 1) for length in rgb.shape[1::-1]]
    small: Image = cv2.resize(rgb, size, interpolation=cv2.INTER_AREA)
    return small


def _square(rgb: Image, box: Sequence[float]) -> Image:
    """The square around a face, inside the photo where it fits; beyond its border it is grey."""
    x0, y0, x1, y1 = box
    height, width = rgb.shape[:2]
    longer = max(x1 - x0, y1 - y0, 1.0)
    # a face that fills its photo has little around it
    half = max(min(longer * (0.5 + _MARGIN), min(height, width) / 2), longer / 2)
    middle = [(x0 + x1) / 2, (y0 + y1) / 2]
    for axis, length in enumerate((width, height)):
        if length >= 2 * half:
            middle[axis] = float(np.clip(middle[axis], half, length - half))
    low = [int(np.floor(value - half)) for value in middle]
    side = int(np.ceil(2 * half))
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
