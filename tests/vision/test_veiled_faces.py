"""Faces that only a raised contrast shows are found beside plain ones; noise is not."""

import numpy as np
import pytest

from ksame.datasets import demo_people
from ksame.faces import Faces
from ksame.vision import find_faces, find_faces_by, veiled
from ksame.vision.veiled import veiled_faces
from ksame.vision.yunet import YuNet

SURE = 0.6
VEILS = {
    "nearly black": lambda values: values * 0.03,
    "nearly white": lambda values: 255 - (255 - values) * 0.05,
    "hardly seen": lambda values: 128 + (values - 128) * 0.05,
}


def beside(veil):
    """A plain face to the left and a veiled one to the right of it."""
    people = demo_people()
    behind = np.clip(veil(people.image(3).astype(np.float64)), 0, 255).astype(np.uint8)
    return np.hstack([people.image(0), behind])


@pytest.mark.parametrize("veil", VEILS.values(), ids=VEILS)
def test_a_veiled_face_beside_a_plain_one(veil):
    photo = beside(veil)
    middle = photo.shape[1] / 2
    assert [face.box[0] < middle for face in find_faces(photo)] == [True]  # else it tells nothing
    found = find_faces_by("yunet", photo)
    assert sorted(bool(face.box[0] < middle) for face in found) == [False, True]
    (plain,) = find_faces(demo_people().image(3))
    (other,) = (face for face in found if face.box[0] >= middle)
    apart = np.linalg.norm(other.points - [middle, 0] - plain.points, axis=1)
    assert apart.max() < 0.2 * plain.size


def test_what_is_found_already_is_not_found_again():
    photo = beside(lambda values: values)
    assert not veiled_faces(photo, find_faces(photo), YuNet(), SURE)


def test_what_the_other_network_does_not_see_is_left(monkeypatch):
    photo = beside(VEILS["nearly white"])
    plain = find_faces(photo)
    assert len(veiled_faces(photo, plain, YuNet(), SURE)) == 1
    monkeypatch.setattr(veiled, "centre_score", lambda *asked: 0.3)
    assert not veiled_faces(photo, plain, YuNet(), SURE)


def test_raised_noise_is_nobody():
    rng = np.random.default_rng(0)
    for level in (4, 128, 250):
        photo = np.clip(rng.normal(level, 2, (400, 600, 3)), 0, 255).astype(np.uint8)
        assert not veiled_faces(photo, Faces.empty(), YuNet(), SURE)
