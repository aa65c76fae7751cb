"""478 landmarks of a face: the mesh that registration, expression and compositing build on."""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ksame import geometry
from ksame.arrays import Floats, Image
from ksame.faces import Face
from ksame.vision.images import check_rgb
from ksame.vision.sampling import sample
from ksame.weights.session import session

RIGHT_EYE, LEFT_EYE = 33, 263  # the outer corners, of the subject
RIGHT_PUPIL, LEFT_PUPIL = 468, 473
NOSE_TIP, RIGHT_MOUTH, LEFT_MOUTH, CHIN, FOREHEAD = 1, 61, 291, 152, 10

_SIDE = 256  # pixels of the crop that the network sees
_SMALLEST = 8  # pixels of a face that has landmarks
_HOPELESS = 0.2  # score: above it, a badly placed crop may still lead to a good one
_EXTENT = (0.4, 2.5)  # of the landmarks over the detector's box
# two crops in which the network sees nearly the same: of the side, of the side, degrees
_SAME_PLACE, _SAME_SIDE, _SAME_ANGLE = 0.04, 0.08, 4
_MARGIN = 1.5  # side of the crop over the extent of the landmarks
# side of the first crop over YuNet's box: what the final crops of 98 faces had (s.d. 0.05)
_FIRST_MARGIN = 1.335


@dataclass(frozen=True)
class Landmarks:
    """The landmarks of one face.

    Attributes
    ----------
    points : (478, 2) array
        Photo pixels, x first; the numbering is that of MediaPipe's face mesh.
    depth : (478,) array
        In photo pixels as well, smaller is nearer to the camera.
    score : float
        How sure the model is that the crop shows a face, 0 to 1.
    """

    points: Floats
    depth: Floats = field(repr=False)
    score: float

    @property
    def five(self) -> Floats:
        """Eyes (pupils), nose tip and corners of the mouth, in the order of ``Face.points``."""
        return self.points[[RIGHT_PUPIL, LEFT_PUPIL, NOSE_TIP, RIGHT_MOUTH, LEFT_MOUTH]]

    @property
    def xyz(self) -> Floats:
        """Points and depth together, (478, 3): a row of ``Faces.landmarks``."""
        return np.column_stack([self.points, self.depth])


@dataclass(frozen=True)
class NoLandmarks:
    """Why a face has no landmarks; false where a truth value is asked."""

    reason: str

    def __bool__(self) -> Literal[False]:
        return False


@dataclass(frozen=True)
class _Crop:
    """A turned square of the photo."""

    centre: Floats
    side: float
    angle: float  # radians

    def resembles(self, other: "_Crop") -> bool:
        """Whether the network would see nearly the same in both."""
        apart = float(np.hypot(*(self.centre - other.centre)))
        turned = (self.angle - other.angle + np.pi) % (2 * np.pi) - np.pi
        return (
            apart < _SAME_PLACE * other.side
            and abs(self.side - other.side) < _SAME_SIDE * other.side
            and abs(turned) < np.radians(_SAME_ANGLE)
        )

    def to_photo(self) -> Floats:
        """The (2, 3) matrix from the crop's 256 x 256 pixels to the photo's."""
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        turn = np.array([[cos, -sin], [sin, cos]]) * (self.side / _SIDE)
        return np.column_stack([turn, self.centre - turn @ np.full(2, _SIDE / 2)])


def find_landmarks(
    rgb: Image, face: Face, *, min_score: float = 0.5, passes: int = 2
) -> Landmarks | NoLandmarks:
    """Find the 478 landmarks of a detected face.

    The first pass looks at a crop placed by the detector's five points, the next one at one placed
    by the landmarks themselves, which is what the network was trained on; it is left out where it
    would see nearly the same. Mean distance from where many passes end, of the distance between
    the outer corners of the eyes, on 99 faces of four sets: 0.3% after two passes, 0.5% where the
    second was left out (every other face), 1% after one pass elsewhere.
    """
    image = check_rgb(rgb)
    if face.size < _SMALLEST:
        return NoLandmarks(
            f"the face is {face.size:.0f} px high; landmarks need at least {_SMALLEST} px"
        )
    eyes, mouth = face.points[:2].mean(axis=0), face.points[3:].mean(axis=0)
    first = _Crop((eyes + mouth) / 2, _FIRST_MARGIN * face.size, _angle(*face.points[:2]))
    found = _predict(image, first)
    for _ in range(passes - 1):
        if found.score < _HOPELESS:
            break
        better = _crop_around(found.points)
        if better.resembles(first):
            break
        found, first = _predict(image, better), better
    if found.score < min_score:
        return NoLandmarks(
            f"the landmark model is {found.score:.2f} sure of a face; {min_score:.2f} is needed"
        )
    if fault := _fault(found.points, face):
        return NoLandmarks(fault)
    return found


def follow_landmarks(rgb: Image, before: Landmarks) -> Landmarks:
    """The landmarks of a face that was a little elsewhere in the frame before.

    One pass over the crop that the landmarks before ask for; the score says whether the face is
    still there.
    """
    return _predict(check_rgb(rgb), _crop_around(before.points))


def _fault(points: Floats, face: Face) -> str | None:
    """What makes landmarks unusable although the model is sure of them."""
    x0, y0, x1, y1 = face.box
    cx, cy = points.mean(axis=0)
    if not (x0 <= cx <= x1 and y0 <= cy <= y1):
        return "the landmarks lie outside the detected face"
    extent = float(np.ptp(points, axis=0).max())
    if not _EXTENT[0] < extent / face.size < _EXTENT[1]:
        return f"the landmarks span {extent / face.size:.1f} of the detected face"
    return None


def _angle(right: Floats, left: Floats) -> float:
    """The angle of the line from the subject's right eye to the left one."""
    return float(np.arctan2(left[1] - right[1], left[0] - right[0]))


def _crop_around(points: Floats) -> _Crop:
    """The crop that a face's landmarks ask for."""
    angle = _angle(points[RIGHT_EYE], points[LEFT_EYE])
    cos, sin = np.cos(angle), np.sin(angle)
    turn = np.array([[cos, sin], [-sin, cos]])
    level = points @ turn.T
    low, high = level.min(axis=0), level.max(axis=0)
    return _Crop(turn.T @ ((low + high) / 2), _MARGIN * float((high - low).max()), angle)


def _predict(image: Image, crop: _Crop) -> Landmarks:
    """One run of the network on one crop."""
    to_photo = crop.to_photo()
    patch = sample(image, to_photo, (_SIDE, _SIDE))
    picture = patch[None] * np.float32(1 / 255)
    answer, logit = session("landmarks").run(picture, ("Identity", "Identity_1"))
    mesh = answer.reshape(478, 3).astype(np.float64)
    points = geometry.apply(to_photo, mesh[:, :2])
    score = 1 / (1 + np.exp(-float(logit.ravel()[0])))
    return Landmarks(points, mesh[:, 2] * crop.side / _SIDE, float(score))
