"""The parts of a head, told from a crop that shows the shoulders too."""

import cv2
import numpy as np
import pytest

from ksame.vision import find_landmarks
from ksame.vision.parts import CLOTHES, FACE_SKIN, HAIR
from ksame.vision.whole_heads import parts_of_head


def test_skin_hair_and_clothes_are_told_around_a_face(portrait, face):
    parts = parts_of_head(portrait, face)
    marks = find_landmarks(portrait, face)
    cheeks = parts.at(marks.points[[50, 280]].reshape(1, 2, 2).astype(np.float32))
    assert (cheeks[..., FACE_SKIN] > 0.5).all()
    x0, y0, x1, y1 = face.box
    half = 0.8 * face.size
    around = parts.over((x0 - half, y0 - half, x1 + half, y1 + half), (60, 80))
    assert (around[:25, :, HAIR] > 0.5).any()
    assert (around[65:, :, CLOTHES] > 0.5).any()


@pytest.mark.parametrize("turn", [cv2.ROTATE_90_CLOCKWISE, cv2.ROTATE_90_COUNTERCLOCKWISE])
def test_a_lying_head_is_shown_upright(portrait, face, turn):
    from ksame.vision import Face

    lying = cv2.rotate(portrait, turn)
    height, width = portrait.shape[:2]
    x, y = face.points.T
    if turn == cv2.ROTATE_90_CLOCKWISE:
        points, roll = np.stack([height - 1 - y, x], axis=1), np.pi / 2
    else:
        points, roll = np.stack([y, width - 1 - x], axis=1), -np.pi / 2
    half = face.size / 2
    middle = points.mean(axis=0)
    box = np.concatenate([middle - half, middle + half])
    parts = parts_of_head(lying, Face(box, 0.9, points), roll)
    nose = points[2].reshape(1, 1, 2).astype(np.float32)
    assert parts.at(nose)[0, 0, FACE_SKIN] > 0.5
