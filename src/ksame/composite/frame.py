"""The canonical head frame: where every head lies before it is averaged or placed.

A head is brought into the frame by position, scale and in-plane rotation only, so that what a
group shares in the frame is what its photos share (SPEC: ``strict``).
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from ksame.vision.images import halved, halvings

Floats = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]

RIGHT_EYE: Final = (33, 133)  # corners of the subject's right eye, outer first
LEFT_EYE: Final = (263, 362)
RIGHT_RIM, LEFT_RIM, CHIN, NOSE, FOREHEAD = 234, 454, 152, 1, 10
# the closed outline of the 478-point mesh
OUTLINE: Final = (
    10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377,
    152, 148, 176, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
)  # fmt: skip


@dataclass(frozen=True)
class Frame:
    """A picture in which the eyes lie level, at a fixed place and distance."""

    width: int
    height: int
    eyes: float  # pixels between the centres of the eyes
    level: float  # row of the eyes

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, as OpenCV wants them."""
        return self.width, self.height

    def from_head(self) -> Floats:
        """The (2, 3) matrix from the head frame to this one."""
        scale = self.eyes / HEAD.eyes
        return np.array(
            [
                [scale, 0.0, self.width / 2 - scale * HEAD.width / 2],
                [0.0, scale, self.level - scale * HEAD.level],
            ]
        )


Part = tuple[slice, slice]  # rows and columns of a frame
WHOLE: Final[Part] = (slice(None), slice(None))
HEAD: Final = Frame(448, 512, 96.0, 232.0)  # what is averaged and placed
MATTE: Final = Frame(224, 256, 48.0, 116.0)  # the same view, coarser: masks are no finer
SCENE: Final = Frame(304, 320, 40.0, 148.0)  # wider, coarser: what is split, removed and filled
LIGHT: Final = 0.47  # eye distances; what is coarser is a scene's light and identifies nobody


def then(first: Floats, second: Floats) -> Floats:
    """The (2, 3) matrix that applies ``first`` and then ``second``."""
    turn, shift = second[:, :2] @ first[:, :2], second[:, :2] @ first[:, 2] + second[:, 2]
    both = np.empty((2, 3))
    both[:, :2], both[:, 2] = turn, shift
    return both


def eyes_of(points: Floats) -> tuple[Floats, Floats]:
    """The centres of the subject's right and left eye, by their corners: blinks do not count."""
    return points[list(RIGHT_EYE)].mean(axis=0), points[list(LEFT_EYE)].mean(axis=0)


def yaw_of(points: Floats, depth: Floats) -> float:
    """How far the head is turned, in degrees; positive towards the right of the picture."""
    across = points[LEFT_RIM] - points[RIGHT_RIM]
    return float(np.degrees(np.arctan2(depth[LEFT_RIM] - depth[RIGHT_RIM], np.hypot(*across))))


def turn(points: Floats) -> float:
    """How far the nose is off the middle of the face, over the face's width."""
    left, right = points[RIGHT_RIM, 0], points[LEFT_RIM, 0]
    return float((points[NOSE, 0] - (left + right) / 2) / max(right - left, 1e-6))


def into_frame(points: Floats, yaw: float = 0.0) -> Floats:
    """The (2, 3) similarity from photo pixels to the frame.

    The eyes come to lie level, at the head frame's place and distance; a turned head shows them
    closer together, which the cosine of the yaw undoes so that the head keeps its size.
    """
    right, left = eyes_of(points)
    dx, dy = left - right
    apart = max(float(np.hypot(dx, dy)), 1e-6) / max(np.cos(np.radians(yaw)), 0.5)
    scale = HEAD.eyes / apart
    angle = np.arctan2(dy, dx)
    cos, sin = scale * np.cos(angle), scale * np.sin(angle)
    turn = np.array([[cos, sin], [-sin, cos]])
    shift = np.array([HEAD.width / 2, HEAD.level]) - turn @ ((right + left) / 2)
    matrix: Floats = np.c_[turn, shift]
    return matrix


