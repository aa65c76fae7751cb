"""What is a person's own build, and not what the person does, is left out of the numbers.

Brows that hang low are read as a frown, a long chin as a nod, red cheeks as coloured light. Near
rest such readings are the same on all photos of a person, so they tell who it is; whoever does
something goes far beyond them. So every such number has a rest, and a slack around it in which all
faces are at rest. Beyond the slack a number catches up and is shown as it was read.

With the other photo taken in another light, from elsewhere, numbers named .85 of London's people
and .73 of IMM's inside their groups of five to eight, at rest .36 and .37 (docs/attacks.md).
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from ksame.arrays import Floats
from ksame.codecs.face.weights import EXPRESSION_NAMES
from ksame.render.numbers import EVERYDAY_LIGHT, FURTHEST_LIGHT, LIGHT_SIZES, LIGHT_STEP

# Rest and slack of expression weights: the medians of 561 photos of rest and of daily life, and as
# far as nine of ten faces at rest lie from them
_RESTS: Final = {
    "pucker": (0.05, 0.3), "press": (0.05, 0.2), "roll": (0.0, 0.2), "shrug": (0.05, 0.3),
    "browDown": (0.1, 0.4), "browInnerUp": (0.0, 0.3), "browOuterUp": (0.1, 0.3),
    "blinkLeft": (0.1, 0.2), "blinkRight": (0.1, 0.2), "squint": (0.3, 0.3),
    "gazeSide": (0.0, 0.25), "gazeDown": (-0.35, 0.35), "stretch": (0.0, 0.15),
}  # fmt: skip
_WHICH: Final = [EXPRESSION_NAMES.index(name) for name in _RESTS]
# degrees: the tilt that a face's own proportions make, twice what people of one studio differ by,
# and how finely a turn is told
_YAW_SLACK, _PITCH_REST, _PITCH_SLACK = 4.0, 2.0, 6.0
_TURNS: Final = (2.0, 2.0, 1.0)  # of yaw, pitch and roll
# units by which an outline is the model's own, and how finely it is told beyond
_OUTLINE_SLACK, _OUTLINE_STEP = 0.08, 0.06
# forehead, sides and jaw: which of the nine offsets move as one
_RIM: Final = ((8, 0, 1), (2, 3, 6, 7), (4, 5))
# steps of light: its level and colours, its way from side to side and from top to bottom, and what
# is finer
_LEVEL, _SLOPE, _FINER = 2, 4, 8
# logarithms of light that are a face's own relief and redness, which it shows in every light: of
# people in one light the finer ones differ by .05 (s.d.), of 147 faces of daily life by .06
_SLOPE_SLACK, _FINER_SLACK = 0.14, 0.2
# grey levels: the black of a clear photo, and how much paler the darkest around a face may be
# because hair and brows are fair
_BLACK_REST, _BLACK_SLACK = 8.0, 28.0
_LEVELS: Final = [0, LIGHT_SIZES[0], LIGHT_SIZES[0] + LIGHT_SIZES[1]]
_SLOPES: Final = [1, 2]


def beyond_rest(values: npt.ArrayLike, rest: npt.ArrayLike, slack: npt.ArrayLike) -> Floats:
    """Values, at rest within the slack, and as they are from twice the slack on."""
    rest, slack = np.asarray(rest, np.float64), np.asarray(slack, np.float64)
    off = np.asarray(values, np.float64) - rest
    far = np.abs(off)
    caught_up: Floats = np.sign(off) * np.minimum(far, 2 * np.maximum(far - slack, 0)) + rest
    return caught_up


def rested_expression(weights: npt.ArrayLike) -> Floats:
    """Expression weights and gaze without what faces show at rest."""
    rested = np.array(weights, np.float64)
    rest, slack = np.array(list(_RESTS.values())).T
    rested[_WHICH] = beyond_rest(rested[_WHICH], rest, slack)
    return rested


def rested_turn(turn: Floats) -> Floats:
    """A rotation (3, 3) in whole degrees; a head that nearly looks ahead does."""
    pitch = np.degrees(np.arcsin(np.clip(turn[2, 1], -1, 1)))
    yaw = np.degrees(np.arctan2(-turn[2, 0], turn[2, 2]))
    roll = np.degrees(np.arctan2(-turn[0, 1], turn[1, 1]))
    told = (
        beyond_rest(yaw, 0.0, _YAW_SLACK),
        beyond_rest(pitch, _PITCH_REST, _PITCH_SLACK),
        roll,
    )
    steps = [float(np.round(a / step) * step) for a, step in zip(told, _TURNS, strict=True)]
    (cy, cp, cr), (sy, sp, sr) = np.cos(np.radians(steps)), np.sin(np.radians(steps))
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_x = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
    about_z = np.array([[cr, -sr, 0], [sr, cr, 0], [0, 0, 1]])
    rested: Floats = about_z @ about_x @ about_y
    return rested


def rested_outline(offsets: Floats) -> Floats:
    """Nine offsets of an outline in three numbers, the model's own where they are small."""
    rested = np.zeros(len(offsets))
    for places in _RIM:
        mean = beyond_rest(offsets[list(places)].mean(), 0.0, _OUTLINE_SLACK)
        rested[list(places)] = np.round(mean / _OUTLINE_STEP) * _OUTLINE_STEP
    return rested


def light_steps() -> Floats:
    """How many steps of light each of the fourteen numbers is told in."""
    steps = np.full(sum(LIGHT_SIZES), _FINER)
    steps[_LEVELS] = _LEVEL
    steps[_SLOPES] = _SLOPE
    return steps.astype(np.float64)


def rested_light(logs: Floats, middle: Floats) -> Floats:
    """Fourteen logarithms of light in which a face's own relief and redness are at rest.

    ``middle`` (8,) are the functions' means over the skin: as bright and as coloured as it was on
    the whole a face stays, whatever is left out.
    """
    slack = np.full(len(logs), _FINER_SLACK)
    slack[_SLOPES] = _SLOPE_SLACK
    # whoever stands in even light, as in a studio, rests as well: from there to everyday light
    # all is rest, and shown as everyday light
    half = np.zeros(len(logs))
    half[: LIGHT_SIZES[0]] = EVERYDAY_LIGHT / 2
    slack += np.abs(half)
    off = beyond_rest(logs + half, 0.0, slack)
    rested: Floats = off - half * np.minimum(np.abs(off) / (2 * slack), 1)
    rested[_LEVELS] = logs[_LEVELS]
    for start, size in zip(_LEVELS, LIGHT_SIZES, strict=True):
        part = slice(start + 1, start + size)
        rested[start] += (logs - rested)[part] @ middle[1:size]
    return rested


def coarse_light(logs: Floats) -> Floats:
    """Fourteen logarithms of light in their coarse steps."""
    told = light_steps()
    furthest = np.floor(FURTHEST_LIGHT / LIGHT_STEP / told + 1e-9)  # whole steps within the range
    coarse: Floats = np.clip(np.round(logs / (told * LIGHT_STEP)), -furthest, furthest)
    return coarse * told * LIGHT_STEP


def rested_black(level: float) -> float:
    """The darkest level around a face: told where it is haze, and not where hair is fair."""
    return float(beyond_rest(level, _BLACK_REST, _BLACK_SLACK))
