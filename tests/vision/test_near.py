"""What was changed in a picture is searched again; what was not is seen as before."""

import cv2
import numpy as np
import pytest

from ksame.datasets.demo_people import demo_people
from ksame.media import read_photo
from ksame.vision import find_faces
from ksame.vision.near import find_faces_near

SURE = 0.6
PLACES = [(60, 80), (700, 120), (1120, 500)]  # x, y of three portraits


@pytest.fixture(scope="module")
def crowd():
    """A wide picture of three people, and the boxes of their portraits."""
    picture = np.full((900, 1600, 3), 128, np.uint8)
    paths = demo_people().paths
    for (x, y), path in zip(PLACES, paths[:: len(paths) // 3], strict=False):
        picture[y : y + 300, x : x + 300] = cv2.resize(read_photo(path).rgb, (300, 300))
    return picture


def _seen(faces):
    return sorted((face.box.round(-1).tolist(), round(face.score, 1)) for face in faces)


def _portrait(number):
    x, y = PLACES[number]
    return np.array([x, y, x + 300, y + 300], np.float64)


@pytest.mark.parametrize("finest", [555, 832, 2560])
def test_a_part_and_what_was_seen_elsewhere_are_a_whole_look(crowd, finest):
    before = find_faces(crowd, SURE, finest=finest, turned=False)
    assert len(before) == 3
    after = crowd.copy()
    after[80:380, 60:360] = cv2.flip(after[80:380, 60:360], 1)
    near = find_faces_near(after, _portrait(0), SURE, finest=finest)
    assert len(near.faces) == 1
    whole = find_faces(after, SURE, finest=finest, turned=False)
    together = near.with_rest(before)
    for face in whole:
        best = min(np.abs(other.box - face.box).max() for other in together)
        assert best < 0.03 * face.size
    assert len(together) == len(whole) == 3


def test_a_face_that_was_put_into_the_part_is_found_and_one_that_was_hidden_is_not(crowd):
    before = find_faces(crowd, SURE, turned=False)
    hidden = crowd.copy()
    hidden[80:380, 60:360] = 128
    gone = find_faces_near(hidden, _portrait(0), SURE, finest=2560)
    assert len(gone.faces) == 0
    assert len(gone.with_rest(before)) == 2
    back = find_faces_near(crowd, _portrait(0), SURE, finest=2560)
    assert len(back.with_rest(find_faces(hidden, SURE, turned=False))) == 3


def test_where_most_of_a_picture_was_changed_all_of_it_is_searched(crowd):
    near = find_faces_near(crowd, np.array([0.0, 0.0, 1600, 900]), SURE, finest=832)
    assert _seen(near.faces) == _seen(find_faces(crowd, SURE, finest=832, turned=False))
    assert len(near.with_rest(near.faces)) == 3  # nothing is counted twice
