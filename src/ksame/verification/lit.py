"""The model's texture as a photo's light shows it: skin that goes on at the rim, light, white."""

from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32, Ints32
from ksame.codecs.face import FaceModel
from ksame.verification.mesh import RIM, Posed, skin_points, turned_one_way
from ksame.verification.painting import nearest, painted, shares_of
from ksame.verification.steps import BLACK, FaceSteps, weights_of

TEXELS = 72  # a side: light and the rim's skin are told on a grid over the texture
# of the way from the middle of a face to its outline: there the texture fades into plain skin, for
# what lies at the rim of a model is a mean of hair lines and ears
RIM_FADES = (0.84, 0.98)
RIM_SKIN = 4.0  # texels (sigma) over which the skin inside goes on
BRIGHT = 205  # grey level above which brightness is compressed, as cameras do
LUMA = np.array([0.299, 0.587, 0.114], np.float32)


@dataclass(frozen=True, slots=True)
class _Texels:
    """The points under each texel, how much of each is in it, and where plain skin goes on.

    ``rim`` rises from 0 on the face to 1 at its outline; ``inner`` is 1 on the skin that goes on.
    """

    corners: Ints32 = field(repr=False)
    shares: Floats32 = field(repr=False)
    rim: Floats32 = field(repr=False)
    inner: Floats32 = field(repr=False)


def lit(model: FaceModel, code: Floats32, steps: FaceSteps, posed: Posed) -> Floats32:
    """The texture (side, side, 3) of a code, in the photo's light; above 255 where it glares."""
    texels, side = _texels(model), (model.side, model.side)
    texture = model.texture(code, weights_of(steps)).astype(np.float32)
    if steps.colour != "colour":
        texture = np.repeat((texture @ LUMA)[..., None], 3, axis=2)
    plain = _plain(cv2.resize(texture, (TEXELS, TEXELS), interpolation=cv2.INTER_AREA), texels)
    share = _rim_share(model)
    texture += (cv2.resize(plain, side, interpolation=cv2.INTER_LINEAR) - texture) * share
    gains = (posed.gains.astype(np.float32)[texels.corners] * texels.shares[..., None]).sum(axis=1)
    light = gains.reshape(TEXELS, TEXELS, 3)
    texture *= cv2.resize(light, side, interpolation=cv2.INTER_LINEAR)
    return _toned(texture, steps)


def _toned(colour: Floats32, steps: FaceSteps) -> Floats32:
    """Colours above the photo's black, bright ones compressed: x ends at twice its room."""
    black = np.float32(steps.black * BLACK)
    lifted = black + colour * ((255 - black) / np.float32(255))
    over = np.maximum(lifted - BRIGHT, np.float32(0))
    twice = np.float32(2 * (255 - BRIGHT))
    toned: Floats32 = lifted - over * over / (over + twice)
    return toned


def _plain(small: Floats32, texels: _Texels) -> Floats32:
    """Skin without features, going on outwards from the inner face."""
    weight = texels.inner[..., None]
    total = cv2.GaussianBlur(small * weight, (0, 0), RIM_SKIN)
    known = cv2.GaussianBlur(texels.inner, (0, 0), RIM_SKIN)[..., None]
    mean = (small * weight).sum(axis=(0, 1)) / max(float(texels.inner.sum()), 1.0)
    plain: Floats32 = np.where(known < 1e-3, mean, total / np.maximum(known, 1e-4))
    return plain.astype(np.float32)


@cache
def _rim_share(model: FaceModel) -> Floats32:
    """How much plain skin each pixel of the texture shows, (side, side, 3): for each channel."""
    side = (model.side, model.side)
    share: Floats32 = cv2.resize(_texels(model).rim, side, interpolation=cv2.INTER_LINEAR)
    return np.repeat(share[..., None], 3, axis=2)


@cache
def _texels(model: FaceModel) -> _Texels:
    triangles, scale = turned_one_way(model), TEXELS / model.side
    raw = np.asarray(model.places, np.float64)
    places = (raw + 0.5) * scale - 0.5
    owner = painted(places, triangles, np.arange(len(triangles)), (TEXELS, TEXELS))
    y, x = np.divmod(nearest(owner >= 0), TEXELS)
    corners = triangles[owner[y, x]]
    on_skin = skin_points(triangles, len(raw))
    skin = np.asarray(on_skin[corners].all(axis=1)).reshape(TEXELS, TEXELS)
    islands = np.asarray((~on_skin)[corners].all(axis=1)).reshape(TEXELS, TEXELS)
    rim = _rim(raw[list(RIM)] * scale)
    rim[cv2.dilate(islands.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0] = 0
    inner = ((rim <= 0) & skin).astype(np.float32)
    return _Texels(corners, shares_of(places, corners, x, y).astype(np.float32), rim, inner)


def _rim(outline: Floats) -> Floats32:
    """How far each texel lies towards the outline (36, 2) of the face: 0 inside, 1 beyond."""
    middle = (outline.min(axis=0) + outline.max(axis=0)) / 2
    y, x = np.indices((TEXELS, TEXELS), np.float64)
    angle = np.arctan2(outline[:, 1] - middle[1], outline[:, 0] - middle[0])
    order = np.argsort(angle)
    radius = np.hypot(*(outline - middle).T)
    around = np.interp(
        np.arctan2(y - middle[1], x - middle[0]), angle[order], radius[order], period=2 * np.pi
    )
    low, high = RIM_FADES
    rise = np.clip((np.hypot(x - middle[0], y - middle[1]) / around - low) / (high - low), 0, 1)
    return np.asarray(rise * rise * (3 - 2 * rise), np.float32)
