"""Measure a face: from a photo and its landmarks to the numbers of a render."""

from dataclasses import dataclass

import cv2
import numpy as np

from ksame.arrays import Bools, Floats, Floats32, Image
from ksame.render import light
from ksame.render.anatomy import (
    GRID,
    POINTS,
    Anatomy,
    FaceModel,
    anatomy,
    texture_of,
)
from ksame.render.draw import grid_values
from ksame.render.expression import read_expression
from ksame.render.grain import measure_grain
from ksame.render.numbers import (
    BLACK_STEP,
    EXPRESSION_STEP,
    LIGHT_SIZES,
    LIGHT_STEP,
    OUTLINE_SIZE,
    FaceNumbers,
    steps,
)
from ksame.render.posing import fit_outline, fit_pose, posed
from ksame.render.resting import coarse_light, rested_black, rested_light
from ksame.render.sharpness import blur_of, softness_of
from ksame.render.telling import unclipped, unmasked
from ksame.vision.images import halved, halvings
from ksame.vision.landmarks import Landmarks
from ksame.vision.parts import CLOTHES, FACE_SKIN, HAIR, THINGS, Parts

_GREY = 3  # levels between channels that a grey photo's JPEG may show
_GREYEST = 0.01  # of its pixels that may show more
_TONED = 4.0  # levels by which the channels of a toned print leave one curve
_DARKEST = 96.0  # grey levels: a black lighter than this is a bright scene, no haze
# right cheek, left cheek, forehead above the brows
_PATCHES = (
    (117, 118, 101, 36, 205, 187, 123),
    (346, 347, 330, 266, 425, 411, 352),
    (108, 151, 337, 336, 9, 107),
)
_LARGEST_PATCH = 128  # px; noise needs no more
_COVERED = 0.6  # of the cheeks and the chin: what hides more of them is a mask
_SURE = 0.75  # of skin's score
_FEW_SEEN = 0.15  # of the skin above a mask: with less the network sees no face, and it is believed
_FEWEST = 20.0  # texels that tell the light
_TOLD = 0.15  # of the skin that must be bare before parts are believed
_SEEN = 0.25  # cosine below which a texel is seen too slantwise to tell its light


def measure(
    model: FaceModel,
    rgb: Image,
    landmarks: Landmarks,
    identity: Floats32,
    rng: np.random.Generator | None = None,
    parts: Parts | None = None,
) -> FaceNumbers:
    """The numbers with which ``identity`` takes a person's place.

    ``rng`` adds the secret jitter of size and place: see ``ksame.render.numbers.steps``. ``parts``
    tell skin from what lies in front of it; without them its colours must.
    """
    body = anatomy(model)
    points = landmarks.points
    expression = steps(read_expression(model, landmarks, identity), EXPRESSION_STEP)
    blank = FaceNumbers(
        (0,) * 9, expression, (0,) * sum(LIGHT_SIZES), (0,) * OUTLINE_SIZE, 0, 0, (0,) * 3,
        "colour",
    )  # fmt: skip
    weights = blank.expression_weights.astype(np.float32)
    shape = model.shape(identity, weights)
    at = _with(blank, pose=fit_pose(shape, points, rng))
    outline = fit_outline(posed(model, shape, at), points, at.scale, body)
    at = _with(at, outline=outline)
    view, offset, factor = around(rgb, points)
    colour = colour_of(view)
    black = black_of(view)
    at = _with(at, black=black, colour=colour)
    texture = texture_of(model, identity, weights)
    where = texels(points, body)
    bare, masked = (None, False) if parts is None else _bare(parts.at(where), body)
    at_view = ((where - offset + 0.5) / factor - 0.5).astype(np.float32)
    seen = Seen.of(view, at_view, bare, masked)
    logs = light_of(seen, texture, shape, at, body, still=True)
    return _with(
        at,
        light=steps(coarse_light(logs), LIGHT_STEP),
        blur=blur_of(softness_of(rgb, points), at.scale),
        grain=grain_of(rgb, points),
    )


