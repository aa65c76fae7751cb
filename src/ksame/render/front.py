"""What lies in front of a face: hair over the forehead, hats, hands, microphones, masks, glasses.

A network tells the parts of a head (``ksame.vision.parts``); where it is not sure of the face, or
there is none, colours decide (``by_colour``). The answer is three coarse bitmaps, small enough for
a ledger: what is kept as the photo shows it, and two layers that are drawn again in smooth colours.

Nothing is ever kept on brows, eyes, nose and mouth. What lies over them is drawn: a mask (its folds
are known to recognisers as well as a face is), the part of a hand that hides the mouth, glasses.
"""

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np

from ksame.arrays import Array, Bools, Floats32, Image
from ksame.errors import InputError
from ksame.render.by_colour import seen_by_colour
from ksame.render.by_parts import behind, seen_by_parts
from ksame.render.cells import Cells, Layers, at_the_rim, without_islands
from ksame.render.draw import Rendered
from ksame.render.guards import UNGUARDED, Guard
from ksame.render.numbers import steps
from ksame.render.strands import add_strands
from ksame.render.worn import LENSES, RIMS
from ksame.vision.parts import Parts

GRID_SIDE: Final = 96  # cells of the longer side
PAINT_STEP: Final = 4.0  # grey levels of a drawn layer's colour
_FLAT: Final = 20.0  # doubt of a colour's slopes
_BITMAPS = 3
_COLOURS = 18  # numbers of a layer's colour
_BLANK = (0,) * _COLOURS
# a mask's seam: how much darker it is, where the softened bitmap has what it is drawn at, and sigma
_SEAM, _SEAM_AT, _SEAM_NARROW, _SEAM_WIDTH = 0.10, 0.86, 0.07, 2.0
_CAST, _CAST_WIDTH = 0.30, 2.2  # the shadow beside it: how much darker at most, and sigma in cells
_TOLD = 12  # cells that a layer's colour is measured on, at least


@dataclass(frozen=True)
class Front:
    """What lies in front of a rendered face, as bitmaps over its box.

    Attributes
    ----------
    cells : (h, w) bool array
        True where something in front is kept as the photo shows it.
    veil : (h, w) bool array
        True where a mask or a hand is drawn over nose and mouth.
    frame : (h, w) bool array
        True where glasses are drawn, or a guarded face's hair.
    paint, frame_paint : tuples of 18 int
        The drawn layers' colours: red, green and blue by six smooth functions of the place.
    masked : bool
        Whether the veil is a mask, which has folds and a seam; a hand has none.
    """

    cells: Bools
    veil: Bools
    paint: tuple[int, ...]
    frame: Bools
    frame_paint: tuple[int, ...]
    masked: bool = False

    def drawn_over(self, colour: Floats32, rendered: Rendered) -> None:
        """Draw mask and glasses, or hair, over a rendered face's colours (h, w, 3), in place."""
        size = colour.shape[1], colour.shape[0]
        for cells, paint in ((self.veil, self.paint), (self.frame, self.frame_paint)):
            if not cells.any():
                continue
            share = cv2.resize(_soft(cells), size, interpolation=cv2.INTER_LINEAR)
            coarse = _functions(cells.shape) @ (
                np.array(paint, np.float32).reshape(6, 3) * PAINT_STEP
            )
            smooth = cv2.resize(coarse, size, interpolation=cv2.INTER_LINEAR)
            if cells is self.frame:
                if not self._wears_glasses(rendered):
                    add_strands(smooth)
            elif self.masked:
                smooth *= _shaded(cells, rendered.folds, size)[..., None]
                colour *= 1 - _CAST * _cast(cells, size)[..., None]
            colour += (smooth - colour) * share[..., None]

    def _wears_glasses(self, rendered: Rendered) -> bool:
        """Whether what is drawn above are everybody's glasses, and not hair."""
        worn = _nearest(rendered.worn, self.frame.shape[::-1])
        glasses = self.frame & ((worn & (RIMS | LENSES)) > 0)
        return bool(2 * glasses.sum() > self.frame.sum())

    def soft(self) -> Floats32:
        """How much of the photo is kept for ``replace_face``: 0 to 1, its edge one cell wide."""
        return _soft(self.cells)

    def drawn_alone(self) -> "Front":
        """The same without what is kept of the photo."""
        return replace(self, cells=np.zeros_like(self.cells))

    def as_json(self) -> dict[str, Any]:
        """Height, width, the packed bits of the three bitmaps and the drawn layers' colours."""
        bits = np.packbits(np.stack([self.cells, self.veil, self.frame])).tobytes()
        packed = base64.b64encode(zlib.compress(bits, 9)).decode("ascii")
        paint = [*self.paint, *self.frame_paint]
        return {"size": list(self.cells.shape), "bits": packed, "paint": paint, "mask": self.masked}

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "Front":
        """What ``as_json`` wrote."""
        try:
            rows, columns = (int(side) for side in record["size"])
            paint = tuple(int(value) for value in record["paint"])
            if not (0 < rows <= GRID_SIDE and 0 < columns <= GRID_SIDE):
                raise ValueError("size")
            masked = record.get("mask", False)  # releases before this number had flat masks
            if len(paint) != 2 * _COLOURS or not isinstance(masked, bool):
                raise ValueError("paint")
            stream = zlib.decompressobj()
            raw = stream.decompress(base64.b64decode(record["bits"]), GRID_SIDE * GRID_SIDE)
            bits = np.unpackbits(np.frombuffer(raw, np.uint8), count=_BITMAPS * rows * columns)
            cells, veil, frame = bits.reshape(_BITMAPS, rows, columns).astype(bool)
        except (KeyError, TypeError, ValueError, zlib.error) as error:
            raise InputError("the mask of a face is damaged; take it as written") from error
        return cls(cells, veil, paint[:_COLOURS], frame, paint[_COLOURS:], masked)


