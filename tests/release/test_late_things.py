"""What the last look alone takes for a face is judged as what was found at first is."""

from types import SimpleNamespace

import numpy as np
import pytest

from ksame.datasets.demo_people import demo_people
from ksame.faces import Face
from ksame.release import leftovers
from ksame.release.find import FOUND
from ksame.release.last_look import still_bare
from ksame.release.leftovers import hide_what_is_left
from ksame.release.styles.contract import Protected
from ksame.store import Store
from ksame.vision import find_faces


@pytest.fixture
def order(tmp_path):
    store = Store(tmp_path)
    store.save(FOUND, "photo", {})
    return SimpleNamespace(
        style="model",
        detector="yunet",
        untouched=(),
        on_failure="fill",
        seed=1,
        faces=(),
        store=store,
        found="photo",
    )


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


def test_a_gap_between_known_faces_is_left(order, monkeypatch):
    """Models that are shown a gap see the faces beside it: they are known, and none is new."""
    shown = demo_people().image(0)
    photo = np.hstack([shown, shown])
    left, right = sorted(find_faces(photo), key=lambda face: face.box[0])
    order.faces = tuple(SimpleNamespace(box=tuple(f.box), surrogate=None) for f in (left, right))
    box = (left.box + right.box) / 2
    as_if_seen(monkeypatch, Face(box, 0.66, (left.points + right.points) / 2))
    assert hide_what_is_left(order, photo, Protected(photo.copy(), (), []), png).late == ()


def test_a_known_face_that_is_seen_again_is_hidden(order, photo, monkeypatch):
    (own,) = find_faces(photo)
    order.faces = (SimpleNamespace(box=tuple(own.box), surrogate=None),)
    aside = 0.2 * own.size * np.array([1, 0])
    as_if_seen(monkeypatch, Face(own.box + np.tile(aside, 2), 0.66, own.points + aside))
    assert len(hide_what_is_left(order, photo, Protected(photo.copy(), (), []), png).late) == 1


def test_what_the_detector_is_sure_of_is_no_thing_by_one_network_alone(order, photo, monkeypatch):
    from ksame.vision import second_look

    (own,) = find_faces(photo)
    monkeypatch.setattr(second_look, "third_opinion", lambda *_: 0.0)
    for score, hidden in ((0.66, 0), (0.9, 1)):
        as_if_seen(monkeypatch, Face(own.box, score, own.points))
        looked = hide_what_is_left(order, photo, Protected(photo.copy(), (), []), png)
        assert len(looked.late) == hidden


@pytest.fixture
def profile():
    """A face whose nose and mouth lie before what was drawn, and both pictures."""
    before = np.full((120, 120, 3), 30, np.uint8)
    after = before.copy()
    after[20:100, 20:76] = 200
    points = np.array([[50, 45], [66, 45], [86, 60], [82, 75], [86, 76]], np.float64)
    return Face(np.array([22.0, 20, 84, 100]), 0.9, points), before, after


def test_a_drawn_profile_is_not_bare_for_the_wall_before_it(profile):
    face, before, after = profile
    assert still_bare(face, before, after)
    assert not still_bare(face, before, after, [tuple(face.box)])


def test_a_box_elsewhere_and_a_bare_middle_excuse_nothing(profile):
    face, before, after = profile
    assert still_bare(face, before, after, [tuple(face.box + 60)])
    after[55:65, 40:60] = before[55:65, 40:60]
    assert still_bare(face, before, after, [tuple(face.box)])


@pytest.mark.parametrize("level", [0, 255])
def test_what_was_plain_white_or_black_is_not_bare(level):
    """A white mask that is drawn over a white thing is as white as that was."""
    before = np.full((200, 200, 3), 120, np.uint8)
    before[110:170, 40:160] = level
    after = before.copy()
    after[30:110, 40:160] = 90
    points = np.array([[75, 80], [125, 80], [100, 105], [80, 140], [120, 140]], float)
    face = Face(np.array([40.0, 30.0, 160.0, 170.0]), 0.9, points)
    assert not still_bare(face, before, after)
    before[110:170, 40:160] = after[110:170, 40:160] = abs(level - 3)
    assert still_bare(face, before, after)


def test_a_face_of_a_scan_in_black_and_white_alone_is_bare():
    """Every pixel of it is plain white or black, and it shows who it is all the same."""
    rgb = np.where(demo_people().image(0) > 110, 255, 0).astype(np.uint8)
    (own,) = find_faces(demo_people().image(0))
    assert still_bare(own, rgb, rgb.copy())
    half = rgb.copy()  # beside it somebody was drawn, over half of it
    middle = int(own.box[[1, 3]].mean() + 0.1 * own.size)
    half[middle:] = 120
    assert still_bare(own, rgb, half)
