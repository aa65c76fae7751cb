"""Which pixels of a photo show people: hair, face, neck and body against the background."""

import cv2
import numpy as np

from ksame import geometry
from ksame.arrays import Floats32, Image
from ksame.errors import InputError
from ksame.faces import Face
from ksame.vision.images import check_rgb
from ksame.weights.session import session

_SIDE = 256
_AROUND = 3.2  # side of the window around a face, over the face's size


def person_mask(rgb: Image, face: Face | None = None) -> Floats32:
    """How surely each pixel of a photo belongs to a person, 0 to 1, as ``(h, w)``.

    The network sees 256 x 256 pixels. With ``face`` it looks at a window around that face only,
    so that small faces get sharp edges; outside of the window the mask is 0.
    """
    image = check_rgb(rgb)
    if face is None:
        return _mask(image)
    height, width = image.shape[:2]
    centre = geometry.centre(face.box)
    half = _AROUND / 2 * face.size
    x0, y0 = np.clip(np.floor(centre - half).astype(int), 0, None)
    x1, y1 = np.minimum(np.ceil(centre + half).astype(int), (width, height))
    if x1 <= x0 or y1 <= y0:
        raise InputError("the face lies outside of the photo; find_faces must see the same photo")
    whole = np.zeros((height, width), np.float32)
    whole[y0:y1, x0:x1] = _mask(image[y0:y1, x0:x1])
    return whole


def _mask(image: Image) -> Floats32:
    """The network's answer for one image, enlarged to its size."""
    height, width = image.shape[:2]
    shrink = height * width > 4 * _SIDE * _SIDE  # averaging takes time, and is not needed for less
    small = cv2.resize(
        image, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA if shrink else cv2.INTER_LINEAR
    )
    answer = session("selfie").run(small[None] * np.float32(1 / 255), ("activation_10",))[0]
    mask: Floats32 = cv2.resize(answer.reshape(_SIDE, _SIDE), (width, height))
    return np.clip(mask, 0.0, 1.0)
