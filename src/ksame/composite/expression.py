"""An expression that a group does not have, taken over from somebody outside of it."""

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32, Image
from ksame.composite.blend import mix, times
from ksame.composite.layers import unmultiplied
from ksame.composite.masks import radial
from ksame.composite.mesh import Warp
from ksame.composite.portrait import Portrait

_INNER_LIPS = (
    78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308, 324, 318, 402, 317, 14, 87, 178, 88, 95,
)  # fmt: skip

_FACE_ENDS = (0.8, 0.95)  # of the outline: no change beyond it
_LIP_BLUR = 1.5  # pixels between the borrowed mouth and the mean's lips


def borrow(
    points: Floats, face: Image, tone: Floats, before: Portrait, after: Portrait
) -> tuple[Floats, Floats32]:
    """Change a neutral mean face as another person's face changes.

    The mesh moves as theirs does, and the change of their texture is added to the mean's. What
    shows between the lips is theirs: the neutral mean has nothing there. Nothing of the group's
    members beyond their neutral mean is used, so that the result singles out none of them.
    """
    moved = points + after.points - before.points
    warp = Warp(moved)
    base = warp(face, points).astype(np.float32)
    was, becomes = (_toned(warp, portrait, tone) for portrait in (before, after))
    change = times(cv2.GaussianBlur(becomes - was, (0, 0), 1.0), radial(moved, *_FACE_ENDS))
    mouth = np.zeros(face.shape[:2], np.float32)
    cv2.fillPoly(mouth, [np.round(moved[list(_INNER_LIPS)]).astype(np.int32)], 1.0)
    mouth = cv2.GaussianBlur(mouth, (0, 0), _LIP_BLUR)
    return moved, np.clip(mix(becomes, base + change, mouth), 0, 255)


def _toned(warp: Warp, portrait: Portrait, tone: Floats) -> Floats32:
    """A person's head on the mesh, in the group's skin tone."""
    layer = warp(portrait.layer, portrait.points)
    toned: Floats32 = unmultiplied(layer) * (tone / portrait.tone).astype(np.float32)
    return toned
