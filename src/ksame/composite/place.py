"""Lay layers of a frame over a photo, and take heads out of it."""

import cv2
import numpy as np
import numpy.typing as npt

from ksame.composite import frame
from ksame.composite.behind import gone, neck_edges, surroundings
from ksame.composite.blend import Floats32, smoothstep
from ksame.composite.frame import HEAD, SCENE, Floats, Image
from ksame.composite.matte import depth_below_jaw
from ksame.composite.portrait import Portrait
from ksame.composite.surrogate import Look


def lay(photo: Image, layer: Floats32, to_frame: Floats) -> None:
    """Lay a premultiplied RGBA layer (0 to 255) of a frame over the photo, in place."""
    part, warped = _placed(photo, layer, layer[..., 3], to_frame)
    mixed = part * (1 - warped[..., 3:] * np.float32(1 / 255)) + warped[..., :3]
    part[:] = np.clip(mixed + 0.5, 0, 255)


def _placed(
    photo: Image, layer: Floats32, alpha: Floats32, to_frame: Floats
) -> tuple[Image, Floats32]:
    """The part of the photo that a layer touches (a view), and the layer as it lies there."""
    to_photo = frame.invert(to_frame)
    part, offset = frame.region(photo, to_photo, frame.used(alpha))
    to_photo[:, 2] -= offset
    shrink = 1 / frame.scale_of(to_photo)
    if shrink > 1.5:  # fewer pixels than the frame has: average, do not skip
        layer = cv2.GaussianBlur(layer, (0, 0), 0.35 * shrink)
    size = (part.shape[1], part.shape[0])
    warped: Floats32 = cv2.warpAffine(layer, to_photo, size, flags=cv2.INTER_LINEAR)
    return part, warped


def remove(photo: Image, original: Image, portrait: Portrait) -> None:
    """Fill the place of a head from its surroundings, in place."""
    mask = gone(portrait)
    view = frame.cut(original, portrait.to_scene, SCENE)
    seen = frame.inside(original.shape, portrait.to_scene, SCENE) & (mask <= 0)
    filled = surroundings(view, seen, portrait)
    # the feather lies outside the mask, never inside
    alpha = np.clip(cv2.GaussianBlur(mask, (0, 0), 1.2) * 2, 0, 1)
    lay(photo, np.dstack([filled * alpha[..., None], alpha * 255]), portrait.to_scene)


def fitted(look: Look, portrait: Portrait) -> Floats32:
    """The surrogate's head layer, its neck no wider than the photo's own.

    Only the neck depends on the photo; the head is the same for everyone.
    """
    left, right = neck_edges(portrait)
    back = frame.invert(SCENE.from_head())
    left, right = (back[0, 0] * x + back[0, 2] for x in (left, right))
    x = np.arange(HEAD.width, dtype=np.float32)[None, :]
    own = smoothstep(x, left - 6, left + 2) * (1 - smoothstep(x, right - 2, right + 6))
    kept = 1 - look.neck.astype(np.float32) / 255 * (1 - own)
    layer: Floats32 = look.head.astype(np.float32) * kept[..., None]
    return layer


def tint(photo: Image, portrait: Portrait, look: Look) -> None:
    """Give the neck below a surrogate the surrogate's skin colour, in place.

    The surrogate's own pixels are the same for all people of its group, so that the neck must
    follow the head and not the other way round. Under the chin it takes the colour of the
    surrogate's neck, further down it changes as the cheeks do.
    """
    points = frame.apply(SCENE.from_head(), portrait.points)
    depth = depth_below_jaw(points, SCENE)
    neck = (portrait.maps[..., 2] / 255).astype(np.float32)
    view = frame.cut(photo, portrait.to_scene, SCENE)
    cheeks = np.clip(look.tone / portrait.tone, 0.4, 2.5)
    under = _neck_gain(view, (neck > 0.6) & (depth > 0.15) & (depth < 0.7), look, cheeks)
    down = smoothstep(depth, 0.3, 1.5)[..., None]
    where = neck * (1 - smoothstep(depth, 2.2, 3.2))
    change = (under + (cheeks - under) * down - 1) * where[..., None]
    part, weight = _placed(photo, change.astype(np.float32), neck, portrait.to_scene)
    part[:] = np.clip(part * (1 + weight) + 0.5, 0, 255)


def _neck_gain(view: Image, own: npt.NDArray[np.bool_], look: Look, cheeks: Floats) -> Floats:
    """From the photo's neck to the surrogate's; as the cheeks' where one of them is hidden."""
    theirs = (look.neck > 200) & (look.head[..., 3] > 120)
    if own.sum() < 60 or theirs.sum() < 200:
        return cheeks
    colour = look.head[theirs].astype(np.float64)
    mean = colour[:, :3].sum(axis=0) / colour[:, 3].sum() * 255
    gain = mean / np.maximum(view[own].mean(axis=0), 4.0)
    limited: Floats = np.clip(gain, cheeks * 0.6, cheeks * 1.6)
    return limited
