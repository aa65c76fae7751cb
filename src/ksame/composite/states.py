"""Expression and pose, cut down to a few states that all people share.

A release that shows every nuance of a person's smile shows the person. A state is a public label;
inside a state every member of a group shows the same pixels.
"""

from typing import Final, Literal

from ksame.arrays import Floats
from ksame.vision import BLENDSHAPE_NAMES

Pose = Literal["neutral", "smile", "open", "left", "right"]
State = str  # a pose, or "grey " and a pose in a photo without colour
POSES: Final[tuple[Pose, ...]] = ("neutral", "smile", "open", "left", "right")
TURNED: Final[tuple[Pose, ...]] = ("left", "right")
GREY: Final = "grey "

_TURNED = 14.0  # degrees of yaw from which a head counts as turned
_SMILES = 0.3  # of the smile coefficients: a smile that everybody would call one
_MOUTH_OPEN = 0.35  # of the jaw coefficient
_JAW_OPEN, _SMILE_LEFT, _SMILE_RIGHT = (
    BLENDSHAPE_NAMES.index(name) for name in ("jawOpen", "mouthSmileLeft", "mouthSmileRight")
)


def pose_of(blendshapes: Floats, yaw: float = 0.0) -> Pose:
    """The pose of a face by its 52 expression coefficients and its yaw in degrees.

    ``left`` and ``right`` are sides of the picture; the expression of turned heads is not kept.
    """
    if abs(yaw) > _TURNED:
        return "right" if yaw > 0 else "left"
    if (blendshapes[_SMILE_LEFT] + blendshapes[_SMILE_RIGHT]) / 2 > _SMILES:
        return "smile"
    return "open" if blendshapes[_JAW_OPEN] > _MOUTH_OPEN else "neutral"
