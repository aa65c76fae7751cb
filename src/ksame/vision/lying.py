"""Heads that lie on their side or stand on their head, beside others that are upright.

The detector knows upright faces, and those that are tilted by some 45 degrees. Of 80 faces of real
photographs, put beside an upright one and turned by 60 to 150 degrees, the plain passes missed 34
to 62%. So every photo is also looked at with each of its other sides up, and what only these looks
see is a face if CenterFace, shown it upright, sees one too: of 277 photos a glove and a wheel are
taken for faces. Of 60 faces turned so in photos of 1,600 px the plain passes saw .18 where they had
64 px and .38 at 100 px, with these looks .65 and .80.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from ksame.arrays import Floats, Image
from ksame.faces import Face, Faces
from ksame.geometry import centre, intersection, is_seen_again
from ksame.vision.centerface import centre_score
from ksame.vision.detectors import Detector
from ksame.vision.faint import CONFIRMED
from ksame.vision.passes import Search, detect_quarters

_SMALLEST: Final = 16  # px: smaller ones tell nobody
_AGREED: Final = 0.5  # CenterFace's score
_WIDTHS: Final = (2.0, 3.0)  # sides of the crops over the face's size


def lying_faces(rgb: Image, found: Faces, detector: Detector, least: float) -> list[Face]:
    """The faces of heads that lie, and are none of those that were found.

    ``least`` is the detector's score from which on CenterFace is asked.
    """
    search = Search(detector, least)
    looks = Faces.merge(detect_quarters(rgb, search))
    kept: list[Face] = []
    for face in looks[np.argsort(-looks.score, kind="stable")]:
        others = np.array([*found.xyxy, *(one.box for one in kept)]).reshape(-1, 4)
        if face.size < _SMALLEST or is_seen_again(face.box, others):
            continue
        if _agreed(rgb, face, others[intersection(face.box, others) > 0]):
            kept.append(replace(face, score=max(face.score, CONFIRMED)))
    return kept


def _agreed(rgb: Image, face: Face, beside: Floats) -> bool:
    """Whether CenterFace sees a face that is none of those beside it, in a crop turned upright."""
    across = face.points[1] - face.points[0]
    roll = float(np.arctan2(across[1], across[0]))
    middle = centre(face.box[None])[0]
    return any(
        centre_score(rgb, middle, float(face.size), wide, beside, roll) >= _AGREED
        for wide in _WIDTHS
    )
