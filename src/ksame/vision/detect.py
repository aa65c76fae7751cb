"""Find every face of a photo, near and far, with YuNet at several scales.

YuNet sees faces of about 12 to 500 pixels. A photo is therefore searched at a fine scale for the
small faces and at coarser ones, each a quarter of the one before, for faces that fill the frame.
"""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from ksame import weights
from ksame.errors import InputError
from ksame.vision.images import Image, check_rgb
from ksame.vision.networks import network

Floats = npt.NDArray[np.float64]

FINEST_SIDE = 2560  # long side of the finest pass: beyond it a pass takes more than a second
_USUAL_SIDE = 640
_SMALLEST_SIDE = 256  # smaller photos are enlarged
_COARSEST_SIDE = 160
_STRIDE = 32  # the network pads each side to a multiple of it
_BORDER = 0.2  # of the long side, around the coarsest pass: faces cut by the frame are found too
_TURNS = (90.0, -90.0, 180.0, 45.0, -45.0)


@dataclass(frozen=True)
class Face:
    """A detected face.

    Attributes
    ----------
    box : (4,) array
        ``xyxy`` in photo pixels; may reach over the border of the photo.
    score : float
        The detector's confidence, 0 to 1.
    points : (5, 2) array
        The subject's right eye, left eye, nose tip, right and left corner of the mouth.
    """

    box: Floats
    score: float
    points: Floats

    @property
    def size(self) -> float:
        """The longer side of the box."""
        return float(max(self.box[2] - self.box[0], self.box[3] - self.box[1]))


def find_faces(
    rgb: npt.NDArray[np.uint8],
    min_score: float = 0.6,
    *,
    finest: int = FINEST_SIDE,
    turned: bool | None = None,
) -> list[Face]:
    """Find the faces of a photo, the largest first.

    Parameters
    ----------
    rgb : (h, w, 3) or (h, w) uint8 array
    min_score : float
        Lower finds more and mistakes more things for faces.
    finest : int
        Long side in pixels of the finest pass; a face must have about 12 pixels at that scale.
    turned : bool or None
        Also search turned copies of the photo, for heads that lie on their side or upside down.
        None does so where the upright passes found nothing.
    """
    if not 0 < min_score <= 1:
        raise InputError(f"min_score={min_score} must lie in (0, 1]. Take one of 0.5 to 0.9.")
    image = check_rgb(rgb)
    sides = _sides(max(image.shape[:2]), finest)
    rows = [_detect(image, side, min_score, side == sides[-1]) for side in sides]
    if turned or (turned is None and not any(map(len, rows))):
        side = min(sides[0], _USUAL_SIDE)
        rows += [_detect_turned(image, angle, side, min_score) for angle in _TURNS]
    faces = [_face(row) for row in _merge(np.concatenate(rows))]
    return sorted(faces, key=lambda face: -face.size)


def _sides(long_side: int, finest: int) -> list[int]:
    """The long sides of the passes, finest first.

    Photos above 640 px are searched at three quarters of their size: the smallest faces that are
    lost by it have fewer than 16 pixels, and the time is halved.
    """
    fine = max(min(long_side, _USUAL_SIDE), int(0.75 * long_side) // _STRIDE * _STRIDE)
    sides = [min(max(fine, _SMALLEST_SIDE), finest)]
    while sides[-1] > 2 * _COARSEST_SIDE:
        sides.append(max(sides[-1] // 4, _COARSEST_SIDE))
    return sides


def _detect(image: Image, side: int, min_score: float, border: bool) -> Floats:
    """One pass; rows of x, y, w, h, ten coordinates of points and the score, in photo pixels."""
    height, width = image.shape[:2]
    scale = side / max(height, width)
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = image if size == (width, height) else cv2.resize(image, size, interpolation=method)
    pad = round(_BORDER * side) if border else 0
    if pad:
        small = cv2.copyMakeBorder(small, pad, pad, pad, pad, cv2.BORDER_REPLICATE)
    found = _run(small, min_score)
    found[:, [0, 1, *range(4, 14)]] -= pad
    found[:, :14] *= np.tile([width / size[0], height / size[1]], 7)
    return found


def _run(small: Image, min_score: float) -> Floats:
    """YuNet on one image as it is."""
    detector = network("yunet", _build)
    detector.setInputSize((small.shape[1], small.shape[0]))
    detector.setScoreThreshold(min_score)
    found = detector.detect(cv2.cvtColor(small, cv2.COLOR_RGB2BGR))[1]
    if found is None:
        return np.zeros((0, 15))
    rows: Floats = found.astype(np.float64)
    # a flat image can make the network answer with boxes of no size or with infinite ones
    return rows[np.isfinite(rows).all(axis=1) & (rows[:, 2] > 1) & (rows[:, 3] > 1)]


def _build() -> "cv2.FaceDetectorYN":
    return cv2.FaceDetectorYN.create(str(weights.path("yunet")), "", (320, 320), 0.6, 0.3, 5000)


def _detect_turned(image: Image, angle: float, side: int, min_score: float) -> Floats:
    """One pass over a turned copy; boxes become the upright hulls of the turned ones."""
    height, width = image.shape[:2]
    scale = side / np.hypot(height, width)
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), angle, scale)
    turn[:, 2] += side / 2 - np.array([width / 2, height / 2])
    canvas = cv2.warpAffine(image, turn, (side, side), flags=cv2.INTER_AREA)
    found = _run(canvas, min_score)
    if not len(found):
        return found
    back = cv2.invertAffineTransform(turn)
    x0, y0, w, h = found[:, :4].T
    corners = np.stack([x0, y0, x0 + w, y0, x0 + w, y0 + h, x0, y0 + h], axis=1)
    corners = cv2.transform(corners.reshape(-1, 4, 2), back).reshape(-1, 4, 2)
    found[:, 4:14] = cv2.transform(found[:, 4:14].reshape(-1, 5, 2), back).reshape(-1, 10)
    found[:, :2] = corners.min(axis=1)
    found[:, 2:4] = corners.max(axis=1) - found[:, :2]
    return found


def _merge(rows: Floats) -> Floats:
    """Keep one row per face: the best scored of those that are the same.

    The same face: boxes that overlap, or centres that nearly coincide at a similar size (a turned
    pass has larger boxes). A box inside a larger one is dropped only where it is clearly less
    certain, so that a child's face in front of an adult's stays.
    """
    rows = rows[np.argsort(-rows[:, 14], kind="stable")]
    areas = rows[:, 2] * rows[:, 3]
    sides, centres = np.sqrt(areas), rows[:, :2] + rows[:, 2:4] / 2
    kept: list[int] = []
    for i, row in enumerate(rows):
        others = rows[kept]
        low = np.maximum(row[:2], others[:, :2])
        high = np.minimum(row[:2] + row[2:4], others[:, :2] + others[:, 2:4])
        shared = np.clip(high - low, 0, None).prod(axis=1)
        small, large = np.minimum(sides[i], sides[kept]), np.maximum(sides[i], sides[kept])
        apart = np.linalg.norm(centres[i] - centres[kept], axis=1)
        same = shared > 0.4 * (areas[i] + areas[kept] - shared)
        same |= (apart < 0.35 * small) & (large < 2.5 * small)
        inside = (shared > 0.8 * areas[i]) & (row[14] < others[:, 14] - 0.1)
        if not (same | inside).any():
            kept.append(i)
    return rows[kept]


def _face(row: Floats) -> Face:
    x, y, w, h = row[:4]
    return Face(np.array([x, y, x + w, y + h]), float(row[14]), row[4:14].reshape(5, 2).copy())
