"""Find every face of a photo, near and far, with YuNet at several scales.

YuNet sees faces of about 12 to 500 pixels. A photo is therefore searched at a fine scale for the
small faces and at coarser ones, each a quarter of the one before, for faces that fill the frame.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ksame.errors import InputError
from ksame.vision.images import check_rgb
from ksame.vision.passes import Pass, detect_all, detect_turned, stretched

Floats = npt.NDArray[np.float64]

FINEST_SIDE = 2560  # beyond it a pass takes more than a second
COARSEST_SIDE = 160  # a face that fills the photo still has the pixels that the network wants
_USUAL_SIDE = 640
_SMALLEST_SIDE = 256  # smaller photos are enlarged
_SHORT_SIDE = 320  # a face that fills a frame of this height is found
_STRIDE = 32  # the network pads each side to a multiple of it
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
        Long side in pixels of the finest pass over a 4:3 photo; others get as many pixels. A face
        must have about 12 pixels at that scale.
    turned : bool or None
        Also search copies of the photo that are turned, for heads that lie on their side or upside
        down, and one with its contrast stretched, for the nearly black ones. None does so where
        the plain passes found nothing.
    """
    if not 0 < min_score <= 1:
        raise InputError(f"min_score={min_score} must lie in (0, 1]. Take one of 0.5 to 0.9.")
    if finest < COARSEST_SIDE:
        raise InputError(f"finest={finest} must be at least {COARSEST_SIDE} pixels.")
    image = check_rgb(rgb)
    passes = _passes(image.shape[1], image.shape[0], finest)
    rows = detect_all(image, passes, min_score)
    if turned or (turned is None and not any(map(len, rows))):
        side = min(max(passes[0].width, passes[0].height), _USUAL_SIDE)
        rows += [detect_turned(image, angle, side, min_score) for angle in _TURNS]
        rows += detect_all(stretched(image), passes[-2:], min_score)
    faces = [_face(row) for row in _merge(np.concatenate(rows))]
    return sorted(faces, key=lambda face: -face.size)


def _passes(width: int, height: int, finest: int) -> list[Pass]:
    """The sizes at which a photo is searched, finest first.

    Photos above 640 px are searched at three quarters of their size: the smallest faces that are
    lost by it have fewer than 16 pixels, and the time is halved. What limits the finest pass is
    its number of pixels, so that a panorama is not shrunk until nobody can be seen.
    """
    long_side, short_side = max(width, height), min(width, height)
    fine = max(min(long_side, _USUAL_SIDE), int(0.75 * long_side) // _STRIDE * _STRIDE)
    most = finest * np.sqrt(0.75 * long_side / short_side)  # as many pixels as a 4:3 photo has
    scale = min(max(fine, _SMALLEST_SIDE), most) / long_side
    scales = [scale]
    while scale * short_side > _SHORT_SIDE:
        scale /= 4
        scales.append(scale)
    sizes = [(max(round(width * s), 1), max(round(height * s), 1)) for s in scales]
    return [Pass(*size, bordered=size == sizes[-1]) for size in sizes]


def _merge(rows: Floats) -> Floats:
    """Keep one row per face: the best scored of those that are the same.

    The same face: boxes that overlap, or centres that nearly coincide (a turned
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
        same |= (apart < 0.35 * small) & (large < 4 * small)
        inside = (shared > 0.8 * areas[i]) & (row[14] < others[:, 14] - 0.1)
        if not (same | inside).any():
            kept.append(i)
    return rows[kept]


def _face(row: Floats) -> Face:
    x, y, w, h = row[:4]
    return Face(np.array([x, y, x + w, y + h]), float(row[14]), row[4:14].reshape(5, 2).copy())
