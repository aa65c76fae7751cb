"""Cut turned and scaled patches out of a photo without aliasing."""

import cv2
import numpy as np

from ksame import geometry
from ksame.arrays import Floats, Image
from ksame.vision.images import halved, halvings

_OPENCV_LIMIT = 32767  # warpAffine takes no image that is wider or higher


def sample(
    image: Image, to_image: Floats, size: tuple[int, int], border: int = cv2.BORDER_CONSTANT
) -> Image:
    """A patch of ``size`` (width, height) whose pixels lie where ``to_image`` puts them.

    Where the patch shrinks the photo to less than half, four neighbours of a pixel are too few:
    it is then sampled from a smaller copy of its surroundings. What lies beyond the photo is
    black, or as ``border`` (an OpenCV constant) says.
    """
    times = halvings(np.sqrt(abs(np.linalg.det(to_image[:, :2]))))
    if times or max(image.shape) >= _OPENCV_LIMIT:
        image, to_image = _shrunk(image, to_image, size, times)
    patch: Image = cv2.warpAffine(
        image, to_image, size, flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=border
    )
    return patch


def _shrunk(
    image: Image, to_image: Floats, size: tuple[int, int], times: int
) -> tuple[Image, Floats]:
    """The surroundings of a patch, some times halved, and the map that fits them."""
    width, height = size
    corners = geometry.apply(to_image, geometry.corners((0, 0, width, height)))
    limit = np.array([image.shape[1], image.shape[0]])
    factor = 2**times
    x0, y0 = np.clip(np.floor(corners.min(axis=0)).astype(int) - factor, 0, limit - 1)
    x1, y1 = np.clip(np.ceil(corners.max(axis=0)).astype(int) + factor, (x0 + 1, y0 + 1), limit)
    shift = (to_image[:, 2] - (x0, y0) + 0.5) / factor - 0.5
    return halved(image[y0:y1, x0:x1], times), np.column_stack([to_image[:, :2] / factor, shift])
