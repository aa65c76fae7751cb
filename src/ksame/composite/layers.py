"""Colour layers of the head frame, and how a mean face is put into another person's head."""

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from ksame.arrays import AnyFloats, Floats, Floats32, Image
from ksame.composite.blend import largest, mix, multiband, smoothstep, times
from ksame.composite.fill import enlarged, push_pull
from ksame.composite.frame import around_face
from ksame.composite.masks import radial, skin_only
from ksame.composite.mesh import Warp
from ksame.composite.portrait import Portrait
from ksame.states import TURNED

_FRONTAL, _TURNED = (0.8, 0.94), (0.6, 0.85)  # of the outline: where the mean face ends
_RIM: Final = (0.05, 0.3)  # alpha between which a head's own colours are trusted
_GRAIN: Final = 0.8  # of one person's skin detail that the mean face gets back
_GRAIN_SIZE: Final = 2.0  # pixels: what is coarser is the face, not its skin
_STRONGEST_GRAIN: Final = 14  # grey levels: more is a wrinkle or a mole
_CHROMA: Final = 0.06  # difference of a channel's share of the light that tells skin from hair
_IN_SHADE: Final = (0.25, 0.5)  # of the skin's light: darker is hair, brows or eyes
_RECOLOUR_BLUR: Final = 3.0  # pixels
_HAIR_LIKE: Final = (0.35, 0.8)  # log ratio to the skin's tone between which skin becomes hair
_LEAST_SKIN: Final = 0.05  # weight of what looks like hair: nothing divides by zero


def dress(
    mean: Floats32, head: Portrait, warp: Warp, points: Floats, tone: Floats
) -> tuple[Image, Image]:
    """Put the mean face into the head of one other person: the layer, and its neck's share."""
    layer, neck = warp.several((head.layer, head.neck), head.points)
    matte = layer[..., 3] * np.float32(1 / 255)
    own = extended(unmultiplied(layer), matte, *_RIM)
    own *= _skin_gain(own, head.tone, tone)
    # the far cheek of turned heads ends in the air: its edge must be one person's
    inner = radial(points, *(_TURNED if head.pose in TURNED else _FRONTAL))
    part = around_face(points)
    face = mean[part] + _grain(own[part], skin_only(points)[part]) * _GRAIN
    own[part] = multiband(face, own[part], inner[part])
    return premultiplied(own, np.maximum(matte, inner)), neck


def _skin_gain(own: Floats32, was: Floats, becomes: Floats) -> Floats32:
    """Recolour skin and leave hair: the gain fades with the distance from the skin's chroma."""
    gain = (becomes / was).astype(np.float32)
    total = cv2.transform(own, np.ones((1, 3), np.float32))
    colour = times(own, 1 / np.maximum(total, 1))
    skin = (was / was.sum()).astype(np.float32)
    apart = largest(np.abs(colour - skin)) * np.float32(1 / _CHROMA)
    dark = total * np.float32(1 / was.sum())
    weight = np.clip(1.5 - apart, 0, 1) * smoothstep(dark, *_IN_SHADE)
    weight = cv2.GaussianBlur(weight, (0, 0), _RECOLOUR_BLUR)
    gains: Floats32 = cv2.merge([1 + float(g - 1) * weight for g in gain])
    return gains


def _grain(own: Floats32, skin: Floats32) -> Floats32:
    """The finest detail of one person's skin, without eyes, brows, nostrils and lips."""
    fine = own - cv2.GaussianBlur(own, (0, 0), _GRAIN_SIZE)
    return times(np.clip(fine, -_STRONGEST_GRAIN, _STRONGEST_GRAIN), skin)


def extended(mean: Floats32, alpha: Floats32, low: float, high: float) -> Floats32:
    """A head with its rim's colours carried on outwards, where alpha is too low to have any."""
    solid = smoothstep(alpha, low, high)
    size = (mean.shape[1] // 2, mean.shape[0] // 2)
    small, share = (cv2.resize(part, size, interpolation=cv2.INTER_AREA) for part in (mean, solid))
    return mix(mean, enlarged(push_pull(small, share), mean), solid)


def skin_likeness(layer: Image, tone: Floats) -> Floats32:
    """How much a premultiplied layer looks like skin of a tone and not like hair, .05 to 1.

    Fringes of the donors would otherwise lie as a shadow on the mean's forehead. It is judged on
    a copy of half the size: strands finer than that lie as a haze, not as a shadow.
    """
    size = (layer.shape[1] // 2, layer.shape[0] // 2)
    small = cv2.resize(layer, size, interpolation=cv2.INTER_AREA)
    ratio = cv2.log(np.maximum(unmultiplied(small), 2.0) * (1 / tone).astype(np.float32))
    apart = largest(np.abs(ratio))
    shown = _LEAST_SKIN + (1 - _LEAST_SKIN) * (1 - smoothstep(apart, *_HAIR_LIKE))
    full: Floats32 = cv2.resize(shown, layer.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    return full


def unmultiplied(layer: npt.NDArray[np.generic]) -> Floats32:
    """The colours of a premultiplied layer."""
    red, green, blue, alpha = cv2.split(layer.astype(np.float32))
    share = 255 / np.maximum(alpha, 1)
    colour: Floats32 = cv2.merge([red * share, green * share, blue * share])
    return colour


def premultiplied(colour: Floats32, matte: Floats32) -> Image:
    """Colours (0 to 255) and a matte (0 to 1) as one premultiplied layer."""
    own = cv2.convertScaleAbs(times(np.clip(colour, 0, 255), matte))
    layer: Image = cv2.merge([*cv2.split(own), cv2.convertScaleAbs(matte, alpha=255)])
    return layer


def as_bytes(values: AnyFloats) -> Image:
    """Rounded to 0 to 255."""
    rounded: Image = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return rounded
