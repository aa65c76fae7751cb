"""The last resort: fill what cannot be posed from its surroundings, with no pixel of it used."""

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32, Image
from ksame.composite.fill import push_pull
from ksame.render.grain import add_noise

Box = Floats

WIDER = 1.25  # of the detected box: a face's box ends at the brows and the chin's tip
_AROUND = 2.2  # of the region: how far the surroundings reach that it is filled from
_COARSE = 96  # px: the fill is smooth, so it is worked out at this size
_FEATHER = 0.08  # of the region, outwards
_HIGHEST_NOISE = 6.0  # grey levels; more is a pattern, not noise


def fill_region(photo: Image, box: Box, seed: int = 0) -> None:
    """Fill the oval around a box (``xyxy``) in place, smoothly and with the surroundings' grain.

    No pixel of the oval is used: two photos that differ only inside of it become the same. Fill
    after all other faces are replaced, so that nobody's neighbour is smeared over it, and
    lay those that it reaches over again (``lay_over_fills``).
    """
    height, width = photo.shape[:2]
    centre = (box[:2] + box[2:]) / 2
    half = np.maximum((box[2:] - box[:2]) / 2 * WIDER, 1.0)
    x0, y0 = np.clip(np.floor(centre - _AROUND * half - 2).astype(int), 0, (width, height))
    x1, y1 = np.clip(np.ceil(centre + _AROUND * half + 3).astype(int), 0, (width, height))
    if x1 <= x0 or y1 <= y0:
        return
    part = photo[y0:y1, x0:x1]
    y, x = np.ogrid[y0:y1, x0:x1]
    reach = np.hypot((x - centre[0]) / half[0], (y - centre[1]) / half[1]).astype(np.float32)
    smooth = _smooth(part, reach)
    noise = _noise(part, reach)
    if noise:
        add_noise(smooth, noise, seed)
    fading = np.clip((1 + _FEATHER - reach) / _FEATHER, 0, 1)
    share = (fading * fading * (3 - 2 * fading))[..., None]
    mixed = part + (smooth - part.astype(np.float32)) * share
    part[:] = np.clip(np.round(mixed), 0, 255).astype(np.uint8)


def filled_box(box: Box) -> Box:
    """The box (``xyxy``) around all that a fill may change."""
    middle, half = (box[:2] + box[2:]) / 2, np.maximum((box[2:] - box[:2]) / 2 * WIDER, 1.0)
    reach = half * (1 + _FEATHER)
    return np.concatenate([middle - reach, middle + reach])


def _smooth(part: Image, reach: Floats32) -> Floats32:
    """The surroundings, spread over the oval."""
    known = (reach > 1).astype(np.float32)
    factor = min(_COARSE / max(part.shape[:2]), 1.0)
    size = max(round(part.shape[1] * factor), 2), max(round(part.shape[0] * factor), 2)
    if not known.any():  # the oval is all that there is of the photo
        return np.full(part.shape, 127, np.float32)
    # weighted before it is shrunk: a cell at the rim holds outside pixels alone
    weighed = cv2.resize(part * known[..., None], size, interpolation=cv2.INTER_AREA)
    weight = cv2.resize(known, size, interpolation=cv2.INTER_AREA)
    image = weighed / np.maximum(weight, 1e-6)[..., None]
    spread = push_pull(np.ascontiguousarray(image, np.float32), np.ascontiguousarray(weight))
    spread = cv2.GaussianBlur(spread, (0, 0), 2.0)
    whole: Floats32 = cv2.resize(spread, part.shape[1::-1], interpolation=cv2.INTER_LINEAR)
    return whole


def _noise(part: Image, reach: Floats32) -> float:
    """The photo's fine noise just outside of the oval, in grey levels."""
    ring = (reach > 1.1) & (reach < 1.6)
    if ring.sum() < 32:
        return 0.0
    green = part[..., 1].astype(np.float32)
    fine = (green - cv2.GaussianBlur(green, (0, 0), 0.8))[ring]
    low, high = np.percentile(fine, [30, 70])
    return min(float(high - low) / 1.05 * 1.6, _HIGHEST_NOISE)
