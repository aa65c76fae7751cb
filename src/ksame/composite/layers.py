"""Colour layers of the head frame, and how a mean face is put into another person's head."""

import cv2
import numpy as np
import numpy.typing as npt

from ksame.composite.blend import Floats32, multiband, smoothstep
from ksame.composite.fill import push_pull
from ksame.composite.frame import HEAD, Floats, Image
from ksame.composite.masks import radial, skin_only
from ksame.composite.mesh import Warp
from ksame.composite.portrait import Portrait


def dress(
    mean: Floats32, head: Portrait, warp: Warp, points: Floats, tone: Floats
) -> tuple[Floats32, Floats32]:
    """Put the mean face into the head of one other person."""
    layer = warp(head.layer, head.points).astype(np.float32)
    matte = layer[..., 3] / 255
    own = extended(unmultiplied(layer), matte.astype(np.float32), 0.05, 0.3)
    own *= _skin_gain(own, head.tone, tone)
    inner = radial(points, 0.86, 0.98)
    face = mean + _grain(own, points) * 0.8
    return multiband(face, own, inner), np.maximum(matte, inner)


def _skin_gain(own: Floats32, was: Floats, becomes: Floats) -> Floats32:
    """Recolour skin and leave hair: the gain fades with the distance from the skin's chroma."""
    gain = (becomes / was).astype(np.float32)
    colour = own / np.maximum(own.sum(axis=2, keepdims=True), 1)
    skin = (was / was.sum()).astype(np.float32)
    apart = np.abs(colour - skin).max(axis=2) / 0.06
    dark = own.sum(axis=2) / was.sum()
    weight = np.clip(1.5 - apart, 0, 1) * smoothstep(dark, 0.25, 0.5)
    weight = cv2.GaussianBlur(weight.astype(np.float32), (0, 0), 3.0)
    gains: Floats32 = 1 + (gain - 1) * weight[..., None]
    return gains


def _grain(own: Floats32, points: Floats) -> Floats32:
    """The finest detail of one person's skin, without eyes, brows, nostrils and lips."""
    fine = own - cv2.GaussianBlur(own, (0, 0), 2.0)
    grain: Floats32 = np.clip(fine, -14, 14) * skin_only(points)[..., None]
    return grain


def extended(mean: Floats32, alpha: Floats32, low: float, high: float) -> Floats32:
    """A head with its rim's colours carried on outwards, where alpha is too low to have any."""
    solid = smoothstep(alpha, low, high)
    size = (HEAD.width // 2, HEAD.height // 2)
    small = cv2.resize(np.dstack([mean, solid]), size, interpolation=cv2.INTER_AREA)
    around = cv2.resize(push_pull(small[..., :3], small[..., 3]), HEAD.size)
    mixed: Floats32 = around + (mean - around) * solid[..., None]
    return mixed


def bare(layer: Floats32, tone: Floats) -> Floats32:
    """How much a premultiplied layer looks like skin of a tone and not like hair, .05 to 1.

    Fringes of the donors would otherwise lie as a shadow on the mean's forehead.
    """
    ratio = np.log(np.maximum(unmultiplied(layer), 2.0) / tone.astype(np.float32))
    apart = np.abs(ratio).max(axis=2)
    shown: Floats32 = 0.05 + 0.95 * (1 - smoothstep(apart, 0.35, 0.8))
    return shown


def unmultiplied(layer: Floats32) -> Floats32:
    """The colours of a premultiplied layer."""
    colour = layer[..., :3] / np.maximum(layer[..., 3:] / 255, 1 / 255)
    return colour.astype(np.float32)


def premultiplied(colour: Floats32, matte: Floats32) -> Image:
    """Colours (0 to 255) and a matte (0 to 1) as one premultiplied layer."""
    return np.dstack([as_bytes(np.clip(colour, 0, 255) * matte[..., None]), as_bytes(matte * 255)])


def as_bytes(values: npt.NDArray[np.floating]) -> Image:
    """Rounded to 0 to 255."""
    rounded: Image = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return rounded
