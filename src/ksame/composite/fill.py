"""Fill what a head covered from what lies around it.

Two parts are added: a smooth one (push-pull over a pyramid: each unknown pixel becomes the mean of
its known surroundings at the finest scale that has any) and a rough one (the detail of the
background, mirrored at the nearest known pixel), so that a patterned wall does not end in fog.
"""

import cv2
import numpy as np

from ksame.arrays import Bools, Floats32
from ksame.composite.blend import times


def push_pull(image: Floats32, known: Floats32 | Bools, finest: int = 0) -> Floats32:
    """Spread known values over the unknown pixels.

    Parameters
    ----------
    image : (h, w, c) float32 array
    known : (h, w) float32 or bool array
        Weight of each pixel, 0 where it is unknown.
    finest : int
        How often to halve the resolution that is filled. The unknown is smooth anyway, but what
        is known comes back less sharp.
    """
    weight = known.astype(np.float32)
    if known.dtype == bool:  # needs no product
        own: Floats32 = cv2.copyTo(image, known.view(np.uint8))
    else:
        own = times(image, weight)
    if finest and min(weight.shape) > 2:  # the first level is not filled: it is but halved
        own, weight, finest = _half(own), _half(weight), finest - 1
    # the weight is one more channel: half as many calls
    levels = [cv2.merge([*cv2.split(own), weight])]
    while min(levels[-1].shape[:2]) > 2:
        levels.append(_half(levels[-1]))
    coarsest = levels.pop()
    mean = coarsest.sum(axis=(0, 1))
    filled = np.empty_like(coarsest)
    filled[:] = mean / np.maximum(mean[-1], 1e-6)
    filled = _over(coarsest, filled)
    while len(levels) > finest:
        level = levels.pop()
        filled = _over(level, enlarged(filled, level))
    return enlarged(np.ascontiguousarray(filled[..., :-1]), image)


def enlarged(small: Floats32, like: Floats32) -> Floats32:
    """A picture brought to the size of another."""
    if small.shape == like.shape:
        return small
    size = (like.shape[1], like.shape[0])
    large: Floats32 = cv2.resize(small, size, interpolation=cv2.INTER_LINEAR)
    return large


def _half(values: Floats32) -> Floats32:
    size = ((values.shape[1] + 1) // 2, (values.shape[0] + 1) // 2)
    half: Floats32 = cv2.resize(values, size, interpolation=cv2.INTER_AREA)
    return half


def _over(level: Floats32, below: Floats32) -> Floats32:
    """Weighted values where there are any, ``below`` elsewhere; the weight is the last channel."""
    weight = level[..., -1]
    trust = np.minimum(weight * np.float32(4), np.float32(1))  # a quarter of known pixels is enough
    mixed: Floats32 = times(level, trust / np.maximum(weight, np.float32(1e-6)))
    mixed += times(below, 1 - trust)
    return mixed


def mirror(image: Floats32, known: Bools, wanted: Bools) -> Floats32:
    """Copy each wanted and unknown pixel from the other side of its nearest known one.

    Where the mirrored place is unknown too, the nearest known pixel is taken.
    """
    missing = wanted & ~known
    if not known.any() or not missing.any():
        return image
    height, width = known.shape
    _, labels = cv2.distanceTransformWithLabels(
        (~known).view(np.uint8), cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL
    )
    # known pixels are labelled in their order, from 1 on
    at = np.flatnonzero(missing).astype(np.int32)
    near = np.flatnonzero(known).astype(np.int32).take(labels.ravel().take(at) - 1)
    (at_y, at_x), (near_y, near_x) = np.divmod(at, width), np.divmod(near, width)
    y = np.clip(2 * near_y - at_y, 0, height - 1)
    other = y * width + np.clip(2 * near_x - at_x, 0, width - 1)
    source = np.where(known.ravel().take(other), other, near)
    copied = np.ascontiguousarray(image)
    copied = copied.copy() if copied is image else copied
    pixels = copied.view(f"V{image.itemsize * image.shape[2]}").ravel()  # each as one value
    pixels[at] = pixels.take(source)
    return copied
