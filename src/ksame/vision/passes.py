"""Single passes of a detector over a photo: plain, turned, with its contrast stretched.

Each returns faces in photo pixels.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np

from ksame import geometry
from ksame.arrays import Floats, Image
from ksame.faces import Faces
from ksame.geometry import share_inside
from ksame.vision.detectors import Detector
from ksame.vision.images import halved, halvings

_BORDER = 0.2  # of the short side: faces that are cut by the frame are found as well
# what a look with mirrored borders is sure of at most: a hand and its mirror image are a face as
# often as half a face is, so that another network must agree
_MIRRORED = 0.55
_LEFT = 0.35  # of such a face that must lie inside: the others are mirror images alone
_LEAST = 1.0  # pixel; smaller boxes are no faces
_COPIES = 0.5  # of the photo's longer side
_SIDES = (420, 960)  # px: hardly anybody is large enough for less, and more takes too long
_QUARTERS = (cv2.ROTATE_90_COUNTERCLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_CLOCKWISE)
_FLAT = 3  # grey levels: a photo with less contrast than that shows nothing


class Search(NamedTuple):
    """Who looks at a photo, and how sure they must be."""

    detector: Detector
    min_score: float


class Pass(NamedTuple):
    """The size to which a photo is brought, and whether its edge is repeated around it."""

    width: int
    height: int
    bordered: bool


def detect_all(image: Image, passes: Sequence[Pass], search: Search) -> list[Faces]:
    """Passes over the photo as it is, the finest first: each is shrunk from the one before."""
    found, small = [], image
    for at in passes:
        small = _resized(small, at.width, at.height)
        found.append(_detect(small, at, image.shape, search))
    return found


def _detect(
    small: Image,
    at: Pass,
    shape: tuple[int, ...],
    search: Search,
    border: int = cv2.BORDER_REPLICATE,
) -> Faces:
    pad = round(_BORDER * min(at.width, at.height)) if at.bordered else 0
    if pad:
        small = cv2.copyMakeBorder(small, pad, pad, pad, pad, border)
    across, down = shape[1] / at.width, shape[0] / at.height
    to_photo = np.array([[across, 0.0, -pad * across], [0.0, down, -pad * down]])
    return _moved(_run(small, search), to_photo)


def detect_cut(image: Image, at: Pass, search: Search) -> list[Faces]:
    """One pass with the photo mirrored at its borders, for the faces that these cut in half.

    Only what reaches beyond the border is returned, as faint faces; the box of one is that of the
    whole face that half of it and its mirror image make.
    """
    if search.min_score > _MIRRORED:
        return []
    small = _resized(image, at.width, at.height)
    found = _detect(small, at, image.shape, search, cv2.BORDER_REFLECT)
    whole = np.array([0.0, 0.0, image.shape[1], image.shape[0]])
    inside = np.array([float(share_inside(box, whole[None])[0]) for box in found.xyxy])
    kept = found[np.flatnonzero((inside >= _LEFT) & (inside < 1))]
    return [replace(kept, score=np.minimum(kept.score, _MIRRORED))]


def detect_turned(image: Image, angle: float, side: int, search: Search) -> Faces:
    """One pass over a turned copy; boxes become the upright hulls of the turned ones."""
    height, width = image.shape[:2]
    scale = side / np.hypot(height, width)
    small = _resized(image, max(round(width * scale), 1), max(round(height * scale), 1))
    middle = (small.shape[1] / 2, small.shape[0] / 2)
    turn = cv2.getRotationMatrix2D(middle, angle, 1.0)
    turn[:, 2] += side / 2 - np.array(middle)
    found = _run(cv2.warpAffine(small, turn, (side, side)), search)
    enlarge = np.array([[width / small.shape[1]], [height / small.shape[0]]])
    return _moved(found, geometry.inverse(turn) * enlarge)


def detect_quarters(image: Image, search: Search) -> list[Faces]:
    """A pass over each small copy that is turned by one, two and three quarters."""
    height, width = image.shape[:2]
    small = shrunk(image)
    across, down = width / small.shape[1], height / small.shape[0]
    to_photo = (
        np.array([[0.0, -across, width], [down, 0.0, 0.0]]),
        np.array([[-across, 0.0, width], [0.0, -down, height]]),
        np.array([[0.0, across, 0.0], [-down, 0.0, height]]),
    )
    return [
        _moved(_run(cv2.rotate(small, turn), search), back)
        for turn, back in zip(_QUARTERS, to_photo, strict=True)
    ]


def shrunk(image: Image) -> Image:
    """The photo as copies are made of it, which are searched besides the photo as it is."""
    height, width = image.shape[:2]
    long = max(height, width)
    scale = min(float(np.clip(_COPIES * long, *_SIDES)) / long, 1.0)
    return _resized(image, max(round(width * scale), 1), max(round(height * scale), 1))


def stretched(image: Image) -> Image:
    """The photo with its contrast stretched: whoever is hidden in the dark is still there."""
    low, high = np.percentile(image[:: max(image.shape[0] // 256, 1)], [1, 99])
    if high - low < _FLAT:
        return image
    table = np.clip((np.arange(256) - low) * 255 / (high - low), 0, 255).astype(np.uint8)
    bright: Image = cv2.LUT(image, table)
    return bright


def _resized(image: Image, width: int, height: int) -> Image:
    if (width, height) == (image.shape[1], image.shape[0]):
        return image
    # averaging is not needed from a half on
    image = halved(image, halvings(min(image.shape[1] / width, image.shape[0] / height)))
    resized: Image = cv2.resize(image, (width, height), interpolation=cv2.INTER_LINEAR)
    return resized


def _run(small: Image, search: Search) -> Faces:
    """The detector on one image as it is, without boxes of no size."""
    faces = search.detector.detect(small, search.min_score)
    sides = faces.xyxy[:, 2:] - faces.xyxy[:, :2]
    large = sides.min(axis=1, initial=np.inf) > _LEAST
    return faces if large.all() else faces[np.flatnonzero(large)]


def _moved(faces: Faces, to_photo: Floats) -> Faces:
    """Faces of a pass in photo pixels."""
    if not len(faces):
        return faces
    x, y = faces.xyxy[:, [0, 2, 2, 0]], faces.xyxy[:, [1, 1, 3, 3]]
    corners = geometry.apply(to_photo, np.stack([x, y], axis=2))
    return replace(
        faces,
        xyxy=np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1),
        points=geometry.apply(to_photo, faces.points),
    )
