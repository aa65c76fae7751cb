"""Which cells around a face show its own skin, by the parts that a network tells."""

from typing import Final

import cv2
import numpy as np

from ksame.arrays import Bools, Floats32
from ksame.vision.parts import BACKGROUND, BODY_SKIN, CLOTHES, FACE_SKIN, HAIR, THINGS

OWN: Final = 0.5  # of a cell's score: more of it is the face's skin
_OF_FACE = 0.75  # of all skin under a face: with less the network takes the face for a body's
# what it costs to cover a cell that shows something else, of what background costs: hair and
# things lie before a face as well as beside it
_HAIR_COVERED, _THING_COVERED, _NECK_COVERED = 0.35, 0.5, 0.5


def skin_of_face(scores: Floats32, region: Bools) -> tuple[Floats32, float]:
    """How surely each cell is this face's skin, and what it costs to cover a neck's.

    Of a blurred face the network may take all for a body's skin. Glasses do not part a face.
    """
    skin, neck = scores[..., FACE_SKIN], 1.0
    either = skin + scores[..., BODY_SKIN]
    if skin[region].sum() < _OF_FACE * either[region].sum():
        skin, neck = either, _NECK_COVERED
    joined = (skin + scores[..., THINGS] > OWN).astype(np.uint8)
    joined = cv2.morphologyEx(joined, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    count, label = cv2.connectedComponents(joined)
    label[skin <= OWN] = 0
    votes = np.bincount(label[region], minlength=count)
    votes[0] = 0
    if not votes.any():
        return np.zeros_like(skin), neck
    own = cv2.dilate((label == votes.argmax()).astype(np.uint8), np.ones((3, 3), np.uint8))
    return np.where(own > 0, skin, 0).astype(np.float32), neck


def cost_of_covering(scores: Floats32, skin: Floats32, neck: float) -> Floats32:
    """What it costs to cover each cell: most on background, clothes and other people."""
    others = np.where(skin > 0, 0, scores[..., FACE_SKIN])
    cost: Floats32 = scores[..., BACKGROUND] + scores[..., CLOTHES] + neck * scores[..., BODY_SKIN]
    cost += others + _HAIR_COVERED * scores[..., HAIR] + _THING_COVERED * scores[..., THINGS]
    return cost
