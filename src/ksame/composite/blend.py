"""Bands of frequency: blending at the right scale, detail, and low-frequency tone.

Pictures are (h, w, c) float32 arrays and masks (h, w). NumPy would multiply the one by the other
three numbers at a time, and takes a maximum over channels in the same way; `times` and `largest` do
it in a tenth of the time.
"""

from typing import Final

import cv2
import numpy as np

from ksame.arrays import AnyFloats, Floats32

GREY_WEIGHTS: Final = (0.299, 0.587, 0.114)
"""Of red, green and blue in the lightness of a pixel (ITU-R BT.601)."""


def multiband(above: Floats32, below: Floats32, mask: Floats32, levels: int = 5) -> Floats32:
    """Lay ``above`` over ``below``: fine detail changes over abruptly, coarse tone gradually.

    Burt & Adelson (1983). All arrays are (h, w, 3), the mask (h, w) in 0 to 1.
    """
    top, bottom, masks = [above], [below], [mask]
    for _ in range(levels):
        if min(masks[-1].shape) < 8:
            break
        top.append(cv2.pyrDown(top[-1]))
        bottom.append(cv2.pyrDown(bottom[-1]))
        masks.append(cv2.pyrDown(masks[-1]))
    mixed = mix(top[-1], bottom[-1], masks[-1])
    for level in range(len(masks) - 2, -1, -1):
        size = (masks[level].shape[1], masks[level].shape[0])
        fine_top = top[level] - cv2.pyrUp(top[level + 1], dstsize=size)
        fine_bottom = bottom[level] - cv2.pyrUp(bottom[level + 1], dstsize=size)
        mixed = cv2.pyrUp(mixed, dstsize=size) + mix(fine_top, fine_bottom, masks[level])
    return mixed


def mix(above: Floats32, below: Floats32, mask: Floats32) -> Floats32:
    """``above`` where the mask is 1, ``below`` where it is 0."""
    mixed: Floats32 = times(above - below, mask)
    mixed += below
    return mixed


def times(image: Floats32, mask: Floats32) -> Floats32:
    """A picture times a mask."""
    count = image.shape[2]
    # one mask for each channel; of three, OpenCV makes a picture of greys in half the time
    spread = cv2.cvtColor(mask, cv2.COLOR_GRAY2RGB) if count == 3 else cv2.merge((mask,) * count)
    product: Floats32 = spread.reshape(image.shape)
    product *= image
    return product


def largest(image: Floats32) -> Floats32:
    """The largest of a pixel's three values."""
    most: Floats32 = np.maximum(image[..., 0], image[..., 1])
    return np.maximum(most, image[..., 2], out=most)


def smooth(image: Floats32, sigma: float, weight: Floats32) -> Floats32:
    """The weighted low frequencies of an image, computed on a small copy."""
    shrink = max(int(sigma / 3), 1)
    size = (max(image.shape[1] // shrink, 2), max(image.shape[0] // shrink, 2))
    # whole blocks are averaged fastest; the last few rows and columns are like those before
    blocks = np.s_[: size[1] * shrink, : size[0] * shrink]
    parts = times(image[blocks], weight[blocks]), weight[blocks]
    own, total = (cv2.resize(part, size, interpolation=cv2.INTER_AREA) for part in parts)
    both = cv2.merge([*cv2.split(own), total])
    both = cv2.GaussianBlur(both, (0, 0), sigma / shrink, borderType=cv2.BORDER_REPLICATE)
    low = both[..., :-1] / np.maximum(both[..., -1:], 1e-3)
    full: Floats32 = cv2.resize(
        low, (image.shape[1], image.shape[0]), interpolation=cv2.INTER_LINEAR
    )
    return full


def smoothstep(values: AnyFloats, low: float, high: float) -> Floats32:
    """0 below ``low``, 1 above ``high``, smooth between."""
    scale = 1 / (high - low)
    t = np.asarray(values, np.float32) * np.float32(scale)
    t -= np.float32(low * scale)
    t = np.clip(t, 0, 1)
    eased: Floats32 = t * t
    t *= -2
    t += 3
    eased *= t
    return eased
