"""What every step of vision asks of an image."""

import cv2
import numpy as np

from ksame.arrays import Array, Floats32, Image
from ksame.errors import InputError


def check_rgb(image: Array) -> Image:
    """A contiguous uint8 RGB image; grey ones are repeated into three channels."""
    if image.dtype != np.uint8:
        raise InputError(
            f"image has dtype {image.dtype}; uint8 is needed. Scale it to 0-255 and convert it."
        )
    if image.ndim == 2:
        image = np.repeat(image[:, :, None], 3, axis=2)
    if image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
        raise InputError(
            f"image has shape {image.shape}; (height, width, 3) RGB or (height, width) grey is "
            "needed. Convert it before."
        )
    return np.ascontiguousarray(image)


def as_network_input(rgb: Image, *, bgr: bool = False, multiple: int = 1) -> Floats32:
    """The numbers of a picture, 0 to 255, as networks take them: (1, 3, h, w).

    With ``multiple`` both sides are brought to multiples of it, by zeros on the right and below.
    The same as OpenCV's ``copyMakeBorder`` and ``blobFromImage``, which take three times as long.
    """
    height, width = rgb.shape[:2]
    channels = cv2.split(rgb)
    blob = np.empty((1, 3, height + -height % multiple, width + -width % multiple), np.float32)
    blob[..., height:, :] = 0
    blob[..., :height, width:] = 0
    for place, channel in enumerate(reversed(channels) if bgr else channels):
        blob[0, place, :height, :width] = channel
    return blob


def halvings(factor: float) -> int:
    """How often an image may be halved before it is shrunk by a factor; less than 2 is left."""
    return int(np.log2(max(factor, 1.0)))


def halved(image: Image, times: int) -> Image:
    """An image shrunk to 1/2, 1/4, ... by averaging whole blocks, which is fast.

    Pixel p of it lies at ``(p + 1/2) f - 1/2`` of the image, f = 2 to the power of ``times``. What
    is left over at the right and at the bottom is left out.
    """
    for _ in range(times):
        rows, columns = (max(side // 2, 1) for side in image.shape[:2])
        blocks = image[: 2 * rows, : 2 * columns]
        image = cv2.resize(blocks, (columns, rows), interpolation=cv2.INTER_AREA)
    return image
