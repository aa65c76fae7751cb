"""Render a face of the model from its numbers: no photo is read here."""

from dataclasses import dataclass

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32, Image
from ksame.render import light, raster
from ksame.render.anatomy import (
    GRID,
    LOWER,
    OUTLINE,
    UPPER,
    Anatomy,
    FaceModel,
    anatomy,
    texture_of,
)
from ksame.render.grain import add_grain
from ksame.render.numbers import BLACK_STEP, SHARPEN_STEP, FaceNumbers
from ksame.render.posing import posed, rotation
from ksame.render.seams import soften_seams
from ksame.render.worn import folds, worn

# of the face's half width, at the forehead and below the eyes; outwards, because inwards would let
# the person's rim through
FEATHER = (0.2, 0.1)
_EDGE_OF_BLUR = 3.0  # widths (sigma) of a photo's blur that an edge in it takes
UPPER_CORE, LOWER_CORE = 2, 1
_UNITS = 2.3  # units that a texture's side shows
_FINER = 0.6  # of the texture's pixels that a photo's pixels may be, before it is shrunk
_SHARPENED = 0.011  # units: about two of the texture's pixels
_BRIGHT = 205  # grey level above which brightness is compressed, as cameras do
_COARSE = 176  # px: a finer mesh than this is laid coarsely and its places are enlarged
_FINE = 96  # px: a smaller face is laid over finer pixels, which are averaged
_WEIGHTS = np.array([0.299, 0.587, 0.114], np.float32)


@dataclass(frozen=True)
class Rendered:
    """A face as it goes into a photo.

    Attributes
    ----------
    box : tuple of 4 int
        ``xyxy`` in photo pixels, inside of the photo; empty where the face lies outside.
    colour : (h, w, 3) uint8 array
    alpha : (h, w) uint8 array
        255 where nothing of the photo remains.
    bare : (h, w, 3) float32 array
        The same face without features, at a lower resolution: what bare skin would look like.
    core : (h, w) uint8 array
        At that resolution: ``UPPER_CORE`` on brows and eyes, ``LOWER_CORE`` on nose and mouth.
    worn : (h, w) uint8 array
        At that resolution: where a mask and glasses would be (``ksame.render.worn``).
    folds : (h, w) float32 array
        At that resolution: how bright a mask would be beside its mean.
    """

    box: tuple[int, int, int, int]
    colour: Image
    alpha: Image
    bare: Floats32
    core: Image
    worn: Image
    folds: Floats32


