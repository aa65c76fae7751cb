"""What is worn as everybody wears it: its colour is told, its own edges and folds are not."""

import cv2
import numpy as np

from ksame.arrays import Bools
from ksame.render.cells import Cells, grown
from ksame.render.worn import HAIR, LENSES, MASK, RIMS

# of everybody's mask: what covers less of it is held before the mouth, and keeps its own shape
_MASK = 0.7
_EVENED = 2.5  # cells (sigma) over which a mask's own edge is made even
_TOLD = 40  # cells of hair or a hat that tell its colour
_WIDER = 5  # cells that somebody's glasses reach beyond everybody's
_HIDDEN = 0.5  # of the lenses that glasses hide: more than rims do
_DARK = 0.65  # of skin's brightness: lenses that are brighter mirror something
_LIGHT = 0.85  # ... and rims that are brighter are hardly seen, or a brim or a mask's edge


def drawn_mask(mask: Bools, view: Cells, own_edge: bool) -> Bools:
    """What is drawn of a mask (h, w) over nose and mouth: without holes, its edge made even.

    With ``own_edge`` it may reach further than everybody's, else it is everybody's.
    """
    whole = everybodys_mask(view)
    if not is_mask(mask, view):
        return mask
    if not own_edge:
        return whole
    both = whole | (cv2.GaussianBlur(mask.astype(np.float32), (0, 0), _EVENED) > 0.5)
    even = cv2.GaussianBlur(both.astype(np.float32), (0, 0), _EVENED) > 0.5
    return np.asarray(even & (view.alpha > 0))


def drawn_glasses(glasses: Bools, view: Cells) -> tuple[Bools, Bools]:
    """Everybody's glasses in the place of somebody's (h, w), and the cells that tell their colour.

    Lenses are filled where they are dark; of others, clear or mirrors, the rims are drawn.
    """
    if not glasses.any():
        return glasses, glasses
    lenses = (view.worn & LENSES) > 0
    bright = view.part.mean(axis=2) / np.maximum(view.bare.mean(axis=2), 1.0)
    inside = glasses & lenses
    dark = inside.sum() > _HIDDEN * lenses.sum() and bright[inside].mean() < _DARK
    # a rim is as thin as a cell: the brighter half of its cells is mostly skin
    of = inside if dark else glasses & (bright <= np.median(bright[glasses]))
    if bright[of].mean() > _LIGHT:
        return np.zeros_like(glasses), of
    shape = (view.worn & (RIMS | LENSES if dark else RIMS)) > 0
    return np.asarray(shape & (view.alpha > 0)), np.asarray(of)


def drawn_hair(hair: Bools, things: Bools, view: Cells) -> tuple[Bools, Bools]:
    """Everybody's hair over the face that is drawn, and the cells (h, w) that tell its colour.

    That is the hair that is seen, else a hat; where there is neither, the head is bald.
    """
    above = view.above_eyes
    told = next((of & above for of in (hair, things) if (of & above).sum() >= _TOLD), None)
    if told is None:
        return np.zeros_like(hair), np.zeros_like(hair)
    shape = ((view.worn & HAIR) > 0) & (view.alpha > 0) & view.free
    return np.asarray(shape), told


def before_lenses(view: Cells) -> Bools:
    """The cells where glasses may be: around everybody's."""
    return grown((view.worn & LENSES) > 0, _WIDER)


def is_mask(mask: Bools, view: Cells) -> bool:
    """Whether what hides nose and mouth covers as much as masks do, and is not held before them."""
    whole = everybodys_mask(view)
    return bool((mask & whole).sum() >= _MASK * whole.sum() > 0)


def everybodys_mask(view: Cells) -> Bools:
    """The cells that everybody's mask covers."""
    return np.asarray(((view.worn & MASK) > 0) & (view.alpha > 0))