def front_mask(
    photo: Image, rendered: Rendered, parts: Parts | None = None, guard: Guard = UNGUARDED
) -> Front | None:
    """What lies in front of a face about to be replaced; None for nothing.

    Nothing is kept on the core: brows, eyes, nose and mouth. What lies behind the head stays under
    every guard: a face that is wider than its person's does not reach over the background.
    """
    view = _view(photo, rendered)
    if view is None:
        return None
    if guard.things == "none" and parts is None:
        return None
    told = None if parts is None else _by_parts(view, rendered, parts, guard=guard)
    seen = _else_told(view, rendered, parts, guard) if told is None else told
    return _front(view, replace(seen, kept=without_islands(seen.kept & view.free, view)))


def _else_told(view: Cells, rendered: Rendered, parts: Parts | None, guard: Guard) -> Layers:
    """The layers where the network is not sure of the face, or there is none."""
    if guard.things != "none" or parts is None:
        return seen_by_colour(view, guard)
    size, none = view.core.shape[::-1], np.zeros(view.core.shape, bool)
    return Layers(behind(parts.over(rendered.box, (size[0], size[1])), view), none, none)


def held_mask(photo: Image, rendered: Rendered, parts: Parts) -> Front | None:
    """As ``front_mask``, of hands, things and masks of which the network is sure, and no glasses.

    For clips: what colours tell, rims as thin as a cell and the edges of hair and background come
    and go from frame to frame.
    """
    view = _view(photo, rendered)
    seen = None if view is None else _by_parts(view, rendered, parts, around=False)
    if view is None or seen is None:
        return None
    return _front(view, replace(seen, frame=np.zeros_like(seen.frame)))


def _view(photo: Image, rendered: Rendered) -> Cells | None:
    """A face about to be replaced, on the grid; None where none of it is inside of the photo."""
    x0, y0, x1, y1 = rendered.box
    if x1 <= x0 or y1 <= y0:
        return None
    scale = GRID_SIDE / max(x1 - x0, y1 - y0)
    size = max(round((x1 - x0) * scale), 1), max(round((y1 - y0) * scale), 1)
    view = Cells(
        part=_sized(photo[y0:y1, x0:x1], size).astype(np.float32),
        bare=_sized(rendered.bare, size),
        alpha=_sized(rendered.alpha, size),
        core=_nearest(rendered.core, size),
        cells_a_pixel=scale,
        worn=_nearest(rendered.worn, size),
    )
    return view if view.face.any() else None


