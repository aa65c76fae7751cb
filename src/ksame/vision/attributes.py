"""Gender and age of a face, measured: columns for grouping inside classes where no CSV has them."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from ksame import weights
from ksame.vision.detect import Face
from ksame.vision.images import check_rgb
from ksame.vision.landmarks import Landmarks, NoLandmarks, find_landmarks
from ksame.vision.networks import network
from ksame.vision.sampling import inverse, sample, similarity

Floats = npt.NDArray[np.float64]

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
        """``child`` (under 18), ``young`` (under 35), ``middle`` (under 55) or ``old``."""
        return next(name for limit, name in _BANDS if self.age < limit)


def gender_age(
    rgb: npt.NDArray[np.uint8], face: Face, landmarks: Landmarks | None = None
) -> Attributes | NoLandmarks:
    """Gender and age of a detected face; ``landmarks`` saves finding them again."""
    found = landmarks or find_landmarks(rgb, face)
    if isinstance(found, NoLandmarks):
        return found
    image = check_rgb(rgb)
    gender = _probabilities("gender", _chip(image, found.points, 32))
    age = _probabilities("age", _chip(image, found.points, 64))
    years = np.arange(len(age), dtype=np.float64)
    years[0] = 0.25  # the first class are babies
    return Attributes(float(gender[0]), float(age @ years))


def _chip(image: npt.NDArray[np.uint8], points: Floats, size: int) -> npt.NDArray[np.uint8]:
    """The aligned chip of a face, without dlib."""
    places = (_CHIP_PLACES + _PADDING) / (2 * _PADDING + 1) * size
    return sample(image, inverse(similarity(points[list(_CHIP_POINTS)], places)), (size, size))


def _probabilities(name: str, chip: npt.NDArray[np.uint8]) -> Floats:
    net = network(name, lambda: cv2.dnn.readNetFromONNX(str(weights.path(name))))
    net.setInput(cv2.dnn.blobFromImage(chip, 1 / 256.0, mean=_MEANS))
    answer: Floats = net.forward().astype(np.float64).ravel()
    return answer
