"""Parts of a head: told where they lie, alike for one face and for several at once."""

import numpy as np
import pytest

from ksame.codecs.face import FaceModel
from ksame.vision import find_landmarks
from ksame.vision.parts import FACE_SKIN, Parts, find_parts, tile


def box_of(points):
    return (*points.min(axis=0), *points.max(axis=0))


def test_a_face_is_face_skin(portrait, face):
    marks = find_landmarks(portrait, face)
    (parts,) = find_parts(portrait, [marks.points])
    skin = parts.over(box_of(marks.points), (40, 50))[..., FACE_SKIN]
    assert skin.shape == (50, 40)
    assert skin[15:40, 12:28].mean() > 0.6
    cheek = parts.at(marks.points[[50, 280]].reshape(1, 2, 2).astype(np.float32))
    assert (cheek[..., FACE_SKIN] > 0.5).all()


def test_several_faces_share_one_look(portrait, face):
    marks = find_landmarks(portrait, face)
    alone, *_ = find_parts(portrait, [marks.points])
    together = find_parts(portrait, [marks.points] * 3)
    box = box_of(marks.points)
    told = [parts.over(box, (40, 50))[..., FACE_SKIN] > 0.5 for parts in (alone, *together)]
    for other in told[1:]:
        assert (told[0] == other).mean() > 0.85


def test_tiny_faces_are_not_told(portrait, face):
    marks = find_landmarks(portrait, face)
    small = marks.points * (8 / np.ptp(marks.points, axis=0).max())
    assert find_parts(portrait, [small]) == [None]
    assert find_parts(portrait, []) == []


def test_places_are_those_of_the_photo():
    scores = np.zeros((8, 8, 6), np.float32)
    scores[2, 5, FACE_SKIN] = 1
    turned = Parts(scores, np.array([[0.0, -10, 200], [10, 0, 100]]))  # a quarter turn, ten times
    where = np.array([[[200 - 20, 100 + 50]]], np.float32)
    assert turned.at(where)[0, 0, FACE_SKIN] == 1


@pytest.mark.parametrize(("yaw", "roll"), [(0.0, 0.4), (80.0, 0.4), (-85.0, -0.3)])
def test_a_profile_is_shown_upright_though_its_eyes_lie_together(yaw, roll):
    model = FaceModel.load()
    shape = model.shape(np.zeros(model.identity_size, np.float32), model.neutral)[:478]
    (cy, cr, cp), (sy, sr, sp) = (
        np.cos([yaw * np.pi / 180, roll, 0.1]),
        np.sin([yaw * np.pi / 180, roll, 0.1]),
    )
    nodded = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
    turned = nodded @ np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    points = (shape @ turned.T)[:, :2] @ np.array([[cr, -sr], [sr, cr]]).T
    to_photo = tile(100 * points, 64)
    assert abs(np.arctan2(to_photo[1, 0], to_photo[0, 0]) - roll) < np.radians(12)
