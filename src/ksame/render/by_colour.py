"""What lies in front of a face, by colours alone: where no network is sure of its parts.

A cheap test that never sees the person's features: cells that bare skin in this light cannot
explain, and that reach in from outside of the face. Where it is unsure the face is replaced.
"""

import cv2
import numpy as np

from ksame.arrays import Bools, Floats32
from ksame.render.cells import (
    Cells,
    Layers,
    closed,
    deep,
    drawn_back,
    evened_hair,
    opened,
    touching,
)
from ksame.render.draw import LOWER_CORE, UPPER_CORE
from ksame.render.everybodys import drawn_hair, drawn_mask, is_mask
from ksame.render.guards import UNGUARDED, Guard

_OFFSET = 10.0  # grey levels added before logarithms: in the dark, noise is no difference
_LEAST_BRIGHT, _LEAST_TINT = 0.16, 0.07  # of a logarithm: what skin varies by on any face
_OUTSIDE, _INSIDE = 2.6, 4.0  # spreads off bare skin: in the feather, and where the face is whole
_BEARD = 6.0  # spreads below the nose, where dark may be beard: only another colour counts
_MASK = 2.0  # spreads of colour: what a mask differs from skin by, as a whole
_COVERED = 0.8  # share of the lower face that must be no skin before a mask is believed
_THIN = 0.03  # of the box: what is thinner (a shadow's edge, a temple of glasses) is not kept


def seen_by_colour(view: Cells, guard: Guard = UNGUARDED) -> Layers:
    """The layers in front of a face that its colours tell; glasses are not told."""
    face, core = view.face, view.core
    off, tint = _unlike(view)
    covered = _lower_face_covered(off, tint, view)
    other = _zones(off, tint, view, covered)
    below_brows = core != UPPER_CORE
    veil = np.zeros(off.shape, bool)
    if covered:
        hidden = (tint > _MASK) | (off > _INSIDE)
        veil = view.below_eyes & hidden & below_brows & (view.alpha > 0)
        veil = closed(_reaching_in(veil | (core == LOWER_CORE), face) & below_brows)
    none, of_veil = np.zeros_like(veil), None
    if veil.any() and guard.things != "own":
        veil, of_veil = drawn_mask(veil, view, own_edge=False), veil
    masked = bool(veil.any()) and is_mask(veil, view)
    before = _reaching_in(other & view.free & ~veil, face)
    if guard.evened > UNGUARDED.evened:
        kept = evened_hair(before, face, guard) & view.free & ~veil
    else:
        kept = drawn_back(before) & ~veil
    kept = deep(kept, face)
    if guard.hair == "everybodys":
        hair, of_hair = drawn_hair(before, none, view)
        kept &= ~view.above_eyes
        return Layers(kept & ~hair, veil, hair & ~veil, of_veil, of_hair, True, masked)
    return Layers(kept, veil, none, of_veil, masked=masked)


def _unlike(view: Cells) -> tuple[Floats32, Floats32]:
    """How far each cell is from bare skin, in spreads of this face: in all, and in colour alone."""
    ratio = np.log((view.part + _OFFSET) / (np.maximum(view.bare, 0) + _OFFSET))
    bright = ratio[..., 1]
    red, blue = ratio[..., 0] - bright, ratio[..., 2] - bright
    parts = []
    for values, least in ((bright, _LEAST_BRIGHT), (red, _LEAST_TINT), (blue, _LEAST_TINT)):
        low, high = np.percentile(values[view.face], [30, 70])
        spread = min(max(float(high - low) / 1.05, least), 1.6 * least)
        parts.append(values / np.float32(spread))
    tint = np.hypot(parts[1], parts[2])
    return np.hypot(parts[0], tint).astype(np.float32), tint.astype(np.float32)


def _zones(off: Floats32, tint: Floats32, view: Cells, covered: bool) -> Bools:
    """What counts as no skin: easily in the feather, strictly inside, most strictly at the jaw."""
    off, tint = (cv2.GaussianBlur(values, (0, 0), 0.8) for values in (off, tint))
    limit = np.full(off.shape, _INSIDE, np.float32)
    limit[view.alpha < 128] = _OUTSIDE
    beard = view.below_eyes & (view.alpha > 128)
    found: Bools = np.where(beard, tint > (_MASK if covered else _BEARD), off > limit)
    return found


def _lower_face_covered(off: Floats32, tint: Floats32, view: Cells) -> bool:
    """Whether nose and mouth lie behind something that is no skin; a beard leaves the nose free."""
    lower, upper = view.core == LOWER_CORE, view.core == UPPER_CORE
    if not lower.any() or not upper.any():
        return False
    other = (tint > _MASK) | (off > _INSIDE)
    share, above = float(other[lower].mean()), float((tint[upper] > _MASK).mean())
    return share > _COVERED and above < 0.5


def _reaching_in(other: Bools, face: Bools) -> Bools:
    """The thick parts of what is no skin that go on beyond the face."""
    thick = opened(other, max(round(_THIN * max(other.shape)), 2))
    return touching(thick, ~face)
