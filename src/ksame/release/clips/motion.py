"""How a track moves: the numbers of its face, frame by frame, smooth and without lag.

Every number is looked at a few frames back and ahead and no further, so that it does not matter
where a clip was divided for the work: two workers that share a border agree about it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np

from ksame.arrays import Floats, Floats32, Image, Ints
from ksame.codecs.face import EXPRESSION_NAMES, FaceModel
from ksame.release.clips.footage import Footage, Stretch
from ksame.release.clips.placing import carried, poses
from ksame.render.anatomy import anatomy, texture_of
from ksame.render.expression import read_expression
from ksame.render.glimpse import Glimpse
from ksame.render.measure import light_of
from ksame.render.numbers import (
    BLACK_STEP,
    COLOURS,
    EXPRESSION_STEP,
    FINE,
    LIGHT_SIZES,
    LIGHT_STEP,
    OUTLINE_SIZE,
    OUTLINE_STEP,
    PLACE_STEP,
    SIZE_STEP,
    TURN_STEP,
    FaceNumbers,
)
from ksame.render.posing import outline_offsets, posed, size_of
from ksame.render.sharpness import blur_of
from ksame.tracking import calm, interpolate, smooth
from ksame.vision.landmarks import Landmarks

# Half widths of the filters in seconds, and least in frames. A blink takes a tenth of a second: the
# lids' filter is the shortest that still takes out what landmarks shake by. A jaw is slower, and
# shakes half of the face; what neither speaks nor blinks is slower still, and so is a calm face.
# Light and outline do not move by themselves.
_OUTLINE, _LIGHT = 0.5, 0.4
_LIDS, _SPEECH, _EXPRESSION = 0.07, 0.11, 0.15
_CALM: Final = 0.2
_SHAKE: Final = 0.012  # of the weights: what two filters of a resting face differ by
_LEAST: Final = 2
_CODED: Final = 5.0  # steps of fine grain that rounding and coding leave in any clip
_GOOD: Final = 0.5  # of the landmark model's score
_UNDER_SKIN: Final = 0.5  # of the skin's level in its darkest colour: no black is lighter
# What a smooth curve may not go beyond: a logarithm of light, units of the outline, grey levels
_BRIGHTEST, _WIDEST, _LIGHTEST_BLACK = 3.0, 0.3, 96.0
_OF_LIDS: Final = ("blinkLeft", "blinkRight")
_OF_SPEECH: Final = (
    "jawOpen", "smileLeft", "smileRight", "pucker", "funnel", "upperUp", "lowerDown",
)  # fmt: skip
_OTHERS: Final = tuple(n for n in EXPRESSION_NAMES if n not in _OF_LIDS + _OF_SPEECH)
_PARTS: Final = tuple(
    [EXPRESSION_NAMES.index(name) for name in names] for names in (_OF_LIDS, _OF_SPEECH, _OTHERS)
)
# columns of pose, expression, light, outline and black
WIDTHS: Final = (9, 24, sum(LIGHT_SIZES), OUTLINE_SIZE, 1)


@dataclass(frozen=True)
class Motion:
    """The numbers of one track in consecutive frames.

    Attributes
    ----------
    first : int
        The frame of the first row.
    steps : (n, 57) int array
        Pose, expression, light, outline and black in sixteenths of a step.
    blur, grain, colour
        The same in all frames: what changes them is the camera.
    """

    first: int
    steps: Ints = field(repr=False)
    blur: int
    grain: tuple[int, ...]
    colour: str

    @property
    def camera(self) -> Ints:
        """Blur, three strengths of grain, and the number of the colour."""
        return np.array([self.blur, *self.grain, COLOURS.index(self.colour)], np.int64)

    def at(self, frame: int) -> FaceNumbers:
        """The numbers of one frame."""
        parts = np.split(self.steps[frame - self.first] / FINE, np.cumsum(WIDTHS)[:-1])
        pose, expression, light, outline, black = (tuple(part.tolist()) for part in parts)
        return FaceNumbers(
            pose, expression, light, outline, black[0], self.blur, self.grain, self.colour
        )


def move(model: FaceModel, footage: Footage, identity: Floats32, start: int, stop: int) -> Motion:
    """The motion of a track in the frames ``start`` to ``stop - 1``, all of which it covers."""
    rate = footage.rate
    widths = _OUTLINE, _LIGHT, _LIDS, _SPEECH, _EXPRESSION
    halves = [max(round(width * rate), _LEAST) for width in widths]
    calm_half = max(round(_CALM * rate), 2 * _LEAST)
    reach = halves[4] + calm_half + max(halves)
    low, high = max(start - reach, footage.first), min(stop + reach, footage.stop)
    seen = footage.stretch(low, high)
    frames = np.arange(low, high)
    blur, grain, colour = _camera(footage)
    expression = _expressions(model, seen, identity, frames, (*halves[2:], calm_half))
    shapes = [model.shape(identity, row.astype(np.float32)) for row in expression]
    matrices = poses(model, seen, identity, frames, shapes, rate)
    pose = _pose_steps(matrices)
    outline = _outlines(model, seen, frames, shapes, pose, (halves[0], rate))
    light = _lights(model, seen, identity, frames, expression, shapes, pose, colour, halves[1])
    steps = np.concatenate(
        [
            pose,
            np.round(expression / EXPRESSION_STEP * FINE),
            np.round(np.clip(light[:, :-1], -_BRIGHTEST, _BRIGHTEST) / LIGHT_STEP * FINE),
            np.round(np.clip(outline, -_WIDEST, _WIDEST) / OUTLINE_STEP * FINE),
            np.round(np.clip(light[:, -1:], 0, _LIGHTEST_BLACK) / BLACK_STEP * FINE),
        ],
        axis=1,
    ).astype(np.int64)
    return Motion(start, steps[start - low : stop - low], blur, grain, colour)


@lru_cache(maxsize=2048)
def _expression(model: FaceModel, mesh: bytes, score: float, identity: bytes) -> Floats32:
    """The weights of landmarks (float32) on a face; what two segments share is read once."""
    points = np.frombuffer(mesh, np.float32).reshape(-1, 3).astype(np.float64)
    marks = Landmarks(points[:, :2], points[:, 2], score)
    return read_expression(model, marks, np.frombuffer(identity, np.float32), still=False)


def _expressions(
    model: FaceModel, seen: Stretch, identity: Floats32, frames: Ints, halves: Sequence[int]
) -> Floats:
    """The expression weights of every frame, in steps; without landmarks it goes on evenly.

    ``halves`` are those of the filters of lids, of speech, of all else, and of a calm face.
    """
    good = np.flatnonzero(seen.mesh_score >= _GOOD)
    if not len(good):
        raw = np.repeat(model.neutral[None].astype(np.float64), len(frames), axis=0)
    else:
        code = np.asarray(identity, np.float32).tobytes()
        rows = [
            _expression(model, seen.mesh[row].tobytes(), float(seen.mesh_score[row]), code)
            for row in good.tolist()
        ]
        raw = interpolate(seen.frame[good], np.array(rows, np.float64), frames)
    *quick, still = halves
    weights = np.empty_like(raw)
    for half, columns in zip(quick, _PARTS, strict=True):
        weights[:, columns] = calm(raw[:, columns], (half, still), _SHAKE)
    weights[:, :-2] = np.clip(weights[:, :-2], 0, 1)
    weights[:, -2:] = np.clip(weights[:, -2:], -1, 1)
    step = EXPRESSION_STEP / FINE
    rounded: Floats = np.round(weights / step) * step
    return rounded


def _pose_steps(matrices: Floats) -> Floats:
    """Nine numbers of pose, in parts of a step; all but the size are measured against it."""
    rows = []
    for flat in matrices:
        matrix = flat.reshape(2, 4)
        size = np.round(np.log(size_of(matrix)) / np.log(SIZE_STEP) * FINE)
        unit = SIZE_STEP ** (size / FINE)
        turn = np.round(matrix[:, :3].ravel() / unit / TURN_STEP * FINE)
        place = np.round(matrix[:, 3] / unit / PLACE_STEP * FINE)
        rows.append(np.concatenate([[size], turn, place]))
    return np.array(rows)


def _at(pose: Floats, outline: Sequence[float] = (0.0,) * OUTLINE_SIZE) -> FaceNumbers:
    """A face of which only the pose matters."""
    return FaceNumbers(
        tuple((pose / FINE).tolist()), (), (0,) * sum(LIGHT_SIZES), tuple(outline), 0, 0,
        (0, 0, 0), "colour",
    )  # fmt: skip


def _outlines(
    model: FaceModel,
    seen: Stretch,
    frames: Ints,
    shapes: Sequence[Floats32],
    pose: Floats,
    window: tuple[int, float],
) -> Floats:
    """How far the outline lies outside of the model's own, slowly changing.

    ``window`` is the filter's half width in frames and how many of these are a second.
    """
    body, low = anatomy(model), int(frames[0])
    rows = _rows_inside(seen, frames)
    rows = rows[~carried(model, seen, window[1])[rows]]
    looked = dict(zip(seen.turned_row.tolist(), seen.turned_mesh, strict=True))
    if not len(rows):
        return np.zeros((len(frames), OUTLINE_SIZE))
    raw = []
    for row in rows:
        place = int(seen.frame[row]) - low
        at = _at(pose[place])
        placed = posed(model, shapes[place], at)
        points = looked.get(int(row), seen.mesh[row])[:, :2].astype(np.float64)
        raw.append(outline_offsets(placed, points, at.scale, body))
    return smooth(interpolate(seen.frame[rows], np.array(raw), frames), window[0], degree=1)


def _rows_inside(seen: Stretch, frames: Ints) -> Ints:
    """The rows with landmarks whose frame is among those asked for."""
    inside = (seen.frame >= frames[0]) & (seen.frame <= frames[-1])
    return np.flatnonzero(inside & (seen.mesh_score >= _GOOD))


def _lights(
    model: FaceModel,
    seen: Stretch,
    identity: Floats32,
    frames: Ints,
    expression: Floats,
    shapes: Sequence[Floats32],
    pose: Floats,
    colour: str,
    half: int,
) -> Floats:
    """Fourteen logarithms of light and the black level of every frame."""
    body, low = anatomy(model), int(frames[0])
    raw, known = [], []
    for place_of, row in enumerate(seen.light_row):
        place = int(np.clip(seen.frame[row] - low, 0, len(frames) - 1))
        at = _at(pose[place])
        skin = seen.light_seen[place_of]
        black = black_under(skin, float(seen.light_black[place_of]))
        at = FaceNumbers(**{**at.__dict__, "black": black / BLACK_STEP, "colour": colour})
        texture = texture_of(model, identity, expression[place].astype(np.float32))
        logs = light_of(Glimpse.skin(skin), texture, shapes[place], at, body)
        raw.append(np.append(logs, black))
        known.append(int(seen.frame[row]))
    if not raw:
        return np.zeros((len(frames), sum(LIGHT_SIZES) + 1))
    return smooth(interpolate(np.array(known), np.array(raw), frames), half, degree=1)


def black_under(skin: Image, black: float) -> float:
    """A picture's black, or less where skin is as dark: below its black nothing can be drawn.

    ``skin`` is a face on the grid of texels, black where it lies outside of the picture. At rest a
    black is 8 levels; a face in a dark room has less in blue, and became a grey plate.
    """
    seen = skin[skin.any(axis=2)]
    if not len(seen):
        return black
    return min(black, _UNDER_SKIN * float(np.median(seen.min(axis=1))))


def _camera(footage: Footage) -> tuple[int, tuple[int, ...], str]:
    """Blur, grain and colour, which the whole track has in common."""
    softness, fine, _, _, colour, scale = footage.camera.tolist()
    blur = blur_of(None if np.isnan(softness) else softness, scale)
    # coarse and coloured grain of a coded clip is the coder's and stands still: anew in each frame
    # it would move (landmarks shook 1.4 times as much as the original's, 1.2 times without it). So
    # is what any picture has of fine grain: nobody sees it, and landmarks shook by it
    seen = round(float(np.sqrt(max(fine**2 - _CODED**2, 0.0))))
    return blur, (seen, 0, 0), COLOURS[int(colour)]
