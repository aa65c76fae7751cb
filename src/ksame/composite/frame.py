"""The canonical head frame: where every head lies before it is averaged or placed.

A head is brought into the frame by position, scale and in-plane rotation only, so that what a
group shares in the frame is what its photos share.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from ksame import geometry
from ksame.arrays import Bools, Floats, Image
from ksame.vision.images import halved, halvings

RIGHT_EYE_CORNERS: Final = (33, 133)  # of the subject, outer first
LEFT_EYE_CORNERS: Final = (263, 362)
RIGHT_RIM, LEFT_RIM, CHIN, NOSE = 234, 454, 152, 1
BETWEEN_EYES, UNDER_LIP = 168, 17
# the closed outline of the 478-point mesh
OUTLINE: Final = (
    10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377,
    152, 148, 176, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
)  # fmt: skip


@dataclass(frozen=True)
class HeadFrame:
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
# what is averaged and placed
HEAD: Final = HeadFrame(width=448, height=512, eyes=96.0, level=232.0)
# the same view, coarser: masks are no finer
MATTE: Final = HeadFrame(width=224, height=256, eyes=48.0, level=116.0)
# wider and coarser: what is split, removed and filled
SCENE: Final = HeadFrame(width=304, height=320, eyes=40.0, level=148.0)
_LEAST_COSINE: Final = 0.5  # of the yaw: beyond 60 degrees the eyes tell no size
_MARGIN: Final = 0.25  # of the face around it, on each side
LIGHT: Final = 0.47  # eye distances; what is coarser is a scene's light and identifies nobody


def eyes_of(points: Floats) -> tuple[Floats, Floats]:
    """The centres of the subject's right and left eye, by their corners: blinks do not count."""
    return points[list(RIGHT_EYE_CORNERS)].mean(axis=0), points[list(LEFT_EYE_CORNERS)].mean(axis=0)


def yaw_of(points: Floats, depth: Floats) -> float:
    """How far the head is turned, in degrees; positive towards the right of the picture."""
    across = points[LEFT_RIM] - points[RIGHT_RIM]
    return float(np.degrees(np.arctan2(depth[LEFT_RIM] - depth[RIGHT_RIM], np.hypot(*across))))


def nose_offset(points: Floats) -> float:
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
    apart = max(float(np.hypot(dx, dy)), 1e-6) / max(np.cos(np.radians(yaw)), _LEAST_COSINE)
    scale = HEAD.eyes / apart
    angle = np.arctan2(dy, dx)
    cos, sin = scale * np.cos(angle), scale * np.sin(angle)
    turn = np.array([[cos, sin], [-sin, cos]])
    shift = np.array([HEAD.width / 2, HEAD.level]) - turn @ ((right + left) / 2)
    matrix: Floats = np.c_[turn, shift]
    return matrix


def view_of(rgb: Image, matrix: Floats, frame: HeadFrame = HEAD) -> Image:
    """A frame's view of a photo, the border repeated beyond; ``matrix``: photo to that frame.

    A photo that is much finer than the frame is first shrunk around the head: four neighbours of a
    pixel are too few where more than two pixels become one.
    """
    times = halvings(1 / geometry.scale(matrix))
    image, placed = rgb, matrix
    if times:
        factor = 2**times
        image, offset = part_under(rgb, geometry.inverse(matrix), (0, 0, *frame.size), 4 * factor)
        image = halved(image, times)
        placed = matrix.copy()
        placed[:, :2] = matrix[:, :2] * factor
        # pixel centres: p of the smaller copy lies at (p + 1/2) f - 1/2 of the part
        placed[:, 2] = geometry.apply(matrix, (offset + 0.5 * factor - 0.5)[None])[0]
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
    x0, y0 = (np.clip(low - _MARGIN * (high - low), 0, None).astype(int) // 2 * 2).tolist()
    x1, y1 = np.ceil(high + _MARGIN * (high - low)).astype(int).tolist()
    return slice(y0, min(y1, HEAD.height), step), slice(x0, min(x1, HEAD.width), step)


def covered_by_photo(shape: tuple[int, ...], matrix: Floats, frame: HeadFrame) -> Bools:
    """Which pixels of a frame the photo covers."""
    x = np.arange(frame.width, dtype=np.float32)[None, :]
    y = np.arange(frame.height, dtype=np.float32)[:, None]
    back = geometry.inverse(matrix).astype(np.float32)
    seen = np.ones((frame.height, frame.width), bool)
    for (a, b, c), side in zip(back, (shape[1], shape[0]), strict=True):
        place = (a * x + c) + b * y
        seen &= (place >= 0) & (place <= side - 1)
    return seen


def part_under(
    rgb: Image, to_photo: Floats, box: tuple[int, int, int, int], margin: int = 2
) -> tuple[Image, Floats]:
    """The part of the photo under a box of a frame (a view) and the (x, y) of its first pixel."""
    placed = geometry.apply(to_photo, geometry.corners(box))
    limit = np.array([rgb.shape[1] - 1, rgb.shape[0] - 1])
    low = np.clip(np.floor(placed.min(axis=0)).astype(int) - margin, 0, limit)
    high = np.clip(np.ceil(placed.max(axis=0)).astype(int) + margin, low + 1, limit + 1)
    return rgb[low[1] : high[1], low[0] : high[0]], low.astype(np.float64)


def bounding_box(alpha: npt.NDArray[np.generic]) -> tuple[int, int, int, int]:
    """The ``xyxy`` box around all pixels that are not 0; empty where there are none."""
    shown = alpha if alpha.dtype == np.bool_ else alpha != 0
    x, y, width, height = cv2.boundingRect(shown.view(np.uint8))
    return x, y, x + width, y + height
