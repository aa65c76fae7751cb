"""One eye closed further than the other, as in a wink: what coefficients of blinking hardly tell.

The narrower eye of a squinting or winking face is read as nearly open, and its squint is shared by
both eyes. How far lids are apart tells it. Only the difference between a person's own two eyes
counts: wide and narrow eyes are a person's build.
"""

from collections.abc import Callable
from typing import Final

import numpy as np

from ksame.arrays import Floats, Floats32
from ksame.codecs.face.geometry import EYES
from ksame.codecs.face.weights import EXPRESSION_NAMES
from ksame.render.resting import beyond_rest

# of an eye's width: eyes at rest differ by up to this, and by twice as much it is told in full
_SLACK: Final = 0.045
_ROUNDS: Final = 2
# the subject's right eye first, as in EYES
_BLINKS: Final = [EXPRESSION_NAMES.index(name) for name in ("blinkRight", "blinkLeft")]


def openings(points: Floats) -> Floats:
    """How far the lids of the right and the left eye are apart, over each eye's width."""
    found = [
        np.hypot(*(points[upper, :2] - points[lower, :2]))
        / max(float(np.hypot(*(points[outer, :2] - points[inner, :2]))), 1e-6)
        for outer, inner, upper, lower in EYES
    ]
    return np.array(found, np.float64)


def with_wink(weights: Floats32, points: Floats, shown: Callable[[Floats32], Floats]) -> Floats32:
    """The weights with the narrower of a person's eyes as much narrower as the person's is.

    ``points`` are the person's landmarks; ``shown`` gives those of the model's face with other
    weights in the same pose, so that a turned head's eyes are compared as they are seen.
    """
    moved = weights.copy()
    right, left = openings(points).tolist()
    wanted = float(beyond_rest(right - left, 0.0, _SLACK))
    if not wanted:
        return moved
    narrow = 0 if wanted < 0 else 1
    for _ in range(_ROUNDS):
        own = openings(shown(moved))
        missing = float(own[narrow] - own[1 - narrow]) + abs(wanted)
        if missing <= 0:
            break
        # what is left of the eye's opening closes about evenly from here to a full blink
        share = np.float32(min(missing / max(float(own[narrow]), 1e-6), 1.0))
        moved[_BLINKS[narrow]] += share * (1 - moved[_BLINKS[narrow]])
    return moved
