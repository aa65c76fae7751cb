"""Faces that are nearly black, nearly white or hardly seen against their ground, beside plain ones.

Whoever raises the contrast of a released photo sees them. Of 80 faces of real photographs, put
beside a plain one, the plain passes missed 33 at a twentieth of their brightness, 76 at a
thirtieth, and 62 at a twelfth of their distance from white. So every photo is also looked at with
its contrast evened out place by place. What only this look sees is a face if CenterFace, shown the
same picture, sees one too; networks that see the photo as it is cannot tell.
"""

from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from ksame.arrays import Image
from ksame.faces import Face, Faces
from ksame.geometry import centre, intersection, is_seen_again
from ksame.vision.centerface import centre_score
from ksame.vision.detectors import Detector
from ksame.vision.passes import Pass, Search, detect_all, shrunk
from ksame.vision.second_look import SURE

_TILES: Final = 8  # across and down, each with a contrast of its own
_MOST: Final = 8.0  # times an even histogram: more would make faces of noise
_SMALLEST: Final = 16  # px: smaller ones tell nobody
_AGREED: Final = 0.5  # CenterFace's score
_WIDTHS: Final = (2.0, 3.0)  # sides of the crops over the face's size


def veiled_faces(rgb: Image, found: Faces, detector: Detector, least: float) -> list[Face]:
    """The faces that are seen once contrast is raised, and are none of those that were found.

    ``least`` is the detector's score from which on CenterFace is asked.
    """
    small = shrunk(rgb)
    scale = np.array([rgb.shape[1] / small.shape[1], rgb.shape[0] / small.shape[0]])
    even = evened(small)
    (seen,) = detect_all(even, [Pass(even.shape[1], even.shape[0], False)], Search(detector, least))
    kept: list[Face] = []
    for face in seen[np.argsort(-seen.score, kind="stable")]:
        box = face.box * np.tile(scale, 2)
        others = np.array([*found.xyxy, *(one.box for one in kept)]).reshape(-1, 4)
        there = replace(face, box=box, points=face.points * scale, score=max(face.score, SURE))
        if there.size < _SMALLEST or is_seen_again(box, others):
            continue
        beside = others[intersection(box, others) > 0] / np.tile(scale, 2)
        middle, size = centre(face.box[None])[0], float(face.size)
        if any(centre_score(even, middle, size, wide, beside) >= _AGREED for wide in _WIDTHS):
            kept.append(there)
    return kept


def evened(rgb: Image) -> Image:
    """The picture with its lightness stretched place by place (CLAHE)."""
    lab = cv2.cvtColor(rgb, cv2.COLOR_RGB2LAB)
    lab[..., 0] = cv2.createCLAHE(_MOST, (_TILES, _TILES)).apply(lab[..., 0])
    even: Image = cv2.cvtColor(lab, cv2.COLOR_LAB2RGB)
    return even
