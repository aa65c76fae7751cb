"""What lies in front of a model face, as the ledger's bitmaps tell it.

Three bitmaps over the face's box: where the photo was kept (hair, hands, hats), and where a mask
over nose and mouth and where glasses were drawn again, each in colours of eighteen numbers.
"""

import base64
import binascii
import zlib
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np

from ksame.arrays import Bools, Floats32
from ksame.verification.masks import seam, shadow
from ksame.verification.reading import Malformed, entry, items, table, text

MOST_CELLS = 96  # a side: finer bitmaps could carry a picture
PAINT = 4.0  # grey levels of one step of a drawn mask's colour
_SOFT = 0.7  # cells (sigma) by which the bitmaps' edges are softened


@dataclass(frozen=True, slots=True)
class Front:
    """What is ``kept`` (h, w) of the box, and two ``drawn`` layers with ``paint`` (2, 6, 3).

    ``masked``: the first of them is a mask with folds, and no hand.
    """

    kept: Bools = field(repr=False)
    drawn: Bools = field(repr=False)
    paint: Floats32 = field(repr=False)
    masked: bool = False

    def open(self, size: tuple[int, int]) -> Floats32:
        """How much of the photo passes, 0 to 1, on a grid of ``size`` (columns, rows) cells."""
        return _sized(_soft(self.kept), size)

    def over(self, colours: Floats32, folds: Floats32) -> Floats32:
        """Colours (h, w, 3) of the face under the drawn mask and glasses; ``folds`` (h, w)."""
        size, (rows, columns) = (colours.shape[1], colours.shape[0]), self.kept.shape
        y, x = np.meshgrid(np.linspace(-1, 1, rows), np.linspace(-1, 1, columns), indexing="ij")
        waves = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=2).astype(np.float32)
        folded = (self.masked, False)
        for cells, paint, masked in zip(self.drawn, self.paint, folded, strict=True):
            if cells.any():
                share = _sized(_soft(cells), size)[..., None]
                shown = _sized(waves @ paint, size)
                if masked:
                    shown = shown * (_sized(seam(cells), size) * folds)[..., None]
                    colours = colours * _sized(shadow(cells), size)[..., None]
                colours = colours + (shown - colours) * share
        return np.clip(colours, 0, 255)  # smooth colours of white paper go on beyond white


def read_front(told: Any) -> Front | None:
    """The bitmaps of a face; None where nothing lies in front.

    Raises
    ------
    Malformed
        They are damaged, or finer than they may be.
    """
    if told is None:
        return None
    found = table(told, "front")
    sides = items(entry(found, "size", "front"), "front.size", _whole)
    paint = items(entry(found, "paint", "front"), "front.paint", _whole)
    if len(sides) != 2 or not all(0 < side <= MOST_CELLS for side in sides):
        raise Malformed(f"a front has not 1 to {MOST_CELLS} cells a side")
    if len(paint) != 2 * 18 or max(map(abs, paint)) > 512:
        raise Malformed("a front's colours are out of their range")
    count = 3 * sides[0] * sides[1]
    try:
        packed = base64.b64decode(text(entry(found, "bits", "front"), "front.bits"), validate=True)
        stream = zlib.decompressobj()
        raw = stream.decompress(packed, count // 8 + 2)
        if len(raw) != -(-count // 8) or not stream.eof or stream.unused_data:
            raise Malformed("a front has other cells than its size says")
    except (binascii.Error, zlib.error):
        raise Malformed("a front cannot be unpacked") from None
    bits = np.unpackbits(np.frombuffer(raw, np.uint8), count=count).astype(bool)
    kept, *drawn = bits.reshape(3, *sides)
    masked = found.get("mask", False)  # releases before there were folds do not say
    if not isinstance(masked, bool):
        raise Malformed("front.mask is neither true nor false")
    colours = np.array(paint, np.float32).reshape(2, 6, 3) * PAINT
    return Front(kept, np.stack(drawn), colours, masked)


def _whole(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Malformed(f"{where} is no whole number")
    return value


def _soft(cells: Bools) -> Floats32:
    found: Floats32 = cv2.GaussianBlur(cells.astype(np.float32), (0, 0), _SOFT)
    return found


def _sized(values: Floats32, size: tuple[int, int]) -> Floats32:
    found: Floats32 = cv2.resize(values, size, interpolation=cv2.INTER_LINEAR)
    return found
