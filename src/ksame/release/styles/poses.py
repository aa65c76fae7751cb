"""Whether a detection is a face, and how it is posed."""

from collections.abc import Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Final

import numpy as np

from ksame.arrays import Image
from ksame.faces import Face

if TYPE_CHECKING:
    from ksame.vision import Landmarks, NoLandmarks

_LEAST_ON_FACE: Final = 0.35  # of a face's box; profiles have about 0.45, most faces 0.7
# ... of one that is laid over skin that is seen; a fifth more than the verifier asks of it, since
# the face that is shown may be slimmer than the average one
_LEAST_PROFILE: Final = 0.29


def find_pose(rgb: Image, face: Face) -> "tuple[Landmarks | None, bool]":
    """Landmarks, if the face can be posed, and whether it is a face at all."""
    from ksame.codecs.face import FaceModel
    from ksame.render import rough_landmarks
    from ksame.vision import NoLandmarks
    from ksame.vision.second_look import (
        Verdict,
        judge,
        judge_landmarks,
        second_opinion,
        third_opinion,
    )

    third = cache(partial(third_opinion, rgb, face))
    for found in _looked_for(rgb, face):
        if not isinstance(found, NoLandmarks) and on_face(found, face):
            second = partial(second_opinion, rgb, face)
            verdict = judge_landmarks(face, found.score, third, second)
            posed = posed_if_turned(rgb, face, found) if verdict is Verdict.FACE else None
            return posed, verdict is not Verdict.NONE
    verdict = judge(face, 0.0, second_opinion(rgb, face), third)
    if verdict is Verdict.FACE:
        rough = posed_if_turned(rgb, face, rough_landmarks(FaceModel.load(), face))
        return rough if on_face(rough, face, _LEAST_PROFILE) else None, True
    return None, verdict is not Verdict.NONE


def _looked_for(rgb: Image, face: Face) -> "Iterator[Landmarks | NoLandmarks]":
    """The landmarks of a first look, if they are sure, and of a second that goes on from it."""
    from ksame.vision import find_landmarks
    from ksame.vision.second_look import SURE_MARKS, find_landmarks_again

    first = find_landmarks(rgb, face, min_score=0.0)
    if first and first.score >= SURE_MARKS:
        yield first
    yield find_landmarks_again(rgb, face, first=first)


def posed_if_turned(rgb: Image, face: Face, marks: "Landmarks") -> "Landmarks":
    """Landmarks of a head that is turned far, posed by its silhouette; others as they are."""
    from ksame.codecs.face import FaceModel
    from ksame.render.silhouette import posed_by_silhouette, turn_of, turned_far
    from ksame.vision.whole_heads import parts_of_head

    model = FaceModel.load()
    yaw, roll = turn_of(model, marks)
    if not turned_far(yaw, marks.score):
        return marks
    parts = parts_of_head(rgb, face.box, roll)
    posed = marks if parts is None else posed_by_silhouette(model, marks, face, parts)
    return posed if on_face(posed, face, _LEAST_PROFILE) else marks


def on_face(marks: "Landmarks", face: Face, least: float = _LEAST_ON_FACE) -> bool:
    """Whether landmarks lie on the face that was found: astray, they would leave it as it is."""
    import cv2

    corners = cv2.convexHull(marks.points.astype(np.float32))
    x0, y0, x1, y1 = (float(value) for value in face.box)
    box = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)
    both, _ = cv2.intersectConvexConvex(corners, box)
    return both >= least * max((x1 - x0) * (y1 - y0), 1.0)