def render(
    model: FaceModel, identity: Floats32, numbers: FaceNumbers, size: tuple[int, int]
) -> Rendered:
    """Render a face for a photo of ``size`` (width, height).

    A pure function of its arguments: the same model, identity and numbers give the same pixels,
    whatever the photo shows.
    """
    body = anatomy(model)
    weights = numbers.expression_weights.astype(np.float32)
    shape = model.shape(identity, weights)
    placed = posed(model, shape, numbers)
    outline = placed[list(OUTLINE)]
    half = float(np.ptp(outline, axis=0).mean()) / 2
    box = _box(placed, half, size)
    width, height = box[2] - box[0], box[3] - box[1]
    if width <= 0 or height <= 0:
        return _nothing()
    step = _raster_step(2 * half)
    coarse = max(round(width / step), 1), max(round(height / step), 1)
    fit = np.array([coarse[0] / width, coarse[1] / height])
    # pixel centres: p of the raster lies at (p + 1/2) / fit - 1/2 of the box
    local = (placed - box[:2] + 0.5) * fit - 0.5
    depth = shape.astype(np.float64) @ rotation(numbers.matrix)[2]
    laid = raster.lay(local, depth, model.places, body, coarse)
    feathers = _feathers(half, numbers.sigma) * float(fit.mean())
    unit = light.normals(shape, body, numbers.matrix)
    alpha = raster.region(local, laid.face, raster.widths_seen(unit), feathers)
    finer = max(coarse[0] / width, 1.0)
    side = _texture_side(numbers.scale * _UNITS * finer, model.side)
    lit, bare = _lit(model, identity, numbers, light.functions(unit, shape), body, side)
    colour = _sampled(lit, laid, model.side / side, (width, height))
    soften_seams(colour, placed - box[:2], step)
    _finish(colour, numbers)
    opaque = np.round(255 * _sized(alpha, (width, height))).astype(np.uint8)
    skin = cv2.remap(
        bare,
        (laid.skin + np.float32(0.5)) * np.float32(GRID / model.side) - np.float32(0.5),
        None,
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    folded = _looked_at(folds(model.side), laid.skin, 1.0)
    if numbers.sigma:
        folded = cv2.GaussianBlur(folded, (0, 0), numbers.sigma * float(fit.mean()))
    return Rendered(
        box,
        _whole(colour, numbers),
        opaque,
        skin,
        _core(local, coarse),
        worn(local, coarse),
        folded,
    )


def _feathers(half: float, sigma: float) -> Floats:
    """The feather's widths in photo pixels: a face in a blurred photo has no sharp edge."""
    own = np.array(FEATHER) * half
    wide: Floats = np.clip(_EDGE_OF_BLUR * sigma, own, max(FEATHER) * half)
    return wide


def _box(placed: Floats, half: float, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """The part of the photo that a face with its feather may change."""
    outline = placed[list(OUTLINE)]
    margin = (max(raster.FOREHEAD, raster.JAW) - 1 + max(FEATHER)) * 1.5 * half + 3
    face = placed[:478]
    low = np.floor(np.minimum(outline.min(axis=0), face.min(axis=0)) - margin)
    high = np.ceil(np.maximum(outline.max(axis=0), face.max(axis=0)) + margin) + 1
    x0, y0 = np.clip(low, 0, size).astype(int).tolist()
    x1, y1 = np.clip(high, 0, size).astype(int).tolist()
    return x0, y0, x1, y1


def _nothing() -> Rendered:
    empty = np.zeros((0, 0, 3), np.uint8)
    light, dark = empty.astype(np.float32), empty[..., 0]
    return Rendered((0, 0, 0, 0), empty, dark, light, dark, dark, light[..., 0])


def _raster_step(side: float) -> float:
    """Photo pixels per pixel of the raster that the mesh is laid over."""
    if side > _COARSE:
        return side / _COARSE
    return 1.0 / np.ceil(_FINE / max(side, 12.0)) if side < _FINE else 1.0


def _texture_side(shown: float, side: int) -> int:
    """The texture's side, halved while it is finer than the pixels that show it."""
    while shown < _FINER * side and side > 32:
        side //= 2
    return side


def _lit(
    model: FaceModel,
    identity: Floats32,
    numbers: FaceNumbers,
    values: Floats,
    body: Anatomy,
    side: int,
) -> tuple[Floats32, Floats32]:
    """The texture in the photo's light, and bare skin in that light on the coarse grid."""
    texture = texture_of(model, identity, numbers.expression_weights.astype(np.float32))
    small = cv2.resize(texture, (GRID, GRID), interpolation=cv2.INTER_AREA).astype(np.float32)
    if side < model.side:
        texture = cv2.resize(texture, (side, side), interpolation=cv2.INTER_AREA)
    albedo = texture.astype(np.float32)
    if numbers.colour != "colour":
        albedo, small = (
            np.repeat((colours @ _WEIGHTS)[..., None], 3, axis=2) for colours in (albedo, small)
        )
    gain = grid_values(light.gains(numbers, values).astype(np.float32), body)
    _fade_rim(albedo, small, body)
    skin = np.median(small[body.skin > 0], axis=0)
    albedo *= cv2.resize(gain, (side, side), interpolation=cv2.INTER_LINEAR)
    return _faded(albedo, numbers), _faded(gain * skin, numbers)


def _fade_rim(albedo: Floats32, small: Floats32, body: Anatomy) -> None:
    """Let the inner skin's colours go on at the rim, in place; ``small`` is the texture's copy.

    What lies at a model's rim is a mean of hair lines and ears: no skin of this face.
    """
    inner = body.inner
    spread = cv2.GaussianBlur(cv2.merge([*cv2.split(small * inner[..., None]), inner]), (0, 0), 4.0)
    plain = spread[..., :3] / np.maximum(spread[..., 3:], 1e-4)
    far = spread[..., 3] < 1e-3  # too far out to be shown
    plain[far] = (small * inner[..., None]).sum(axis=(0, 1)) / inner.sum()
    size = albedo.shape[1::-1]
    share = cv2.resize(body.rim, size, interpolation=cv2.INTER_LINEAR)
    change = cv2.resize(plain, size, interpolation=cv2.INTER_LINEAR) - albedo
    albedo += cv2.multiply(change, cv2.merge((share,) * 3))


def grid_values(values: Floats32, body: Anatomy) -> Floats32:
    """Values at the mesh's points (n, c), spread over the grid of texels (g, g, c)."""
    over = np.einsum("mk,mkc->mc", body.texel_weights, values[body.texel_corners])
    grid: Floats32 = over.reshape(GRID, GRID, -1).astype(np.float32)
    return grid


def _faded(colour: Floats32, numbers: FaceNumbers) -> Floats32:
    """Colours above the photo's black, and below its white: what is bright is not burnt out."""
    black = np.float32(numbers.black * BLACK_STEP)
    faded: Floats32 = black + colour * ((255 - black) / np.float32(255))
    room = np.float32(255 - _BRIGHT)
    over = np.maximum(faded - np.float32(_BRIGHT), 0)
    faded -= over * over / (over + 2 * room)
    return faded


def _sampled(
    texture: Floats32, laid: raster.Laid, shrink: float, size: tuple[int, int]
) -> Floats32:
    """The texture's colours at the raster's places, at the photo's resolution.

    ``shrink`` is how many times smaller the texture is than the model's own.
    """
    colour = _remapped(texture, laid.skin, shrink, size)
    if laid.open.any():
        share = _sized(laid.open, (colour.shape[1], colour.shape[0]))
        # eyes and mouth alone: the rest shows skin
        y, x = (np.flatnonzero(share.any(axis=axis)) for axis in (1, 0))
        part = slice(y[0], y[-1] + 1), slice(x[0], x[-1] + 1)
        places = (
            laid.behind
            if laid.behind.shape[:2] == share.shape
            else _sized(laid.behind, (share.shape[1], share.shape[0]))
        )
        behind = _looked_at(texture, places[part], shrink)
        colour[part] += (behind - colour[part]) * share[part][..., None]
    return _sized(colour, size)


def _remapped(
    texture: Floats32, places: Floats32, shrink: float, size: tuple[int, int]
) -> Floats32:
    """Colours at places, at the larger of the raster's and the photo's resolution."""
    if places.shape[1] < size[0]:
        places = _sized(places, size)
    return _looked_at(texture, places, shrink)


def _looked_at(texture: Floats32, places: Floats32, shrink: float) -> Floats32:
    """The texture's colours at places of the model's own texture."""
    local = (places + np.float32(0.5)) / np.float32(shrink) - np.float32(0.5)
    colour: Floats32 = cv2.remap(
        texture, local, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return colour


def _sized(values: Floats32, size: tuple[int, int]) -> Floats32:
    """A raster brought to a size; averaged where it shrinks."""
    if (values.shape[1], values.shape[0]) == size:
        return values
    way = cv2.INTER_AREA if values.shape[1] > size[0] else cv2.INTER_LINEAR
    sized: Floats32 = cv2.resize(values, size, interpolation=way)
    return sized


def _finish(colour: Floats32, numbers: FaceNumbers) -> None:
    """The photo's blur and grain, in place."""
    if numbers.sigma:
        cv2.GaussianBlur(colour, (0, 0), numbers.sigma, dst=colour)
    elif numbers.blur < 0:
        wide = cv2.GaussianBlur(colour, (0, 0), max(_SHARPENED * numbers.scale, 0.7))
        colour += (colour - wide) * np.float32(-numbers.blur * SHARPEN_STEP)
    add_grain(colour, numbers)


def _whole(colour: Floats32, numbers: FaceNumbers) -> Image:
    if numbers.colour == "grey":
        colour = np.repeat((colour @ _WEIGHTS)[..., None], 3, axis=2)
    return np.clip(np.round(colour), 0, 255).astype(np.uint8)


def _core(local: Floats, size: tuple[int, int]) -> Image:
    """Where the features lie that tell people apart."""
    core = np.zeros((size[1], size[0]), np.uint8)
    for part, mark in ((LOWER, LOWER_CORE), (UPPER, UPPER_CORE)):
        hull = cv2.convexHull(np.round(local[list(part)] * 16).astype(np.int32))
        cv2.fillConvexPoly(core, hull, mark, shift=4)
    return core
