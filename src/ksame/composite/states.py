"""Expression, cut down to a few states that all people share.

A release that shows every nuance of a person's smile shows the person. A state is a public label
(``neutral``, ``smile``, ``open``); inside a state every member of a group shows the same pixels.
"""

from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from ksame.vision import BLENDSHAPE_NAMES

State = Literal["neutral", "smile", "open"]
STATES: Final[tuple[State, ...]] = ("neutral", "smile", "open")

_JAW_OPEN, _SMILE_LEFT, _SMILE_RIGHT = (
    BLENDSHAPE_NAMES.index(name) for name in ("jawOpen", "mouthSmileLeft", "mouthSmileRight")
)


def state_of(blendshapes: npt.NDArray[np.float64]) -> State:
    """The state of a face by its 52 expression coefficients."""
    if (blendshapes[_SMILE_LEFT] + blendshapes[_SMILE_RIGHT]) / 2 > 0.4:
        return "smile"
    return "open" if blendshapes[_JAW_OPEN] > 0.35 else "neutral"
