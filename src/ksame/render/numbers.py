"""The numbers of a face: all that passes from a person into the face region of a released photo.

Each is kept in coarse steps, so that it says no more than it must. ``as_json`` writes whole numbers
of steps, so a ledger gives back exactly what was rendered. In a clip they are whole numbers of a
``FINE``-th of a step: a face that moved by whole steps would shake.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ksame.arrays import Floats
from ksame.errors import InputError

# The steps. A "unit" is the distance between the outer corners of the eyes of a frontal face.
SIZE_STEP: Final = 1.02  # ratio of neighbouring sizes: two per cent of a face are not seen
TURN_STEP: Final = 0.02  # of the turn's entries: about one degree
PLACE_STEP: Final = 0.02  # units: a fiftieth of the eyes' distance, less than landmarks err
EXPRESSION_STEP: Final = 0.1  # of the weights, 0 to 1, and of the gaze, -1 to 1
LIGHT_STEP: Final = 0.02  # of the logarithm of a gain: two per cent of brightness
FURTHEST_LIGHT: Final = 3.0  # logarithm of a gain: twentyfold, which is night and glare
OUTLINE_STEP: Final = 0.02  # units
BLACK_STEP: Final = 4.0  # grey levels
SHARPNESS_STEP: Final = 1.25  # ratio of neighbouring widths of blur
FINEST_BLUR: Final = 0.4  # px; what is sharper is not blurred at all
SHARPEN_STEP: Final = 0.3  # share by which edges are narrower than the model's
MOST_SHARPENED: Final = 3  # steps; more makes halos
GRAIN_STEP: Final = 0.25  # grey levels
# parts of a step in a clip: the shake that is left, a thousandth of the eyes' distance, is less
# than that of landmarks on a still face; parts of two can be written without rounding
FINE: Final = 16
MOST_OUTLINE: Final = 25  # steps of an outline

OUTLINE_SIZE: Final = 9  # offsets around the face: hair line, temples, cheeks, jaw
LIGHT_SIZES: Final = (8, 3, 3)  # functions of brightness, and of two differences of colour
# what the eight functions of brightness are in photographs of daily life, the middle of 594 faces:
# light comes from above, and what is turned aside is darker. Light is told beside it: a face whose
# own light is at rest is shown as faces are, and not as flat as its texture
EVERYDAY_LIGHT: Final = np.array([0.0, 0.0, -0.09, 0.0, -0.16, -0.05, -0.065, 0.07])
COLOURS: Final = ("colour", "toned", "grey")
_JAW: Final = (4, 5)  # of the outline


@dataclass(frozen=True)
class FaceNumbers:
    """What a face's render is made of, besides the model and the drawn identity.

    Attributes
    ----------
    pose : tuple of 9 numbers
        The size (steps of ratio), the six entries of the turn (rows x, y) over the size, and the
        place; see ``matrix``.
    expression : tuple of numbers
        The model's expression weights, the gaze among them.
    light : tuple of 14 numbers
        Logarithms of gains: see ``ksame.render.light``.
    outline : tuple of 9 numbers
        How far the outline lies outside of the model's own, around the face.
    black : number
        The photo's darkest level around the face: haze and faded prints.
    blur : int
        Width of the photo's blur; 0 is as sharp as the model is, less is sharpened.
    grain : tuple of 3 int
        Strength of fine, of coarse and of coloured noise.
    colour : str
        ``colour``, ``toned`` (a brown or blue print) or ``grey``.
    """

    pose: tuple[float, ...]
    expression: tuple[float, ...]
    light: tuple[float, ...]
    outline: tuple[float, ...]
    black: float
    blur: int
    grain: tuple[int, ...]
    colour: str

    def __post_init__(self) -> None:
        sizes = {"pose": 9, "light": sum(LIGHT_SIZES), "outline": OUTLINE_SIZE}
        for name, size in {**sizes, "grain": 3}.items():
            if len(getattr(self, name)) != size:
                raise InputError(
                    f"{name} has {len(getattr(self, name))} numbers; {size} are needed."
                )
        if self.colour not in COLOURS:
            raise InputError(f"colour={self.colour!r} must be one of {', '.join(COLOURS)}.")
        if not -400 < self.pose[0] < 600:
            raise InputError(f"pose has a size of {self.pose[0]} steps; -400 to 600 are possible.")

    @property
    def scale(self) -> float:
        """Photo pixels of one unit."""
        return float(SIZE_STEP ** self.pose[0])

    @property
    def matrix(self) -> Floats:
        """The (2, 4) map from (x, y, depth, 1) of the model's shape to photo pixels."""
        turn = np.array(self.pose[1:7], np.float64).reshape(2, 3) * TURN_STEP
        place = np.array(self.pose[7:9], np.float64) * PLACE_STEP
        return np.column_stack([turn, place]) * self.scale

    @property
    def expression_weights(self) -> Floats:
        """The weights that the model takes."""
        return np.array(self.expression, np.float64) * EXPRESSION_STEP

    @property
    def sigma(self) -> float:
        """Standard deviation in px of the blur; 0 for none."""
        return 0.0 if self.blur <= 0 else float(FINEST_BLUR * SHARPNESS_STEP ** (self.blur - 1))

    @property
    def seed(self) -> int:
        """Where the grain begins: decided by the numbers, so that a render can be repeated."""
        digest = hashlib.sha256(json.dumps(self.as_json(), sort_keys=True).encode()).digest()
        return int.from_bytes(digest[:8], "big")

    def higher(self, by: int) -> "FaceNumbers":
        """The same face reaching further over forehead and sides by so many steps."""
        outline = tuple(
            offset if place in _JAW else min(offset + by, MOST_OUTLINE)
            for place, offset in enumerate(self.outline)
        )
        return replace(self, outline=outline)

    def as_json(self) -> dict[str, Any]:
        """Whole numbers of steps, and the colour; ``from_json`` gives the same numbers back."""
        return {
            "pose": list(self.pose),
            "expression": list(self.expression),
            "light": list(self.light),
            "outline": list(self.outline),
            "black": self.black,
            "blur": self.blur,
            "grain": list(self.grain),
            "colour": self.colour,
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> "FaceNumbers":
        """The numbers of ``as_json``; refuses what is not whole."""
        names = ("pose", "expression", "light", "outline", "grain")
        try:
            pose, expression, light, outline, grain = (_whole(record[name]) for name in names)
            black, blur = _whole([record["black"], record["blur"]])
            colour = str(record["colour"])
        except (KeyError, TypeError) as error:
            raise InputError(
                "the numbers of a face are incomplete; take them as written"
            ) from error
        return cls(pose, expression, light, outline, black, blur, grain, colour)


def _whole(values: Sequence[Any]) -> tuple[int, ...]:
    if not all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        raise InputError("the numbers of a face must be whole numbers of steps")
    return tuple(values)


def steps(
    values: npt.ArrayLike, step: float, rng: np.random.Generator | None = None
) -> tuple[int, ...]:
    """Values as whole numbers of a step.

    With ``rng`` a value falls on the step below or above it by chance, as near as it is (a secret
    jitter): two photos of one measured number need not get the same step.
    """
    exact = np.atleast_1d(np.asarray(values, np.float64)) / step
    shift = 0.5 if rng is None else rng.random(exact.shape)
    return tuple(int(value) for value in np.floor(exact + shift))
