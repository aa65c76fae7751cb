"""A mask as everybody wears one: its colour is told, its own edges and folds are not."""

import numpy as np

from ksame.arrays import Bools
from ksame.render.cells import Cells, grown
from ksame.render.draw import LOWER_CORE, UPPER_CORE

_BRIDGE = 0.25  # of the way from the nose's root to the chin: where a mask begins on the nose
_FALL = 0.1  # of that way, by which its edge is lower beside the eyes than on the nose


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
