"""k-Same-M on the attacker's crops: an Active Appearance Model of the very people."""

from __future__ import annotations

import numpy as np

from ksame.arrays import Floats
from ksame.attacks.bench import Alter, Rows
from ksame.codecs.aam import ActiveAppearanceModel
from ksame.faceset import mean_by
from ksame.methods import KSameM
from ksame.recognition.contract import FaceImages
from ksame.recognition.crops import FACE

_MESH = 468  # of the 478 landmarks: without the irises
_SIZE = 128  # pixels of the mesh's longer side; the face of a crop has about 190


def k_same_m(k: int) -> Alter:
    """The mean of each group in a model trained on the set (M algorithm 4.1), drawn on its mean.

    The mesh ends at the hair line. What surrounds it is the mean of the group's crops, so that the
    whole crop is shared by k people.
    """

    def alter(faces: FaceImages, people: Rows) -> FaceImages:
        images = list(np.asarray(faces))
        shapes = np.stack([_points(image) for image in images])
        model = ActiveAppearanceModel(size=_SIZE).fit(images, shapes)
        found = [model.project(image, s) for image, s in zip(images, shapes, strict=True)]
        codes = np.array([one.code for one in found], dtype=np.float64)
        method = KSameM(k, random_state=0).fit(codes, persons=people)
        count = len(method.surrogates_)
        flat = np.asarray(faces, dtype=np.float64).reshape(len(faces), -1)
        around = mean_by(flat, method.labels_, count).reshape(count, *faces.shape[1:])
        pose = model.shape_.align(shapes.mean(axis=0))[1]
        drawn = [
            model.render(code, canvas=np.rint(canvas).astype(np.uint8), pose=pose)
            for code, canvas in zip(method.surrogates_, around, strict=True)
        ]
        return np.stack(drawn)[method.labels_]

    return alter


def _points(crop: FaceImages) -> Floats:
    """The mesh of a crop's face; where none is found, that of the mean face in its place."""
    from ksame.codecs.face import FaceModel
    from ksame.render import rough_landmarks
    from ksame.vision import Landmarks, find_landmarks

    found = find_landmarks(crop, FACE)
    marks = found if isinstance(found, Landmarks) else rough_landmarks(FaceModel.load(), FACE)
    return marks.points[:_MESH].astype(np.float64)
