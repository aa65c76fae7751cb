"""The numbers of a model face: all that passed from a person, in whole and coarse steps.

The steps are part of the ledger's format. A number that is no whole count of steps, or lies beyond
what its meaning allows, could carry more of a person than the certificate says.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ksame.arrays import Floats, Floats32
from ksame.verification.reading import Malformed, entry, items, text

# One step of each number. A "unit" is the distance between the outer corners of the eyes.
SIZE = 1.02  # ratio of neighbouring sizes
TURN = 0.02  # of the entries of the turn
PLACE = 0.02  # units
EXPRESSION = 0.1  # of a weight
LIGHT = 0.02  # of the logarithm of a gain
OUTLINE = 0.02  # units
BLACK = 4.0  # grey levels
BLUR = 1.25  # ratio of neighbouring widths of blur
FINEST_BLUR = 0.4  # px
SHARPEN = 0.3  # share of an edge's contrast; steps below 0 of the blur sharpen
GRAIN = 0.25  # grey levels
LIGHTS = (8, 3, 3)  # functions of brightness, and of red and blue over green
COLOURS = ("colour", "toned", "grey")
# Whole steps from and to. A size from 2 to 5,000 px a unit; a turn's rows are no longer than 1.5; a
# place may lie off the photo by as much as a face is large; expression weights are 0 to 1, the gaze
# -1 to 1; light up to twenty times; an outline up to half a unit off the model's own; grain and
# blur as strong as any photograph has them.
_SIZES = (35, 430)
_TURNS = (-75, 75)
_WEIGHTS = (-10, 10)
_LIGHTS = (-150, 150)
_OUTLINES = (-25, 25)
_BLACKS = (0, 24)
_BLURS = (-3, 25)
_GRAINS = (0, 32)
_PLACES = (-1_000_000, 1_000_000)  # of a unit of 2 px: wider than any photo
_ALWAYS_WHOLE = ("the grain", "the blur")
# In a photo light is told in coarser steps, level and colours in two, slopes in four and what is
# finer in eight, and the outline in three numbers, of the forehead, the sides and the jaw.
_LIGHT_TOLD = (2, 4, 4, *(8,) * 5, 2, 8, 8, 2, 8, 8)
_OUTLINE_TOLD = ((8, 0, 1), (2, 3, 6, 7), (4, 5))
_COUNTS = {"pose": 9, "light": sum(LIGHTS), "outline": 9, "grain": 3}


@dataclass(frozen=True, slots=True)
class FaceSteps:
    """The numbers of one face, as whole steps."""

    pose: tuple[float, ...]
    expression: tuple[float, ...] = field(repr=False)
    light: tuple[float, ...] = field(repr=False)
    outline: tuple[float, ...] = field(repr=False)
    black: float
    blur: int
    grain: tuple[int, ...] = field(repr=False)
    colour: str

    @property
    def scale(self) -> float:
        """Photo pixels of one unit."""
        return float(SIZE ** self.pose[0])

    @property
    def turn(self) -> Floats:
        """The (2, 3) map from (x, y, depth) of the model to the photo, for a unit of one pixel."""
        return np.array(self.pose[1:7], np.float64).reshape(2, 3) * TURN

    @property
    def place(self) -> Floats:
        """Where the model's middle lies in the photo, in pixels."""
        found: Floats = np.array(self.pose[7:9], np.float64) * PLACE * self.scale
        return found

    @property
    def sigma(self) -> float:
        """The blur in photo pixels, 0 for none."""
        return float(FINEST_BLUR * BLUR ** (self.blur - 1)) if self.blur > 0 else 0.0

    @property
    def sharper(self) -> float:
        """By how much edges are sharpened, 0 for not at all."""
        return max(-self.blur, 0) * SHARPEN


def weights_of(steps: FaceSteps) -> Floats32:
    """The expression weights that the model takes."""
    return (np.array(steps.expression, np.float64) * EXPRESSION).astype(np.float32)


def read_steps(told: Mapping[str, Any], fine: int = 1) -> FaceSteps:
    """The numbers of a ledger's face; those of a clip are counted in ``fine`` parts of a step.

    Raises
    ------
    Malformed
        A number is missing, is no whole step or lies out of its range.
    """
    where = "a face's numbers"
    many = {
        name: items(entry(told, name, where), name, _whole)
        for name in ("pose", "expression", "light", "outline", "grain")
    }
    for name, count in _COUNTS.items():
        if len(many[name]) != count:
            raise Malformed(f"{name} has {len(many[name])} numbers instead of {count}")
    black, blur = (_whole(entry(told, name, where), name) for name in ("black", "blur"))
    colour = text(entry(told, "colour", where), "colour")
    pose = many["pose"]
    for name, values, (low, high) in (
        ("the size", pose[:1], _SIZES),
        ("the turn", pose[1:7], _TURNS),
        ("the place", pose[7:], _PLACES),
        ("the expression", many["expression"], _WEIGHTS),
        ("the light", many["light"], _LIGHTS),
        ("the outline", many["outline"], _OUTLINES),
        ("the grain", many["grain"], _GRAINS),
        ("the black", (black,), _BLACKS),
        ("the blur", (blur,), _BLURS),
    ):
        parts = 1 if name in _ALWAYS_WHOLE else fine
        if not all(low * parts <= value <= high * parts for value in values):
            raise Malformed(f"{name} of a face is out of its range")
    if colour not in COLOURS:
        raise Malformed("a face is neither in colour nor toned nor grey")
    if fine == 1:
        _check_coarse(many["light"], many["outline"])
    of_pose, weights, light, outline, (of_black,) = (
        tuple(value / fine for value in values)
        for values in (pose, many["expression"], many["light"], many["outline"], (black,))
    )
    return FaceSteps(of_pose, weights, light, outline, of_black, blur, many["grain"], colour)


def _check_coarse(light: tuple[int, ...], outline: tuple[int, ...]) -> None:
    """Refuse numbers that tell more of a face in a photo than they may."""
    if any(value % step for value, step in zip(light, _LIGHT_TOLD, strict=True)):
        raise Malformed("the light of a face is told in finer steps than it may be")
    if any(len({outline[place] for place in places}) > 1 for places in _OUTLINE_TOLD):
        raise Malformed("the outline of a face is told in more than three numbers")


def _whole(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Malformed(f"{where} of a face is no whole number of steps")
    return value
