"""What the last look alone takes for a face is judged as what was found at first is."""

from types import SimpleNamespace

import numpy as np
import pytest

from ksame.datasets.demo_people import demo_people
from ksame.faces import Face
from ksame.release import leftovers
from ksame.release.leftovers import hide_what_is_left
from ksame.release.styles.contract import Protected
from ksame.vision import find_faces


@pytest.fixture
def order():
    return SimpleNamespace(style="model", detector="yunet", untouched=(), on_failure="fill", seed=1)


@pytest.fixture
def photo():
    """A face to the left, and a plain wall to the right of it."""
    shown = demo_people().image(0)
    wall = np.full_like(shown, 120)
    return np.hstack([shown, wall])


def png(rgb):
    from ksame.media import encode_photo

    return encode_photo(rgb, "png")


def as_if_seen(monkeypatch, face):
    """The last look sees this face, until its place is told."""

    def look(picture, regions, *rest):
        told = any(np.allclose(face.box, box, atol=0.01) for box in regions)
        return ([], []) if told else ([], [face])

    monkeypatch.setattr(leftovers, "look_again", look)


def test_a_wall_is_left_and_told(order, photo, monkeypatch):
    width = photo.shape[1]
    box = np.array([0.70 * width, 40.0, 0.70 * width + 60, 110.0])
    points = box[:2] + np.array([[18, 24], [42, 24], [30, 40], [20, 54], [40, 54]])
    as_if_seen(monkeypatch, Face(box, 0.66, points))
    looked = hide_what_is_left(order, photo, Protected(photo.copy(), (), []), png)
    assert looked.late == ()
    assert (looked.picture == photo).all()
    assert np.allclose(looked.protected.ignored, [box], atol=0.01)


def test_a_face_is_hidden(order, photo, monkeypatch):
    (own,) = find_faces(photo)
    as_if_seen(monkeypatch, Face(own.box, 0.66, own.points))
    looked = hide_what_is_left(order, photo, Protected(photo.copy(), (), []), png)
    assert np.allclose(looked.late[0].box, own.box, atol=0.01)
    assert looked.protected.ignored == ()
