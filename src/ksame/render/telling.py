"""Which texels of a face tell its light: not glints, and not a mask that hides the skin."""

from typing import Final

import numpy as np

from ksame.arrays import Floats, Image
from ksame.render.anatomy import Anatomy

_CLIPPED: Final = 250  # of a channel: as bright as a picture goes
_GLINTS: Final = (0.1, 0.3)  # of the skin: so much is a glint, and so much is glare
_PALER = 0.15  # logarithm of red over green that a mask has less than the brow above it


def unclipped(seen: Image, weight: Floats) -> Floats:
    """How much texels tell that are as bright as the picture goes: nothing as glints on a face.

    Where they are much of the skin, they count in full: light fitted to what is left would be that
    of the shadows, and a blown-out face would turn dark and red.
    """
    clipped = seen.max(axis=2) >= _CLIPPED
    share = float((weight * clipped).sum()) / max(float(weight.sum()), 1e-9)
    low, high = _GLINTS
    told: Floats = np.where(clipped, np.clip((share - low) / (high - low), 0, 1), 1.0)
    return told


def unmasked(logs: Floats, weight: Floats, body: Anatomy) -> Floats:
    """0 below the eyes where a mask hides the face there: skin is redder than any mask, 1 else."""
    redness = logs[..., 0] - logs[..., 1]
    upper, lower = body.brow * weight, (1 - body.brow) * weight
    if min(upper.sum(), lower.sum()) < 10:
        return np.ones_like(weight)
    paler = float(np.median(redness[upper > 0.3])) - float(np.median(redness[lower > 0.3]))
    ones: Floats = np.where(body.brow > 0, 1.0, 0.0 if paler > _PALER else 1.0)
    return ones
