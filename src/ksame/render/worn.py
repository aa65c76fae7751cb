"""What everybody wears alike: a mask and glasses in one shape, posed with the face's own mesh.

A person's own mask and rims tell who wears them, and cells of them that a network misses leave
holes. So only that they are worn, and their colour, passes from the photo; where they lie follows
from the face's points, and their folds from one fixed pattern over the model's texture.
"""

from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32, Image

MASK, RIMS, LENSES, HAIR = 1, 2, 4, 8  # bits of a raster of what may be worn

# from the nose's root over the left cheek, the jaw and the chin, and back
_MASK_EDGE: Final = (
    197, 399, 329, 347, 346, 352, 376, 435, 365, 379, 378, 400, 377,
    152, 148, 176, 149, 150, 136, 215, 147, 123, 117, 118, 100, 174,
)  # fmt: skip
_UNDER: Final = 1.05  # of the way from the nose: a mask reaches under the chin
_JAW: Final = frozenset((365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136))
_NOSE: Final = 1
# of each eye: the temple and the nose beside it, the brow's lower edge, the cheek below; and of
# each pair of temples the points between which it begins, and its ear
_EYES: Final = (
    ((143, 245), (52, 65), (118, 119, 120)),
    ((372, 465), (282, 295), (347, 348, 349)),
)
_TEMPLES: Final = ((46, 143, 127), (276, 372, 356))
_BRIDGE: Final = (193, 168, 417)
_BOXED: Final = 0.7  # power of an oval's sine and cosine
_LENS_AT, _LENS_TALL = 0.60, 0.44  # of the way from brow to cheek: a lens's middle, and half of it
# the outline over the forehead, from ear to ear, and where hair begins on the way to each point
_ARCH: Final = (127, 162, 21, 54, 103, 67, 109, 10, 338, 297, 332, 284, 251, 389, 356)
_LOCKS: Final = (
    1.0, 0.98, 0.97, 0.94, 0.96, 0.93, 0.95, 0.93, 0.91, 0.95, 0.93, 0.96, 0.97, 0.99, 1.0,
)  # fmt: skip
_RIM: Final = 0.042  # of the distance of the eyes' outer corners: a rim's width
_OUTER_EYES: Final = (33, 263)
# of a mask's height. Beside the mouth, and lower at the cheeks: of 145 masked faces 20 were read as
# smiling with a pleat over the mouth that rises there
_PLEATS: Final = (0.38, 0.68, 0.84)
_LEAST_SEEN: Final = 0.35  # of the wider lens: one that is turned away more is behind the nose


def worn(local: Floats, size: tuple[int, int]) -> Image:
    """Where everybody's mask, rims and lenses lie over posed points, as bits (h, w)."""
    told = np.zeros((size[1], size[0]), np.uint8)
    edge = np.array([_under(local, point) for point in _MASK_EDGE])
    _fill(told, edge, MASK)
    unit = float(np.hypot(*(local[_OUTER_EYES[0]] - local[_OUTER_EYES[1]])))
    lenses = [_lens(local, *around) for around in _EYES]
    sizes = [float(cv2.contourArea(lens.astype(np.float32))) for lens in lenses]
    width = max(round(_RIM * unit), 1)
    for lens, area, (top, side, ear) in zip(lenses, sizes, _TEMPLES, strict=True):
        if area < _LEAST_SEEN * max(sizes):
            continue
        _fill(told, lens, LENSES)
        _line(told, np.vstack([lens, lens[:1]]), width)
        _line(told, np.stack([(local[top] + local[side]) / 2, local[ear]]), width)
    _line(told, local[list(_BRIDGE)], width)
    told |= _hair(local, size)
    return told


def _hair(local: Floats, size: tuple[int, int]) -> Image:
    """What lies above everybody's hair line, from ear to ear: an arch with some locks."""
    arch = local[list(_ARCH)]
    middle = (arch[0] + arch[-1]) / 2
    line = middle + (arch - middle) * np.array(_LOCKS)[:, None]
    far = middle + (arch - middle) * 3
    shape = np.zeros((size[1], size[0]), np.uint8)
    for at in range(len(line) - 1):  # piece by piece: a turned head's arch crosses itself
        piece = np.stack([line[at], line[at + 1], far[at + 1], far[at]])
        cv2.fillPoly(shape, [np.round(piece * 16).astype(np.int32)], HAIR, shift=4)
    return shape


def _under(local: Floats, point: int) -> Floats:
    nose = local[_NOSE]
    moved: Floats = nose + (local[point] - nose) * (_UNDER if point in _JAW else 1.0)
    return moved


def _lens(
    local: Floats, sides: tuple[int, int], brow: tuple[int, ...], cheek: tuple[int, ...]
) -> Floats:
    """A lens before an eye, between an oval and a box, as lenses are."""
    outer, inner = local[list(sides)]
    top = local[list(brow)].mean(axis=0)
    down = local[list(cheek)].mean(axis=0) - top
    angle = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    x, y = (np.sign(f) * np.abs(f) ** _BOXED for f in (np.cos(angle), np.sin(angle)))
    low = (outer + inner) / 2 - top
    # as low as the brow and the cheek say, as far aside as temple and nose say
    along = (outer - inner) / max(float(np.hypot(*(outer - inner))), 1e-6)
    middle = top + _LENS_AT * down + along * float((low - _LENS_AT * down) @ along)
    oval: Floats = middle + x[:, None] * (outer - inner) * 0.5 + y[:, None] * down * _LENS_TALL
    return oval


def _fill(told: Image, corners: Floats, bit: int) -> None:
    shape = np.zeros_like(told)
    cv2.fillPoly(shape, [np.round(corners * 16).astype(np.int32)], bit, shift=4)
    told |= shape


def _line(told: Image, corners: Floats, width: int) -> None:
    shape = np.zeros_like(told)
    cv2.polylines(shape, [np.round(corners * 16).astype(np.int32)], False, RIMS, width, shift=4)
    told |= shape


@lru_cache(maxsize=1)
def folds(side: int) -> Floats32:
    """How much brighter than its mean a mask is over a model's texture (side, side): its folds.

    Across the texture from ear to ear, down from the nose's root to the chin.
    """
    y, x = np.indices((side, side), np.float32) / np.float32(side - 1)
    across, down = (x - 0.5) / 0.44, (y - 0.36) / 0.52
    relief = 0.07 * _bump(across, 0.22) * _bump(down - 0.22, 0.28)
    relief -= 0.20 * np.minimum(np.abs(across), 1.2) ** 2
    relief -= 0.16 * np.clip((down - 0.72) / 0.35, 0, 1) ** 2
    for place in _PLEATS:
        off = down - place - 0.08 * across**2
        relief += 0.05 * _bump(off + 0.035, 0.03) - 0.08 * _bump(off, 0.016)
    told: Floats32 = (1.06 + relief).astype(np.float32)
    return told


def _bump(off: Floats32, width: float) -> Floats32:
    found: Floats32 = np.exp(-((off / np.float32(width)) ** 2))
    return found
