"""Bands of frequency: blending at the right scale, detail, and low-frequency tone."""

import cv2
import numpy as np
import numpy.typing as npt

Floats32 = npt.NDArray[np.float32]


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
    mixed = _mix(top[-1], bottom[-1], masks[-1])
    for level in range(len(masks) - 2, -1, -1):
        size = (masks[level].shape[1], masks[level].shape[0])
        fine_top = top[level] - cv2.pyrUp(top[level + 1], dstsize=size)
        fine_bottom = bottom[level] - cv2.pyrUp(bottom[level + 1], dstsize=size)
        mixed = cv2.pyrUp(mixed, dstsize=size) + _mix(fine_top, fine_bottom, masks[level])
    return mixed


def _mix(above: Floats32, below: Floats32, mask: Floats32) -> Floats32:
    mixed: Floats32 = below + (above - below) * mask[..., None]
    return mixed


def smooth(image: Floats32, sigma: float, weight: Floats32) -> Floats32:
    """The weighted low frequencies of an image, computed on a small copy."""
    shrink = max(int(sigma / 3), 1)
    size = (max(image.shape[1] // shrink, 2), max(image.shape[0] // shrink, 2))
    both = np.dstack([image * weight[..., None], weight])
    both = cv2.resize(both, size, interpolation=cv2.INTER_AREA)
    both = cv2.GaussianBlur(both, (0, 0), sigma / shrink, borderType=cv2.BORDER_REPLICATE)
    low = both[..., :-1] / np.maximum(both[..., -1:], 1e-3)
    full: Floats32 = cv2.resize(
        low, (image.shape[1], image.shape[0]), interpolation=cv2.INTER_LINEAR
    )
    return full


def smoothstep(values: npt.NDArray[np.floating], low: float, high: float) -> Floats32:
    """0 below ``low``, 1 above ``high``, smooth between."""
    t = np.clip((values - low) / (high - low), 0, 1)
    eased: Floats32 = (t * t * (3 - 2 * t)).astype(np.float32)
    return eased