def _by_parts(
    view: Cells, rendered: Rendered, parts: Parts, around: bool = True, guard: Guard = UNGUARDED
) -> Layers | None:
    size = view.core.shape[1], view.core.shape[0]
    return seen_by_parts(parts.over(rendered.box, size), view, around, guard)


def _front(view: Cells, seen: Layers) -> Front | None:
    """The layers with their colours, held to what may be kept."""
    kept = at_the_rim(seen.kept & view.free, view.face)
    if not (kept.any() or seen.veil.any() or seen.frame.any()):
        return None
    veil, frame = seen.veil & ~kept, seen.frame & ~kept
    paints = (
        _paint(view.part, cells if of is None or of.sum() < _TOLD else of, doubt)
        if cells.any()
        else _BLANK
        for cells, of, doubt in (
            (veil, seen.of_veil, 1.0),
            # told by hair beside the face, which says little about its slopes over it
            (frame, seen.of_frame, _FLAT if seen.frame_is_hair else 1.0),
        )
    )
    masked = seen.masked and bool(veil.any())
    return Front(kept, veil, next(paints), frame, next(paints), masked)


def _soft(cells: Bools) -> Floats32:
    soft: Floats32 = cv2.GaussianBlur(cells.astype(np.float32), (0, 0), 0.7)
    return soft


def _shaded(veil: Bools, folds: Floats32, size: tuple[int, int]) -> Floats32:
    """How bright a mask is beside its smooth colour: its folds, and the seam along its edge."""
    inside = cv2.GaussianBlur(veil.astype(np.float32), (0, 0), _SEAM_WIDTH)
    seam = 1 - _SEAM * np.exp(-(((inside - _SEAM_AT) / _SEAM_NARROW) ** 2))
    shade: Floats32 = cv2.resize(seam.astype(np.float32), size, interpolation=cv2.INTER_LINEAR)
    shade *= cv2.resize(folds, size, interpolation=cv2.INTER_LINEAR)
    return shade


def _cast(veil: Bools, size: tuple[int, int]) -> Floats32:
    """The shadow that a mask casts on the skin beside it, 0 to 1."""
    wide = cv2.GaussianBlur(veil.astype(np.float32), (0, 0), _CAST_WIDTH)
    cast: Floats32 = cv2.resize(wide, size, interpolation=cv2.INTER_LINEAR)
    return cast


def _functions(shape: tuple[int, ...]) -> Floats32:
    """Six smooth functions of the place in the box: (h, w, 6)."""
    y, x = np.meshgrid(np.linspace(-1, 1, shape[0]), np.linspace(-1, 1, shape[1]), indexing="ij")
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=2).astype(np.float32)


def _paint(part: Floats32, cells: Bools, doubt: float = 1.0) -> tuple[int, ...]:
    """The smooth colour of a drawn layer, by robust least squares; ``doubt`` makes it even."""
    if cells.sum() < _TOLD:
        return _BLANK
    values, wanted = _functions(cells.shape)[cells], part[cells]
    middle = np.median(wanted, axis=0)
    weight = 1 / (1 + (np.abs(wanted - middle).sum(axis=1, keepdims=True) / 40) ** 2)
    ridge = np.diag([1e-3, 1, 1, 4, 4, 4]) * 0.02 * doubt * float(cells.sum())
    normal = values.T @ (values * weight) + ridge
    start = np.zeros((6, 3))
    start[0] = middle
    answer = start + np.linalg.solve(normal, values.T @ ((wanted - middle) * weight))
    return steps(answer.ravel(), PAINT_STEP)


def _nearest(bits: Image, size: tuple[int, ...]) -> Image:
    return np.asarray(cv2.resize(bits, size[:2], interpolation=cv2.INTER_NEAREST), np.uint8)


def _sized(values: Array, size: tuple[int, int]) -> Array:
    shrink = values.shape[1] > size[0]
    way = cv2.INTER_AREA if shrink else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(values, size, interpolation=way))