def texels(points: Floats, body: Anatomy) -> Floats32:
    """Where a person's (478, 2) landmarks lay the grid of texels, as (g, g, 2)."""
    mesh = np.vstack([points, np.zeros((len(body.outward) - POINTS, 2))])
    return grid_values(mesh.astype(np.float32), body)


def _with(numbers: FaceNumbers, **changed: object) -> FaceNumbers:
    return FaceNumbers(**{**numbers.__dict__, **changed})


def around(rgb: Image, points: Floats) -> tuple[Image, Floats, int]:
    """The face's surroundings, shrunk to about two pixels a texel; their corner and the factor."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.3 * (high - low)
    limit = np.array([rgb.shape[1], rgb.shape[0]])
    x0, y0 = np.clip(np.floor(low - margin).astype(int), 0, limit - 1)
    x1, y1 = np.clip(np.ceil(high + margin).astype(int) + 1, (x0 + 1, y0 + 1), limit)
    times = halvings(float((high - low).max()) / GRID)
    return halved(rgb[y0:y1, x0:x1], times), np.array([x0, y0], np.float64), 2**times


def colour_of(view: Image) -> str:
    """Whether the photo is coloured, toned or grey, by the face's surroundings."""
    red, green, blue = (np.ascontiguousarray(view[..., i]).ravel() for i in range(3))
    if all(_coloured(channel, green) <= _GREYEST for channel in (red, blue)):
        return "grey"
    rest = max(_off_curve(channel, green) for channel in (red, blue))
    return "toned" if rest < _TONED else "colour"


def _coloured(channel: Image, green: Image) -> float:
    """The share of pixels (n,) in which a channel is further from green than a grey photo's."""
    return float(np.count_nonzero(cv2.absdiff(channel, green) > _GREY)) / len(green)


def _off_curve(channel: Image, green: Image) -> float:
    """How far, in levels, pixels (n,) lie off the curve of second order that fits them best.

    Pixels of one level of green count together: 256 levels instead of all pixels.
    """
    count = np.bincount(green, minlength=256).astype(np.float64)
    total = np.bincount(green, channel, 256)
    squares = float(np.square(channel, dtype=np.float64).sum())
    seen = np.flatnonzero(count)
    if len(seen) < 2:
        return 0.0
    powers = ((seen - seen[0]) / np.ptp(seen) * 2 - 1)[:, None] ** np.arange(3)
    weight = np.sqrt(count[seen])
    terms, wanted = powers * weight[:, None], total[seen] / weight
    curve = powers @ np.linalg.lstsq(terms, wanted, rcond=None)[0]
    rest = squares - 2 * float(curve @ total[seen]) + float(curve**2 @ count[seen])
    return float(np.sqrt(max(rest / len(green), 0.0)))


def black_of(view: Image) -> int:
    """The photo's black around the face: its darkest hundredth in the darkest channel."""
    darkest = float(
        np.percentile(np.minimum(np.minimum(view[..., 0], view[..., 1]), view[..., 2]), 1)
    )
    return steps(rested_black(0.8 * darkest if darkest < _DARKEST else 0.0), BLACK_STEP)[0]


def _bare(scores: Floats32, body: Anatomy) -> tuple[Floats32, bool]:
    """How surely each texel is bare skin, and whether the face is masked.

    Above a mask there is skin, though a network that sees hardly any of a face may not see it.
    """
    mask = scores[..., THINGS] + scores[..., CLOTHES]
    lower = body.skin * (1 - body.brow)
    masked = float((mask * lower).sum()) > _COVERED * float(lower.sum())
    skin: Floats32 = scores[..., FACE_SKIN]
    above = body.skin * body.brow
    unseen = float((above * (skin > _SURE)).sum()) < _FEW_SEEN * float(above.sum())
    return (np.maximum(skin, body.brow - scores[..., HAIR]) if masked and unseen else skin), masked


