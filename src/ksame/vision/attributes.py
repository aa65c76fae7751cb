"""Gender and age of a face, measured: columns for grouping inside classes where no CSV has them."""

from dataclasses import dataclass

import cv2
import numpy as np

from ksame.arrays import Floats, Image
from ksame.faces import Face
from ksame.geometry import inverse, similarity
from ksame.vision.images import check_rgb
from ksame.vision.landmarks import Landmarks, NoLandmarks, find_landmarks
from ksame.vision.sampling import sample
from ksame.weights.session import session

# Both networks were trained on dlib's face chips: corners of the eyes and base of the nose at fixed
# places (left outer, left inner, right outer, right inner, nose), with 0.2 of padding around.
_CHIP_POINTS = (263, 362, 33, 133, 2)
_CHIP_PLACES = np.array(
    [
        [0.8595674595992, 0.2134981538014],
        [0.6460604764104, 0.2289674387677],
        [0.1205750620789, 0.2137274526848],
        [0.3340850613712, 0.2290642403242],
        [0.4901123135679, 0.6277975316475],
    ]
)
_PADDING = 0.2
_MEANS = (122.782, 117.001, 104.298)  # RGB, of the networks' training
_BANDS = ((18, "child"), (35, "young"), (55, "middle"), (200, "old"))
# Both networks look at mirrored chips as well, and the small one for gender at chips moved by this
# share of their side: its surest mistakes get fewer.
_MOVED = 0.02
_MOVES = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
# The network takes people of 18 to 30 for older than they are. Years that it says and years that
# they have: from 24 to 38 fitted on half of the people of three sets, below so that children stay
# children.
_SAID = (0.0, 12.0, 20.0, 24.0, 28.0, 32.0, 38.0, 80.0)
_TRUE = (0.0, 10.5, 15.0, 22.5, 24.0, 28.5, 34.0, 80.0)


@dataclass(frozen=True)
class Attributes:
    """What the attribute networks say of a face.

    ``female`` is the probability of female; ``age`` is in years and noisy: take the band.
    """

    female: float
    age: float

    @property
    def gender(self) -> str:
        """``female`` or ``male``, whichever is more probable."""
        return "female" if self.female >= 0.5 else "male"

    @property
    def age_band(self) -> str:
        """The band of `age_band`."""
        return age_band(self.age)


def age_band(age: float) -> str:
    """``child`` (under 18), ``young`` (under 35), ``middle`` (under 55) or ``old``."""
    return next(name for limit, name in _BANDS if age < limit)


def gender_age(
    rgb: Image, face: Face, landmarks: Landmarks | None = None
) -> Attributes | NoLandmarks:
    """Gender and age of a detected face; ``landmarks`` saves finding them again."""
    found = landmarks or find_landmarks(rgb, face)
    if isinstance(found, NoLandmarks):
        return found
    return attributes_of(check_rgb(rgb), found)


def attributes_of(image: Image, landmarks: Landmarks) -> Attributes:
    """Gender and age of a face with its landmarks."""
    gender = _probabilities("gender", [_chip(image, landmarks.points, 32, to) for to in _MOVES])
    age = _probabilities("age", [_chip(image, landmarks.points, 64)])
    years = np.arange(len(age), dtype=np.float64)
    years[0] = 0.25  # the first class are babies
    return Attributes(float(gender[0]), true_age(float(age @ years)))


def true_age(said: float) -> float:
    """The age in years of those whom the network gives ``said`` years."""
    return float(np.interp(said, _SAID, _TRUE))


def _chip(image: Image, points: Floats, size: int, move: tuple[int, int] = (0, 0)) -> Image:
    """The aligned chip of a face, without dlib."""
    places = ((_CHIP_PLACES + _PADDING) / (2 * _PADDING + 1) + np.multiply(move, _MOVED)) * size
    return sample(image, inverse(similarity(points[list(_CHIP_POINTS)], places)), (size, size))


def _probabilities(name: str, chips: list[Image]) -> Floats:
    """A network's mean answer to chips and their mirror images."""
    both = [*chips, *(np.ascontiguousarray(chip[:, ::-1]) for chip in chips)]
    (answer,) = session(name).run(cv2.dnn.blobFromImages(both, 1 / 256.0, mean=_MEANS), ())
    mean: Floats = answer.astype(np.float64).reshape(len(both), -1).mean(axis=0)
    return mean
