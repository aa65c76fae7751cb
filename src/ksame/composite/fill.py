"""Fill what a head covered from what lies around it.

Two parts are added: a smooth one (push-pull over a pyramid: each unknown pixel becomes the mean of
its known surroundings at the finest scale that has any) and a rough one (the detail of the
background, mirrored at the nearest known pixel), so that a patterned wall does not end in fog.
"""

import cv2
import numpy as np

from ksame.arrays import Bools, Floats32
from ksame.composite.blend import times


def push_pull(image: Floats32, known: Floats32, finest: int = 0) -> Floats32:
    """Spread known values over the unknown pixels.

    Parameters
    ----------
    image : (h, w, c) float32 array
    known : (h, w) float32 array
        Weight of each pixel, 0 where it is unknown.
    finest : int
        How often to halve the resolution that is filled. The unknown is smooth anyway, but what
        is known comes back less sharp.
    """
    # the weight is one more channel: half as many calls
    levels = [cv2.merge([*cv2.split(times(image, known)), known])]
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
    _, labels = cv2.distanceTransformWithLabels(
        (~known).astype(np.uint8), cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL
    )
    rows, columns = np.nonzero(known)
    order = np.zeros(int(labels.max()) + 1, np.intp)
    order[labels[rows, columns]] = np.arange(len(rows))
    nearest = order[labels[missing]]
    at_y, at_x = np.nonzero(missing)
    near_y, near_x = rows[nearest], columns[nearest]
    y = np.clip(2 * near_y - at_y, 0, known.shape[0] - 1)
    x = np.clip(2 * near_x - at_x, 0, known.shape[1] - 1)
    usable = known[y, x]
    source = np.where(usable, y, near_y) * known.shape[1] + np.where(usable, x, near_x)
    copied = image.copy()
    copied[missing] = image.reshape(-1, image.shape[2]).take(source, axis=0)
    return copied
