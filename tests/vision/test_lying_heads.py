"""Heads that lie beside upright ones are found, and only where two networks see them."""

import cv2
import numpy as np
import pytest

from ksame.datasets import demo_people
from ksame.faces import Faces
from ksame.vision import find_faces, find_faces_by, lying
from ksame.vision.lying import lying_faces
from ksame.vision.second_look import third_opinion
from ksame.vision.yunet import YuNet

SIDE = 240  # px of the picture of the head that lies
SURE = 0.6


def beside(angle):
    """A photo of an upright head and one that is turned, and where the second one lies."""
    people = demo_people()
    photo = np.full((2 * SIDE, 4 * SIDE, 3), 128, np.uint8)
    photo[:, : 2 * SIDE] = cv2.resize(people.image(0), (2 * SIDE, 2 * SIDE))
    small = cv2.resize(people.image(1), (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    turn = cv2.getRotationMatrix2D((SIDE / 2, SIDE / 2), angle, 0.9)
    photo[SIDE // 2 : -SIDE // 2, -SIDE:] = cv2.warpAffine(
        small, turn, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE
    )
    return photo, np.array([3.5 * SIDE, SIDE])


def near(faces, middle):
    return [f for f in faces if np.hypot(*((f.box[:2] + f.box[2:]) / 2 - middle)) < 0.3 * f.size]


@pytest.mark.parametrize("angle", [90, 270, 285])
def test_a_head_that_lies_beside_an_upright_one(angle):
    photo, middle = beside(angle)
    assert not near(find_faces(photo), middle)  # else this tells nothing
    found = find_faces_by("yunet", photo)
    assert len(near(found, middle)) == 1
    assert len(found) == 2


@pytest.mark.parametrize("angle", [90, 180, 270])
def test_the_face_lies_where_the_photo_shows_it(portrait, face, angle):
    """Each of the three looks is brought back to the photo's own pixels."""
    height, width = portrait.shape[:2]
    wide = np.concatenate([portrait, np.full((height, 100, 3), 128, np.uint8)], axis=1)
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 0.7)
    photo = cv2.warpAffine(wide, turn, (width + 100, height), borderMode=cv2.BORDER_REPLICATE)
    found = lying_faces(photo, Faces.empty(), YuNet(), SURE)
    expected = cv2.transform(face.points[None], turn)[0]
    assert len(found) == 1
    assert np.linalg.norm(found[0].points - expected, axis=1).max() < 0.3 * face.size
    assert not lying_faces(photo, Faces.of(found), YuNet(), SURE)
    assert third_opinion(photo, found[0]) > 0.5


def test_what_the_other_network_does_not_see_is_left(monkeypatch):
    photo, _ = beside(90)
    upright = find_faces(photo)
    assert len(lying_faces(photo, upright, YuNet(), SURE)) == 1
    monkeypatch.setattr(lying, "centre_score", lambda *asked: 0.3)
    assert not lying_faces(photo, upright, YuNet(), SURE)
