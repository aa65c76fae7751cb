"""Lay layers of a frame over a photo, and take heads out of it."""

from functools import lru_cache
from typing import Final, TypeVar, cast

import cv2
import numpy as np
import numpy.typing as npt

from ksame import geometry
from ksame.arrays import Bools, Floats, Floats32, Image
from ksame.composite import frame
from ksame.composite.behind import head_to_remove, shoulder_line, surroundings, with_region
from ksame.composite.blend import smoothstep
from ksame.composite.frame import HEAD, SCENE
from ksame.composite.grain import strew_grain
from ksame.composite.layers import premultiplied
from ksame.composite.matte import depth_below_jaw
from ksame.composite.necks import Neck, surplus_neck
from ksame.composite.portrait import Portrait
from ksame.composite.surrogate import Look

_SHRUNK: Final = 1.5  # times smaller than the frame: from there on pixels are averaged,
_BLUR: Final = 0.35  # by a Gaussian of so many of the photo's pixels
_FEATHER: Final = 1.2  # pixels of the scene frame, outwards
_RING: Final = 24  # pixels of the scene frame around a fill that tell the photo's grain
_OUT, _IN = 6, 2  # pixels of the head frame over which a neck's edge fades, outwards and inwards
_GAINS: Final = (0.4, 2.5)  # of skin colours
_UNDER_CHIN: Final = (
    0.3,
    1.5,
)  # eye distances below the jaw: from the neck's colour to the cheeks'
_AROUND_NECK: Final = 12  # pixels of the scene frame, in which what is smoothed runs out
_TINT_ENDS: Final = (2.2, 3.2)  # eye distances below the jaw
_DARKEST: Final = 4.0  # grey levels that are divided by
_OFF_CHEEKS: Final = (0.6, 1.6)  # times the gain of the cheeks: a neck changes by no other
_SURELY_NECK, _SEEN = 200, 120  # of 255
_ENOUGH: Final = 200  # pixels of neck that tell its colour
Layer = TypeVar("Layer", Image, Floats32)


def lay(photo: Image, layer: Image, to_frame: Floats) -> Image:
    """Lay a premultiplied RGBA layer of a frame over the photo, in place.

    Returns the layer's alpha as it lies on the part of the photo under it.
    """
    part, warped = _placed(photo, layer, layer[..., 3], to_frame)
    alpha = cv2.extractChannel(warped, 3)
    rest = cv2.multiply(part, cv2.cvtColor(255 - alpha, cv2.COLOR_GRAY2RGB), scale=1 / 255)
    part[:] = cv2.add(rest, cv2.cvtColor(warped, cv2.COLOR_RGBA2RGB))
    return cast(Image, alpha)


def _placed(
    photo: Image, layer: Layer, alpha: npt.NDArray[np.generic], to_frame: Floats
) -> tuple[Image, Layer]:
    """The part of the photo that a layer touches (a view), and the layer as it lies there."""
    to_photo = geometry.inverse(to_frame)
    part, offset = frame.part_under(photo, to_photo, frame.bounding_box(alpha))
    to_photo[:, 2] -= offset
    shrink = 1 / geometry.scale(to_photo)
    if shrink > _SHRUNK:  # fewer pixels than the frame has: average, do not skip
        layer = cast(Layer, cv2.GaussianBlur(layer, (0, 0), _BLUR * shrink))
    size = (part.shape[1], part.shape[0])
    return part, cast(Layer, cv2.warpAffine(layer, to_photo, size, flags=cv2.INTER_LINEAR))


def remove(
    photo: Image,
    original: Image,
    portrait: Portrait,
    look: Look,
    own: Neck,
    region: Image | None = None,
    seed: int = 0,
) -> None:
    """Fill the place of a head from its surroundings, in place; ``look`` will be laid over it.

    ``own`` is the neck that the photo shows, ``region`` what the group removes together, and
    ``seed`` decides where the photo's grain goes on what is filled.
    """
    mask = head_to_remove(portrait)
    if region is not None:
        mask = with_region(mask, region, portrait)
    view = frame.view_of(original, portrait.to_scene, SCENE)
    inside = frame.covered_by_photo(original.shape, portrait.to_scene, SCENE)
    line = shoulder_line(inside & (mask <= 0), portrait, own, Neck.of_look(look))
    mask = np.maximum(mask, surplus_neck(line, own, portrait.maps[..., 2]))
    seen = inside & (mask <= 0)
    # the feather lies outside the mask, never inside
    alpha = np.clip(cv2.GaussianBlur(mask, (0, 0), _FEATHER) * 2, 0, 1)
    shown = (alpha > 0) & ~_covered(look)
    filled = surroundings(view, seen, shown, portrait, line, own)
    layer = premultiplied(filled, alpha)
    laid = lay(photo, layer, portrait.to_scene)
    _grain(photo, original, laid, frame.bounding_box(layer[..., 3]), portrait.to_scene, seed)


