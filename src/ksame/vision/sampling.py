"""Cut turned and scaled patches out of a photo without aliasing."""

import cv2
import numpy as np
import numpy.typing as npt

from ksame.vision.images import Image, halved, halvings

Floats = npt.NDArray[np.float64]

_OPENCV_LIMIT = 32767  # warpAffine takes no image that is wider or higher


def similarity(source: Floats, target: Floats) -> Floats:
    """The (2, 3) similarity (scale, rotation, shift) that brings points closest to others.

    Least squares in closed form (Umeyama 1991, without reflection): the same result on every
    machine, unlike a sampled estimate.
    """
    centre, goal = source.mean(axis=0), target.mean(axis=0)
    a, b = source - centre, target - goal
    spread = max(float((a * a).sum()), 1e-12)
    cos = float((a * b).sum()) / spread
    sin = float((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum()) / spread
    turn = np.array([[cos, -sin], [sin, cos]])
    return np.column_stack([turn, goal - turn @ centre])


def inverse(matrix: Floats) -> Floats:
    """The (2, 3) affine map that undoes another one."""
    turn = np.linalg.inv(matrix[:, :2])
    return np.column_stack([turn, -turn @ matrix[:, 2]])


def apply(matrix: Floats, points: Floats) -> Floats:
    """Points moved by a (2, 3) affine map."""
    moved: Floats = points @ matrix[:, :2].T + matrix[:, 2]
    return moved


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
    corners = apply(to_image, np.array([[0.0, 0], [width, 0], [width, height], [0, height]]))
    limit = np.array([image.shape[1], image.shape[0]])
    factor = 2**times
    x0, y0 = np.clip(np.floor(corners.min(axis=0)).astype(int) - factor, 0, limit - 1)
    x1, y1 = np.clip(np.ceil(corners.max(axis=0)).astype(int) + factor, (x0 + 1, y0 + 1), limit)
    shift = (to_image[:, 2] - (x0, y0) + 0.5) / factor - 0.5
    return halved(image[y0:y1, x0:x1], times), np.column_stack([to_image[:, :2] / factor, shift])
