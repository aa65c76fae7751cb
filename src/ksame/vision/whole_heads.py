"""The parts around a detected face, told from a crop that shows the whole head and the shoulders.

The network that tells a head's parts was made for people before a camera. In a crop that ends at
the hair it sees no head where one is turned away, blurred or dark, and in a wider one it does: of
sixteen such faces of scenes four had their skin told in a crop of 1.8 times the face, thirteen in
one of 3.4 times.
"""

from collections.abc import Sequence
from importlib.util import find_spec

import cv2
import numpy as np

from ksame.arrays import Floats, Image
from ksame.geometry import apply, inverse
from ksame.vision.images import check_rgb
from ksame.vision.parts import FACE_SKIN, LEAST, THINGS, Parts, extent_of, scores_of
from ksame.vision.sampling import sample
from ksame.weights.session import session

_SIDE = 256
_AROUND = 3.4  # side of the crop over the detected face's
_LYING = 100.0  # degrees of roll up to which the network tells a head as well as an upright one


# of a face that is skin or a thing before it: with less the network sees no head. Of 836 faces of
# scenes 55 have less, and 781 more
_SEEN = 0.35
_ITS_OWN = 0.5  # ... and with less in the wider crop it is a neighbour's skin that is seen


def parts_of_head(rgb: Image, box: Floats, roll: float = 0.0) -> Parts | None:
    """The parts around the face in a box (xyxy) that is turned by ``roll`` radians in the picture.

    None where no runtime is installed that can run the network (LiteRT).
    """
    if find_spec("ai_edge_litert") is None:
        return None
    turn = roll if abs(roll) > np.radians(_LYING) else 0.0
    cos, sin = np.cos(turn), np.sin(turn)
    size = float((box[2:] - box[:2]).max())
    spin = np.array([[cos, -sin], [sin, cos]]) * (_AROUND * size / _SIDE)
    centre = (box[:2] + box[2:]) / 2
    to_photo = np.column_stack([spin, centre - spin @ np.full(2, (_SIDE - 1) / 2)])
    shown = sample(check_rgb(rgb), to_photo, (_SIDE, _SIDE), cv2.BORDER_REPLICATE)
    return Parts(scores_of(session("parts"), shown), to_photo)


def with_whole_heads(
    rgb: Image,
    boxes: Sequence[Floats],
    faces: Sequence[Floats],
    told: Sequence[Parts | None],
) -> list[Parts | None]:
    """What was told of faces; where no head was seen, what a look at the whole head tells of it.

    ``faces`` are their (478, 2) landmarks, ``boxes`` where they were found.
    """
    found = list(told)
    for place, (box, points, parts) in enumerate(zip(boxes, faces, told, strict=True)):
        if parts is None or extent_of(points) < 2 * LEAST or _seen(parts, points) >= _SEEN:
            continue
        whole = parts_of_head(rgb, box)
        if whole is not None and _seen(whole, points) >= _ITS_OWN:
            found[place] = whole
    return found


def _seen(parts: Parts, points: Floats) -> float:
    """How much of a face is told to be its skin or a thing before it."""
    hull = cv2.convexHull(np.round(apply(inverse(parts.to_photo), points)).astype(np.int32))
    face = np.zeros(parts.scores.shape[:2], np.uint8)
    cv2.fillConvexPoly(face, hull, 1)
    inside = parts.scores[face > 0]
    return float((inside[:, FACE_SKIN] + inside[:, THINGS]).mean()) if len(inside) else 0.0