def _grain(
    photo: Image,
    original: Image,
    laid: Image,
    box: tuple[int, int, int, int],
    to_scene: Floats,
    seed: int,
) -> None:
    """The photo's grain on what was filled; a frame of the photo around it tells what it is.

    ``laid`` is how much of each pixel is fill, 0 to 255, under the ``box`` of the scene frame.
    """
    x0, y0, x1, y1 = box
    if x1 <= x0:
        return
    around = (
        max(x0 - _RING, 0),
        max(y0 - _RING, 0),
        min(x1 + _RING, SCENE.width),
        min(y1 + _RING, SCENE.height),
    )
    to_photo = geometry.inverse(to_scene)
    part, first = frame.part_under(photo, to_photo, around)
    before, _ = frame.part_under(original, to_photo, around)
    _, start = frame.part_under(photo, to_photo, box)
    x, y = (start - first).astype(int)
    filled = np.zeros(part.shape[:2], np.uint8)
    filled[y : y + laid.shape[0], x : x + laid.shape[1]] = laid
    inside = np.zeros(part.shape[:2], np.uint8)
    corners = geometry.apply(to_photo, geometry.corners(around)) - first
    cv2.fillConvexPoly(inside, np.round(corners).astype(np.int32), 1)
    strew_grain(part, before, filled, (filled == 0) & (inside > 0), seed)


@lru_cache(maxsize=8)  # photos of a group follow one another
def _covered(look: Look) -> Bools:
    """Where the scene frame will show nothing but the surrogate's head."""
    solid = look.solid.view(np.uint8) * np.uint8(255)
    small = cv2.warpAffine(solid, SCENE.from_head(), SCENE.size, flags=cv2.INTER_LINEAR)
    covered: Bools = cv2.erode(small, np.ones((3, 3), np.uint8)) == 255
    return covered


def fitted(look: Look, own: Neck) -> Image:
    """The surrogate's head layer, its neck no wider than the photo's own.

    Only the neck depends on the photo; the head is the same for everyone.
    """
    back = geometry.inverse(SCENE.from_head())
    left, right = (back[0, 0] * x + back[0, 2] for x in (own.left, own.right))
    x = np.arange(HEAD.width, dtype=np.float32)[None, :]
    between = smoothstep(x, left - _OUT, left + _IN) * (
        1 - smoothstep(x, right - _IN, right + _OUT)
    )
    rows = np.flatnonzero(look.neck.any(axis=1))
    layer = look.head.copy()
    if len(rows):
        low = slice(rows[0], rows[-1] + 1)
        kept = 1 - look.neck[low] * np.float32(1 / 255) * (1 - between)
        layer[low] = cv2.multiply(layer[low], cv2.merge((kept,) * 4), dtype=cv2.CV_8U)
    return layer


def tint(photo: Image, portrait: Portrait, look: Look) -> None:
    """Give the neck below a surrogate the surrogate's skin colour, in place.

    The surrogate's own pixels are the same for all people of its group, so that the neck must
    follow the head and not the other way round. Under the chin it takes the colour of the
    surrogate's neck, further down it changes as the cheeks do.
    """
    points = geometry.apply(SCENE.from_head(), portrait.points)
    x0, y0, x1, y1 = frame.bounding_box(portrait.maps[..., 2])
    left, top = max(x0 - _AROUND_NECK, 0), max(y0 - _AROUND_NECK, 0)
    near = np.s_[top : y1 + _AROUND_NECK, left : x1 + _AROUND_NECK]
    depth = depth_below_jaw(points, SCENE)[near]
    neck = portrait.maps[..., 2][near] * np.float32(1 / 255)
    cheeks = np.clip(look.tone / portrait.tone, *_GAINS)
    under = _neck_gain(portrait, look, cheeks)
    down = smoothstep(depth, *_UNDER_CHIN)
    where = neck * (1 - smoothstep(depth, *_TINT_ENDS))
    gains = zip(under, cheeks, strict=True)
    change = cv2.merge([where * (float(a - 1) + float(b - a) * down) for a, b in gains])
    to_near = portrait.to_scene
    to_near[:, 2] -= (left, top)
    part, weight = _placed(photo, change, neck, to_near)
    weight += 1
    part[:] = cv2.multiply(part, weight, dtype=cv2.CV_8U)


def _neck_gain(portrait: Portrait, look: Look, cheeks: Floats) -> Floats:
    """From the photo's neck to the surrogate's; as the cheeks' where one of them is hidden."""
    theirs = _throat(look)
    if theirs is None or np.isnan(portrait.throat).any():
        return cheeks
    gain = theirs / np.maximum(portrait.throat, _DARKEST)
    limited: Floats = np.clip(gain, cheeks * _OFF_CHEEKS[0], cheeks * _OFF_CHEEKS[1])
    return limited


@lru_cache(maxsize=8)
def _throat(look: Look) -> Floats | None:
    """The mean colour of a surrogate's neck, if enough of it is to be seen."""
    shown = (look.neck > _SURELY_NECK) & (look.head[..., 3] > _SEEN)
    if shown.sum() < _ENOUGH:
        return None
    *colour, alpha = cv2.mean(look.head, shown.view(np.uint8))
    return np.array(colour) / alpha * 255
