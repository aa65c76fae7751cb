"""The few numbers of a face that decide who suits whom; the pictures are not needed for it."""

from dataclasses import dataclass, field
from typing import Any, Final, Self

import numpy as np

from ksame import geometry
from ksame.arrays import Arrays, Floats
from ksame.composite.frame import HEAD
from ksame.states import State
from ksame.vision import BLENDSHAPE_NAMES

TRAITS: Final = ("matrix", "tone", "throat", "blendshapes", "yaw", "code", "loose_hair", "cut_off")

_COLOURLESS: Final = 0.03  # of the tone that its channels differ by, in a photo without colour
_TURNED: Final = 14.0  # degrees of yaw from which a head counts as turned
_SMILES: Final = 0.3  # of the smile coefficients: a smile that everybody would call one
_MOUTH_OPEN: Final = 0.35  # of the jaw coefficient
_JAW_OPEN, _SMILE_LEFT, _SMILE_RIGHT = (
    BLENDSHAPE_NAMES.index(name) for name in ("jawOpen", "mouthSmileLeft", "mouthSmileRight")
)


@dataclass(frozen=True)
class Traits:
    """Where a face is, and what it is like.

    Attributes
    ----------
    matrix : (2, 3) array
        The similarity from photo pixels to the head frame.
    tone : (3,) array
        Mean colour of the cheeks, RGB in 0 to 255.
    throat : (3,) array
        Mean colour of the neck below the chin; NaN where it is hidden.
    blendshapes : (52,) array
        Expression coefficients.
    yaw : float
        Degrees.
    code : (d,) array
        What people are grouped by.
    loose_hair : float
        How much hair hangs down below the jaw, about 0 to 1.
    cut_off : float
        Which share of the head lies beyond the edge of the photo.
    """

    matrix: Floats = field(repr=False)
    tone: Floats = field(repr=False)
    throat: Floats = field(repr=False)
    blendshapes: Floats = field(repr=False)
    yaw: float
    code: Floats = field(repr=False)
    loose_hair: float
    cut_off: float

    @property
    def pose(self) -> State:
        """What the release keeps of expression and yaw: one of few labels that people share."""
        return pose_of(self.blendshapes, self.yaw)

    @property
    def grey(self) -> bool:
        """Whether the photo has no colour."""
        return bool(np.ptp(self.tone) < _COLOURLESS * self.tone.max())

    @property
    def state(self) -> State:
        """Which look of its surrogate the photo shows, if the surrogate has it."""
        return self.pose.without_colour if self.grey else self.pose

    @property
    def eyes(self) -> float:
        """Pixels between the eyes in the photo."""
        return HEAD.eyes / geometry.scale(self.matrix)

    def to_arrays(self) -> Arrays:
        """Arrays for a private scratch file."""
        return {
            "matrix": self.matrix,
            "tone": self.tone,
            "throat": self.throat,
            "blendshapes": self.blendshapes.astype(np.float32),
            "yaw": np.array(self.yaw),
            "code": self.code.astype(np.float32),
            "loose_hair": np.array(self.loose_hair),
            "cut_off": np.array(self.cut_off),
        }

    @classmethod
    def from_arrays(cls, arrays: Arrays) -> Self:
        """The inverse of ``to_arrays``."""
        return cls(**traits_of(arrays))


def pose_of(blendshapes: Floats, yaw: float = 0.0) -> State:
    """The pose of a face by its 52 expression coefficients and its yaw in degrees."""
    if abs(yaw) > _TURNED:
        return State.RIGHT if yaw > 0 else State.LEFT
    if (blendshapes[_SMILE_LEFT] + blendshapes[_SMILE_RIGHT]) / 2 > _SMILES:
        return State.SMILE
    return State.OPEN if blendshapes[_JAW_OPEN] > _MOUTH_OPEN else State.NEUTRAL


def traits_of(arrays: Arrays) -> dict[str, Any]:
    """The fields of ``Traits`` out of the arrays of one face."""
    fields = {name: np.asarray(arrays[name], np.float64) for name in TRAITS}
    return {name: value if value.ndim else float(value) for name, value in fields.items()}
