"""Faces of which the detector is hardly sure, and a network of another family is.

Masks, caps, the dark and a neighbour's head leave YuNet less than its usual 0.6. In 277 photographs
it has 889 faint detections of 12 px or more; of those of 16 px or more that lie on no sure face,
CenterFace sees a face near the middle of 184. Looked at one by one, 105 of them are a sure face
beside, detected again and badly placed: a middle therefore counts for the nearest detection alone.
The 79 that stay are faces but for about three.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from ksame.arrays import Floats, Image
from ksame.faces import Face, Faces
from ksame.geometry import intersection, share_inside
from ksame.vision.centerface import centre_score

FAINT: Final = 0.3  # the detector's score from which on another network is asked
CONFIRMED: Final = 0.75  # the score of what both see: a face, though none of the surest
_SMALLEST: Final = 16  # px: smaller ones tell nobody, and there are very many
_AGREED: Final = 0.5  # CenterFace's score
# Sides of the crops over the face's size, narrow ones first: wide ones cost most. Behind each, the
# best score so far below which wider ones are not asked. Of 133 faint detections that CenterFace
# takes for faces, the narrow crop gives the least 0.18, and the better of the first two 0.46.
_WIDTHS: Final = ((2.0, 0.1), (3.0, 0.2), (4.5, 1.0))
_SURER: Final = 0.1  # of the score, by which a face must be surer to be the one found twice
_SAME: Final = 0.5  # of a faint detection on a sure one: the same face, as at the last look


def confirmed(
    rgb: Image, faces: Faces, sure: float, known: Callable[[Face], bool] | None = None
) -> Faces:
    """The faces with a score of ``sure`` or more, and the faint ones that CenterFace sees too.

    Of the first, those that a much surer face touches are left out if CenterFace sees a face there
    and it is that one: it was found twice. What CenterFace sees nothing of stays.
    What of a faint one lies outside of the photo does not count: a face that the border cuts is
    often found twice. ``known`` tells of a faint one that it is a face, so that nobody is asked.
    """
    kept, scores = [], []
    inside = replace(faces, xyxy=np.clip(faces.xyxy, 0, np.tile(rgb.shape[1::-1], 2)))
    sure_ones = inside.xyxy[faces.score >= sure]
    for i, (face, part) in enumerate(zip(faces, inside, strict=True)):
        if face.score >= sure:
            if not found_again(rgb, face, inside.xyxy[faces.score > face.score + _SURER]):
                kept.append(i)
                scores.append(float(face.score))
        elif not is_apart(part, sure_ones):
            continue
        elif (known is not None and known(face)) or sees_too(rgb, face, sure_ones):
            kept.append(i)
            scores.append(CONFIRMED)
    return replace(faces[kept], score=np.array(scores, np.float64))


def is_apart(face: Face, sure: Floats) -> bool:
    """Whether a faint detection is none of the sure ones (n, 4), found a second time."""
    return not (share_inside(face.box, sure) > _SAME).any()


def found_again(rgb: Image, face: Face, surer: Floats) -> bool:
    """Whether all that CenterFace sees of a face is a surer one (n, 4) that it touches."""
    beside = surer[intersection(face.box, surer) > 0]
    if not len(beside) or face.size < _SMALLEST:
        return False
    return not _agreed(rgb, face, beside) and _agreed(rgb, face, beside[:0])


def sees_too(rgb: Image, face: Face, sure: Floats) -> bool:
    """Whether CenterFace sees a faint detection's face, large enough to tell who it is.

    ``sure`` (n, 4) are the boxes of the sure faces of the same picture: a middle that is nearer to
    one of those which the detection touches is that face's, and confirms no other.
    """
    beside = sure[intersection(face.box, sure) > 0]
    return face.size >= _SMALLEST and _agreed(rgb, face, beside)


def _agreed(rgb: Image, face: Face, beside: Floats) -> bool:
    """Whether one of the crops shows CenterFace a face that is none of those beside it."""
    centre = (face.box[:2] + face.box[2:]) / 2
    best = 0.0
    for wide, hopeless in _WIDTHS:
        best = max(best, centre_score(rgb, centre, float(face.size), wide, beside))
        if best >= _AGREED or best < hopeless:
            break
    return best >= _AGREED