@dataclass(frozen=True)
class Seen:
    """A face on the grid of texels, which of them are in the picture, and how surely bare skin.

    Of a ``masked`` face only what lies above the mask tells the light.
    """

    colours: Image
    inside: Bools
    bare: Floats32 | None
    masked: bool = False

    @classmethod
    def of(
        cls, view: Image, where: Floats32, bare: Floats32 | None = None, masked: bool = False
    ) -> "Seen":
        """A face through the person's own mesh; ``where`` are its texels' places in the view."""
        seen = cv2.remap(view, where, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        inside = np.asarray((where >= 0) & (where <= (view.shape[1] - 1, view.shape[0] - 1)))
        return cls(seen, np.asarray(inside.all(axis=2), bool), bare, masked)


def light_of(
    seen_at: Seen,
    texture: Image,
    shape: Floats32,
    at: FaceNumbers,
    body: Anatomy,
    still: bool = False,
) -> Floats:
    """The fourteen logarithms of the light on bare skin, of a ``still`` picture at rest."""
    seen, inside = seen_at.colours, seen_at.inside
    unit = light.normals(shape, body, at.matrix)
    black = at.black * BLACK_STEP
    photo = np.maximum((seen.astype(np.float64) - black) * (255 / (255 - black)), 2.0)
    small = cv2.resize(texture, (GRID, GRID), interpolation=cv2.INTER_AREA).astype(np.float64)
    if at.colour != "colour":
        small = np.repeat((small @ [0.299, 0.587, 0.114])[..., None], 3, axis=2)
    values = grid_values(light.functions(unit, shape).astype(np.float32), body)
    facing = -grid_values(unit.astype(np.float32), body)[..., 2]
    weight = body.skin * np.clip((facing - _SEEN) / 0.3, 0, 1) * inside
    weight = weight * unclipped(seen, weight) * (seen.max(axis=2) > 6)
    if weight.sum() < _FEWEST:  # a face in the dark or in glare: take all there is
        weight = body.skin * inside + 1e-6
    sure = weight * (0.0 if seen_at.bare is None else np.clip(2 * seen_at.bare - 1, 0, 1))
    told = float(sure.sum()) > max(_TOLD * float(weight.sum()), _FEWEST)
    if told:
        weight = sure
    used = weight.ravel() > 0
    ratio = np.log(photo / np.maximum(small, 2.0)).reshape(-1, 3)
    if not told:
        weight = weight * unmasked(np.log(np.maximum(seen, 4.0)), weight, body)
    prior = weight * (0.15 + body.middle)
    rows = values.reshape(-1, values.shape[2])[used].astype(np.float64)
    trust = weight.ravel()[used]
    logs = light.fit_light(rows, ratio[used], trust, prior.ravel()[used], seen_at.masked)
    return rested_light(logs, trust @ rows / trust.sum()) if still else logs


def grain_of(rgb: Image, points: Floats) -> tuple[int, ...]:
    """The grain of the smoothest patch of skin: a mask's weave or a lock of hair is none."""
    found = [measure_grain(*patch) for patch in _patches(rgb, points)]
    return tuple(min(many) for many in zip(*found, strict=True)) if found else (0, 0, 0)


def _patches(rgb: Image, points: Floats) -> list[tuple[Floats32, Floats32]]:
    """Patches of the face's skin at the photo's resolution, and where in them skin lies."""
    patches = []
    for corners in _PATCHES:
        polygon = points[list(corners)]
        low = np.maximum(np.floor(polygon.min(axis=0)).astype(int) - 3, 0)
        high = np.minimum(np.ceil(polygon.max(axis=0)).astype(int) + 4, low + _LARGEST_PATCH)
        part = rgb[low[1] : max(high[1], 0), low[0] : max(high[0], 0)]
        if min(part.shape[:2]) < 6:
            continue
        mask = np.zeros(part.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, cv2.convexHull(np.round(polygon - low).astype(np.int32)), 1)
        patches.append((part.astype(np.float32), mask.astype(np.float32)))
    return patches
