"""The looks of a face and of a person: sex, age and skin tone, told against the light."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ksame.arrays import Image
from ksame.errors import InputError
from ksame.faces import Face
from ksame.vision.attributes import age_band, attributes_of
from ksame.vision.images import check_rgb
from ksame.vision.landmarks import Landmarks
from ksame.vision.tone import tell_tone

BEST_TONE = 8.0  # degrees: standard deviation of the tone of one face in good light
_SURE_SEX = (
    0.65  # probability from which a sex is told: whoever is likelier one is not taken for none
)
_UNSURE_TONE = 18.0  # degrees: a tone less certain than this is not told
_SEXED = 13.0  # years: below, the network's surest answers are as often wrong as right
_CLIPPED = 0.01  # a single photo is never surer than this of a sex


@dataclass(frozen=True, slots=True)
class FaceLooks:
    """What one photo of a face tells.

    Attributes
    ----------
    female : float
        The probability of female.
    age : float
        Years.
    tone : float
        The skin's individual typology angle in degrees, ``atan((L* - 50) / b*)``, as it would be in
        even, neutral light: about 60 for very light skin, -50 for very dark skin. NaN where it
        cannot be told, as in grey photos.
    tone_sure : float
        The weight of the tone, 0 to 1: ``(8 degrees / standard deviation) ** 2``. Weights of one
        person's photos add up.
    """

    female: float
    age: float
    tone: float
    tone_sure: float


@dataclass(frozen=True, slots=True)
class PersonLooks:
    """What all photos of a person tell.

    ``sex`` is ``female``, ``male`` or ``unsure``, and ``female`` how probable that one is, 0.5 for
    children; ``age_band`` is ``child`` (under 18), ``young``
    (under 35), ``middle`` (under 55) or ``old``; ``tone`` is as in `FaceLooks`, None where unsure.
    """

    sex: str
    female: float
    age: float
    age_band: str
    tone: float | None


def measure_looks(
    rgb: Image, face: Face, landmarks: Landmarks, faces: Sequence[Face] = ()
) -> FaceLooks:
    """The looks of a face in a photo.

    ``faces`` are all faces of the photo, where known: their pixels say nothing of the light that
    the surroundings tell. Landmarks that were made up from five points (score 0) tell no sex: the
    network knows faces from the front.
    """
    image = check_rgb(rgb)
    found = attributes_of(image, landmarks)
    female = found.female if landmarks.score > 0 else 0.5
    boxes = np.array([face.box, *(other.box for other in faces)])
    tone, deviation = tell_tone(image, landmarks.points, boxes)
    return FaceLooks(female, found.age, tone, min(1.0, (BEST_TONE / deviation) ** 2))


def pooled_looks(looks: Sequence[FaceLooks]) -> PersonLooks:
    """The looks of a person from those of the person's faces.

    Raises
    ------
    InputError
        No face is given.
    """
    if not looks:
        raise InputError("a person without faces has no looks; give at least one face.")
    age = float(np.median([one.age for one in looks]))
    female = 0.5 if age < _SEXED else _female([one.female for one in looks])
    return PersonLooks(_sex(female), female, age, age_band(age), _tone(looks))


def _female(female: Sequence[float]) -> float:
    """The probability that the mean of the log odds tells."""
    chance = np.clip(female, _CLIPPED, 1 - _CLIPPED)
    return float(1 / (1 + np.exp(-np.mean(np.log(chance / (1 - chance))))))


def _sex(female: float) -> str:
    """The sex of a probability."""
    if _SURE_SEX > female > 1 - _SURE_SEX:
        return "unsure"
    return "female" if female > 0.5 else "male"


def _tone(looks: Sequence[FaceLooks]) -> float | None:
    """The weighted mean of the tones; None where all weights together are too small."""
    told = [(one.tone, one.tone_sure) for one in looks if math.isfinite(one.tone)]
    weight = sum(sure for _, sure in told)
    if weight < (BEST_TONE / _UNSURE_TONE) ** 2:
        return None
    return sum(tone * sure for tone, sure in told) / weight
