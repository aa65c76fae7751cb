"""The parts around a detected face, told from a crop that shows the whole head and the shoulders.

The network that tells a head's parts was made for people before a camera. In a crop that ends at
the hair it sees no head where one is turned away, blurred or dark, and in a wider one it does: of
sixteen such faces of scenes four had their skin told in a crop of 1.8 times the face, thirteen in
one of 3.4 times.
"""

from importlib.util import find_spec

import cv2
import numpy as np

from ksame.arrays import Image
from ksame.faces import Face
from ksame.vision.images import check_rgb
from ksame.vision.parts import Parts, scores_of
from ksame.vision.sampling import sample
from ksame.weights.session import session

_SIDE = 256
_AROUND = 3.4  # side of the crop over the detected face's
_LYING = 100.0  # degrees of roll up to which the network tells a head as well as an upright one


def parts_of_head(rgb: Image, face: Face, roll: float = 0.0) -> Parts | None:
    """The parts around one face that is turned by ``roll`` radians in the picture.

    None where no runtime is installed that can run the network (LiteRT).
    """
    if find_spec("ai_edge_litert") is None:
        return None
    turn = roll if abs(roll) > np.radians(_LYING) else 0.0
    cos, sin = np.cos(turn), np.sin(turn)
    spin = np.array([[cos, -sin], [sin, cos]]) * (_AROUND * face.size / _SIDE)
    centre = (face.box[:2] + face.box[2:]) / 2
    to_photo = np.column_stack([spin, centre - spin @ np.full(2, (_SIDE - 1) / 2)])
    shown = sample(check_rgb(rgb), to_photo, (_SIDE, _SIDE), cv2.BORDER_REPLICATE)
    return Parts(scores_of(session("parts"), shown), to_photo)
