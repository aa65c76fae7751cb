"""A mask as everybody wears one: its colour is told, its own edges and folds are not."""

import cv2
import numpy as np

from ksame.arrays import Bools
from ksame.render.cells import Cells, grown
from ksame.render.draw import LOWER_CORE, UPPER_CORE

_BRIDGE = 0.25  # of the way from the nose's root to the chin: where a mask begins on the nose
# of everybody's mask: what covers less of it is held before the mouth, and keeps its own shape
_MASK = 0.7
_EVENED = 2.5  # cells (sigma) over which a mask's own edge is made even
_FALL = 0.1  # of that way, by which its edge is lower beside the eyes than on the nose


def drawn_mask(mask: Bools, view: Cells, own_edge: bool) -> Bools:
    """What is drawn of a mask (h, w) over nose and mouth: without holes, its edge made even.

    With ``own_edge`` it may reach further than everybody's, else it is everybody's.
    """
    whole = everybodys_mask(view)
    if (mask & whole).sum() < _MASK * whole.sum():
        return mask
    if not own_edge:
        return whole
    even = cv2.GaussianBlur(mask.astype(np.float32), (0, 0), _EVENED) > 0.5
    return np.asarray(whole | (even & (view.alpha > 0)))


def everybodys_mask(view: Cells) -> Bools:
    """The cells that a mask covers, by where brows, eyes, nose and mouth of the drawn face are."""
    upper, lower = view.core == UPPER_CORE, view.core == LOWER_CORE
    if not upper.any() or not lower.any():
        return np.asarray(lower)
    eyes, mouth = (np.argwhere(part)[:, ::-1].astype(np.float64) for part in (upper, lower))
    down = mouth.mean(axis=0) - eyes.mean(axis=0)
    down /= max(float(np.linalg.norm(down)), 1e-6)
    across = np.array([-down[1], down[0]])
    top, bottom = (mouth @ down).min(), (mouth @ down).max()
    half = max(float(np.ptp(eyes @ across)) / 2, 1e-6)
    y, x = np.indices(view.core.shape)
    off = ((x * across[0] + y * across[1]) - mouth.mean(axis=0) @ across) / half
    edge = top + (bottom - top) * (_BRIDGE + _FALL * np.minimum(np.abs(off), 1.2) ** 2)
    below: Bools = x * down[0] + y * down[1] > edge
    return np.asarray(below & (view.alpha > 0) & ~grown(upper, 1))
