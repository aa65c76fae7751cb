"""Faces of which the detector is hardly sure, and a network of another family is.

Masks, caps, the dark and a neighbour's head leave YuNet less than its usual 0.6. In 277 photographs
it has 889 faint detections of 12 px or more; CenterFace takes 264 of them for faces. Looked at,
the 92 of 16 px or more among those are faces but for three.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from ksame.arrays import Floats, Image
from ksame.faces import Face, Faces
from ksame.geometry import share_inside
from ksame.vision.centerface import centre_score

FAINT: Final = 0.3  # the detector's score from which on another network is asked
CONFIRMED: Final = 0.75  # the score of what both see: a face, though none of the surest
_SMALLEST: Final = 16  # px: smaller ones tell nobody, and there are very many
_AGREED: Final = 0.5  # CenterFace's score
# Sides of the crops over the face's size, narrow ones first: wide ones cost most. Behind each, the
# best score so far below which wider ones are not asked. Of 133 faint detections that CenterFace
# takes for faces, the narrow crop gives the least 0.18, and the better of the first two 0.46.
_WIDTHS: Final = ((2.0, 0.1), (3.0, 0.2), (4.5, 1.0))
_SAME: Final = 0.5  # of a faint detection on a sure one: the same face, as at the last look


def confirmed(
    rgb: Image, faces: Faces, sure: float, known: Callable[[Face], bool] | None = None
) -> Faces:
    """The faces with a score of ``sure`` or more, and the faint ones that CenterFace sees too.

    What of a faint one lies outside of the photo does not count: a face that the border cuts is
    often found twice. ``known`` tells of a faint one that it is a face, so that nobody is asked.
    """
    kept, scores = [], []
    seen = np.clip(faces.xyxy, 0, np.tile(rgb.shape[1::-1], 2))
    sure_ones = seen[faces.score >= sure]
    for i, face in enumerate(faces):
        if face.score >= sure:
            kept.append(i)
            scores.append(float(face.score))
        elif (share_inside(seen[i], sure_ones) > _SAME).any():
            continue
        elif (known is not None and known(face)) or (
            face.size >= _SMALLEST and _agreed(rgb, face.box, float(face.size))
        ):
            kept.append(i)
            scores.append(CONFIRMED)
    return replace(faces[kept], score=np.array(scores, np.float64))


def _agreed(rgb: Image, box: Floats, size: float) -> bool:
    """Whether one of the crops shows CenterFace a face."""
    centre = (box[:2] + box[2:]) / 2
    best = 0.0
    for wide, hopeless in _WIDTHS:
        best = max(best, centre_score(rgb, centre, size, wide))
        if best >= _AGREED or best < hopeless:
            break
    return best >= _AGREED
