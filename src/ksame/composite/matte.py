"""What of a frame is head, what is neck and what is neither.

The person mask of the segmentation model tells people from background. Below the jaw that is not
enough: hair on the shoulders belongs to the head and clothes do not. Colour decides there.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import cv2
import numpy as np

from ksame.arrays import Bools, Floats, Floats32, Image
from ksame.composite.frame import BETWEEN_EYES, OUTLINE, UNDER_LIP, HeadFrame
from ksame.composite.hair_colour import hair_and_skin
from ksame.composite.masks import hull

JAW_SIDES: Final = (58, 288)  # landmarks where the jaw turns up to the ears
_HEAD_SIZE: Final = (1.6, 1.75)  # of the face's width and height: bald heads and ears end there
_SURELY_HEAD: Final = 0.8  # of that ellipse
_FURTHEST: Final = 1.7  # of that ellipse: hair further out is somebody else's
_JAW: Final = 1.1  # of the face's outline: beside the jaw a collar can stand
_TRUST: Final = 1.5  # times the share of hair: two thirds are enough to be sure
_HAIR_RADIUS, _HAIR_EDGE = 1 / 10, 2e-4  # guided filter: eye distances, squared contrast
_NECK_RADIUS, _NECK_EDGE = 1 / 12, 1e-3
_DOUBT, _SURE = 0.15, 0.8  # the segmentation model is unsure by a little everywhere
_SOLID: Final = 0.45  # of hair: enough to hold two parts together
_CONTRAST, _HAZE = 1.6, 0.3  # hair below a fifth is haze; from four fifths on it is solid


@dataclass(frozen=True)
class Maps:
    """Soft masks of a frame, (height, width) float32 in 0 to 1.

    Attributes
    ----------
    person : array
        Anybody, as the segmentation model sees it.
    head : array
        Face, ears and hair, hair on the shoulders too; not the neck.
    neck : array
        Bare skin below the jaw.
    hair : array
        What has the colour of the hair, wherever it is.
    """

    person: Floats32 = field(repr=False)
    head: Floats32 = field(repr=False)
    neck: Floats32 = field(repr=False)
    hair: Floats32 = field(repr=False)


def find_maps(
    view: Image, person: Floats32, points: Floats, frame: HeadFrame, seen: Bools | None = None
) -> Maps:
    """Split a frame's view of a photo into head, neck and the rest.

    ``points`` lie in that frame; ``seen`` says which of its pixels the photo covers.
    """
    face = hull(points, 1.0, frame)
    person = np.maximum(person.astype(np.float32), face)
    below = depth_below_jaw(points, frame) > 0
    reach = _reach(points, frame)
    known = person if seen is None else person * seen
    hair, skin = hair_and_skin(view, known, points, frame, reach)
    # far from the face only hair belongs to the head: an arm or a neighbour does not
    above = np.where(reach < 1.0, 1.0, np.clip(_TRUST * hair, 0, 1) * (reach < _FURTHEST))
    # beside the jaw a collar can stand as high as hair hangs down
    collar = np.arange(frame.height)[:, None] > points[UNDER_LIP, 1]
    collar = collar & (hull(points, _JAW, frame) == 0)
    own = np.clip(_TRUST * np.maximum(hair, skin), 0, 1)
    above = np.where(collar, np.minimum(above, own), above)
    above = cv2.GaussianBlur(above.astype(np.float32), (0, 0), 1.5)
    hanging = _attached(hair * person, (reach < _SURELY_HEAD) & ~below, points)
    head = np.where(below, hanging, above).astype(np.float32)
    guide = cv2.cvtColor(view, cv2.COLOR_RGB2GRAY).astype(np.float32) / 255
    matte = guided(guide, person * head, round(_HAIR_RADIUS * frame.eyes), _HAIR_EDGE)
    matte = np.clip((matte - _DOUBT) / _SURE, 0, 1)
    neck = guided(guide, person * skin * below, round(_NECK_RADIUS * frame.eyes), _NECK_EDGE)
    return Maps(person=person, head=np.maximum(matte, face), neck=neck, hair=hair)


def guided(guide: Floats32, mask: Floats32, radius: int, eps: float) -> Floats32:
    """The guided filter of He et al. (2010): a soft mask that follows the edges of ``guide``.

    Its coefficients are found on copies of half the size (He & Sun 2015) and applied to the whole.
    """
    half = (guide.shape[1] // 2, guide.shape[0] // 2)
    small, wanted = (cv2.resize(part, half, interpolation=cv2.INTER_AREA) for part in (guide, mask))
    side = (2 * (radius // 2) + 1, 2 * (radius // 2) + 1)
    mean_g, mean_m = cv2.blur(small, side), cv2.blur(wanted, side)
    cov = cv2.blur(small * wanted, side) - mean_g * mean_m
    var = cv2.blur(small * small, side) - mean_g * mean_g
    a = cov / (var + eps)
    b = mean_m - a * mean_g
    size = (guide.shape[1], guide.shape[0])
    a, b = (cv2.resize(cv2.blur(part, side), size) for part in (a, b))
    filtered: Floats32 = np.clip(a * guide + b, 0, 1)
    return filtered


def depth_below_jaw(points: Floats, frame: HeadFrame) -> Floats32:
    """How far each pixel lies below the jaw line, in eye distances; level beside the jaw.

    Read-only: several masks of one face follow one another.
    """
    return _depth_below_jaw(points.astype(np.float64).tobytes(), frame)


@lru_cache(maxsize=4)
def _depth_below_jaw(mesh: bytes, frame: HeadFrame) -> Floats32:
    points = np.frombuffer(mesh).reshape(-1, 2)
    jaw = points[list(OUTLINE)]
    limit = points[list(JAW_SIDES), 1].mean()
    lower = jaw[jaw[:, 1] >= limit - 1e-9]
    lower = lower[np.argsort(lower[:, 0])]
    curve = np.interp(np.arange(frame.width), lower[:, 0], lower[:, 1], limit, limit)
    rows = np.arange(frame.height, dtype=np.float32)[:, None]
    depth: Floats32 = (rows - curve[None, :].astype(np.float32)) * np.float32(1 / frame.eyes)
    depth.flags.writeable = False
    return depth


def _reach(points: Floats, frame: HeadFrame) -> Floats32:
    """Distance from the face's centre, 1 where bald heads and ears have ended."""
    outline = points[list(OUTLINE)]
    low, high = outline.min(axis=0), outline.max(axis=0)
    half = np.array([0.5, 0.5]) * (high - low) * _HEAD_SIZE
    x = (np.arange(frame.width) - (low[0] + high[0]) / 2) / half[0]
    y = (np.arange(frame.height) - (low[1] + high[1]) / 2) / half[1]
    squares = np.square(x, dtype=np.float32)[None, :] + np.square(y, dtype=np.float32)[:, None]
    distance: Floats32 = np.sqrt(squares)
    return distance


def _attached(hair: Floats32, face: Bools, points: Floats) -> Floats32:
    """Only the hair that hangs together with the head above.

    The face and the hair that comes down from beside it: shoulders reach up to the neck alone.
    """
    solid = ((hair > _SOLID) | face).astype(np.uint8)
    solid = cv2.morphologyEx(solid, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    _, labels = cv2.connectedComponents(solid)
    x, y = np.clip(points[BETWEEN_EYES].astype(int), 0, np.array(hair.shape)[::-1] - 1)
    near = cv2.GaussianBlur((labels == labels[y, x]).astype(np.float32), (0, 0), 2.0)
    kept: Floats32 = np.clip(_CONTRAST * hair - _HAZE, 0, 1) * np.clip(near * 2, 0, 1)
    return kept
