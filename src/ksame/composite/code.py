"""A face as a vector for grouping people: inner texture, shape, tone and the layout of the hair.

No model is learned for it: the code of a face does not depend on the other faces of the collection.
Each block is scaled by what two different people typically differ by in it, then weighted.
"""

from typing import Final

import cv2
import numpy as np

from ksame.arrays import Floats, Image
from ksame.composite.blend import GREY_WEIGHTS
from ksame.composite.frame import HEAD, LEFT_EYE_CORNERS, RIGHT_EYE_CORNERS

_SIZE = (28, 32)  # of the inner face, in pixels
_HAIR_SIZE = (14, 16)  # of the whole head
_OVAL_WIDTH = 0.95  # of the inner face: its corners are hair or wall
_DARKEST = 4.0  # grey levels: darker tones are taken for this one
_ANCHORS = np.array([[7.5, 11.0], [19.5, 11.0], [13.5, 25.0]], np.float32)  # eyes, mouth
# typical root-mean-square difference of two people in each block (242 real faces)
_SPREAD: Final = {"texture": 0.72, "shape": 0.055, "tone": 0.9, "hair": 0.27}
_WEIGHT: Final = {"texture": 1.0, "shape": 0.6, "tone": 0.5, "hair": 0.3}


def encode(view: Image, layer: Image, points: Floats, tone: Floats) -> Floats:
    """The code of one face in the head frame."""
    blocks = {
        "tone": np.log(np.maximum(tone, _DARKEST)) * 3,
        "texture": _texture(view, points),
        "shape": (points[:468] - points[:468].mean(axis=0)).ravel() / HEAD.eyes,
        "hair": _hair(layer),
    }
    scaled = [
        block * (_WEIGHT[name] / (_SPREAD[name] * np.sqrt(block.size)))
        for name, block in blocks.items()
    ]
    return np.concatenate(scaled)


def _texture(view: Image, points: Floats) -> Floats:
    """The inner face, aligned at eyes and mouth, its light's mean and spread taken out."""
    eyes = [points[list(eye)].mean(axis=0) for eye in (RIGHT_EYE_CORNERS, LEFT_EYE_CORNERS)]
    mouth = points[[61, 291]].mean(axis=0)
    source = np.array([*eyes, mouth], np.float32)
    matrix = cv2.getAffineTransform(source, _ANCHORS * 2)
    patch = cv2.warpAffine(view, matrix, (_SIZE[0] * 2, _SIZE[1] * 2), flags=cv2.INTER_AREA)
    patch = cv2.resize(patch, _SIZE, interpolation=cv2.INTER_AREA).astype(np.float64)
    grey = patch @ np.array(GREY_WEIGHTS)
    x, y = np.meshgrid(np.linspace(-1, 1, _SIZE[0]), np.linspace(-1, 1, _SIZE[1]))
    oval = (x / _OVAL_WIDTH) ** 2 + y**2 <= 1
    values = grey[oval]
    even: Floats = (values - values.mean()) / max(float(values.std()), 1.0)
    return even


def _hair(layer: Image) -> Floats:
    """Where the head is and how light it is there, coarsely."""
    small = cv2.resize(layer, _HAIR_SIZE, interpolation=cv2.INTER_AREA).astype(np.float64) / 255
    grey = small[..., :3] @ np.array(GREY_WEIGHTS)
    return np.concatenate([grey.ravel(), small[..., 3].ravel()])


def without_tone(code: Floats) -> Floats:
    """A code that does not tell light skin from dark."""
    return np.concatenate([np.zeros(3), code[3:]])
