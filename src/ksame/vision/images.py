"""What every step of vision asks of an image."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ksame.errors import InputError

Image = npt.NDArray[np.uint8]


def check_rgb(image: npt.NDArray[Any]) -> Image:
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
