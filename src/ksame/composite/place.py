"""Lay layers of a frame over a photo, and take heads out of it."""

import cv2
import numpy as np

from ksame.composite import frame
from ksame.composite.fill import push_pull
from ksame.composite.frame import SCENE, Floats, Frame, Image
from ksame.composite.matte import Bools, Floats32, depth_below_jaw, hull
from ksame.composite.portrait import Portrait

_WIDER = 1.12  # of the face's outline: always replaced, whatever the matte says


def lay(photo: Image, layer: Floats32, to_frame: Floats, size: Frame) -> None:
    """Lay a premultiplied RGBA layer (0 to 255) of a frame over the photo, in place."""
    to_photo = frame.invert(to_frame)
    part, offset = frame.region(photo, to_photo, size)
    to_photo[:, 2] -= offset
    shrink = 1 / frame.scale_of(to_photo)
    if shrink > 1.5:  # fewer pixels than the frame has: average, do not skip
        layer = cv2.GaussianBlur(layer, (0, 0), 0.35 * shrink)
    warped = cv2.warpAffine(layer, to_photo, part.shape[1::-1], flags=cv2.INTER_LINEAR)
    mixed = part * (1 - warped[..., 3:] * (1 / 255)) + warped[..., :3]
    part[:] = np.clip(mixed + 0.5, 0, 255).astype(np.uint8)


def gone(portrait: Portrait) -> Floats32:
    """What must go, in the scene frame: head matte, widened, and the face with a margin."""
    head = (portrait.maps[..., 1] > 20).astype(np.uint8)
    head = cv2.dilate(head, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5)))
    points = frame.apply(SCENE.from_head(), portrait.points)
    mask: Floats32 = np.maximum(head.astype(np.float32), hull(points, _WIDER, SCENE))
    return mask


def remove(photo: Image, original: Image, portrait: Portrait) -> None:
    """Fill the place of a head from its surroundings, in place."""
    mask = gone(portrait)
    view = frame.cut(original, portrait.to_scene, SCENE)
    seen = frame.inside(original.shape, portrait.to_scene, SCENE) & (mask <= 0)
    filled = surroundings(view.astype(np.float32), seen, portrait)
    # the feather lies outside the mask, never inside
    alpha = np.clip(cv2.GaussianBlur(mask, (0, 0), 1.2) * 2, 0, 1)
    lay(photo, np.dstack([filled * alpha[..., None], alpha * 255]), portrait.to_scene, SCENE)


def surroundings(view: Floats32, seen: Bools, portrait: Portrait) -> Floats32:
    """Wall, clothes and neck go on behind the head, each from its own kind."""
    person, _, neck = np.moveaxis(portrait.maps.astype(np.float32) / 255, 2, 0)
    kinds = [
        seen & (person < 0.1),
        seen & (person > 0.9) & (neck < 0.2),
        seen & (person > 0.9) & (neck > 0.6),
    ]
    shares = push_pull(
        np.dstack([kind.astype(np.float32) for kind in kinds]),
        np.any(kinds, axis=0).astype(np.float32),
    )
    shares[..., 2] *= _corridor(portrait)
    shares = shares**12 + 1e-12
    shares /= shares.sum(axis=2, keepdims=True)
    filled = np.zeros_like(view)
    for share, kind in zip(np.moveaxis(shares, 2, 0), kinds, strict=True):
        if kind.any():
            filled += share[..., None] * push_pull(view, kind.astype(np.float32))
    return filled


def _corridor(portrait: Portrait) -> Floats32:
    """Where a neck can be: below the jaw, no wider than it."""
    points = frame.apply(SCENE.from_head(), portrait.points)
    depth = depth_below_jaw(points, SCENE)
    x = np.arange(SCENE.width)[None, :]
    left, right = points[172, 0], points[397, 0]
    can: Floats32 = ((x > left) & (x < right) & (depth > -0.3)).astype(np.float32)
    return can