def invert(matrix: Floats) -> Floats:
    """The inverse of a (2, 3) similarity."""
    inverse: Floats = cv2.invertAffineTransform(matrix)
    return inverse


def apply(matrix: Floats, points: Floats) -> Floats:
    """Move points by a (2, 3) matrix."""
    moved: Floats = points @ matrix[:, :2].T + matrix[:, 2]
    return moved


def scale_of(matrix: Floats) -> float:
    """By how much a similarity enlarges."""
    return float(np.hypot(matrix[0, 0], matrix[1, 0]))


def cut(rgb: Image, matrix: Floats, frame: Frame = HEAD) -> Image:
    """A frame's view of a photo, the border repeated beyond; ``matrix``: photo to that frame.

    A photo that is much finer than the frame is first shrunk around the head: four neighbours of a
    pixel are too few where more than two pixels become one.
    """
    times = halvings(1 / scale_of(matrix))
    image, placed = rgb, matrix
    if times:
        factor = 2**times
        image, offset = region(rgb, invert(matrix), (0, 0, *frame.size), 4 * factor)
        image = halved(image, times)
        placed = matrix.copy()
        placed[:, :2] = matrix[:, :2] * factor
        # pixel centres: p of the smaller copy lies at (p + 1/2) f - 1/2 of the part
        placed[:, 2] = apply(matrix, (offset + 0.5 * factor - 0.5)[None])[0]
    warped: Image = cv2.warpAffine(
        image, placed, frame.size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return warped


def around_face(points: Floats, step: int = 1) -> Part:
    """The part of the head frame that is half as large again as the face's outline.

    It begins at even rows and columns; with ``step`` 2 it has no others.
    """
    outline = points[list(OUTLINE)]
    low, high = outline.min(axis=0), outline.max(axis=0)
    x0, y0 = (np.clip(low - 0.25 * (high - low), 0, None).astype(int) // 2 * 2).tolist()
    x1, y1 = np.ceil(high + 0.25 * (high - low)).astype(int).tolist()
    return slice(y0, min(y1, HEAD.height), step), slice(x0, min(x1, HEAD.width), step)


def inside(shape: tuple[int, ...], matrix: Floats, frame: Frame) -> npt.NDArray[np.bool_]:
    """Which pixels of a frame the photo covers."""
    x = np.arange(frame.width, dtype=np.float32)[None, :]
    y = np.arange(frame.height, dtype=np.float32)[:, None]
    back = invert(matrix).astype(np.float32)
    seen = np.ones((frame.height, frame.width), bool)
    for (a, b, c), side in zip(back, (shape[1], shape[0]), strict=True):
        place = (a * x + c) + b * y
        seen &= (place >= 0) & (place <= side - 1)
    return seen


def region(
    rgb: Image, to_photo: Floats, box: tuple[int, int, int, int], margin: int = 2
) -> tuple[Image, Floats]:
    """The part of the photo under a box of a frame (a view) and the (x, y) of its first pixel."""
    x0, y0, x1, y1 = box
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float64)
    placed = apply(to_photo, corners)
    limit = np.array([rgb.shape[1] - 1, rgb.shape[0] - 1])
    low = np.clip(np.floor(placed.min(axis=0)).astype(int) - margin, 0, limit)
    high = np.clip(np.ceil(placed.max(axis=0)).astype(int) + margin, low + 1, limit + 1)
    return rgb[low[1] : high[1], low[0] : high[0]], low.astype(np.float64)


def used(alpha: npt.NDArray[np.generic]) -> tuple[int, int, int, int]:
    """The ``xyxy`` box around all pixels that are not 0; empty where there are none."""
    x, y, width, height = cv2.boundingRect((alpha != 0).view(np.uint8))
    return x, y, x + width, y + height
