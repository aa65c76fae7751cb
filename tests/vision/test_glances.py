"""A glance tells the parts of a face as a look does, and asks for one if something may hide it."""

import cv2
import numpy as np
import pytest

from ksame.errors import WeightsError
from ksame.vision import find_landmarks
from ksame.vision import glances as module
from ksame.vision.glances import for_half_the_side, glance_at_parts, may_hide
from ksame.vision.parts import FACE_SKIN, HAIR, Parts, find_parts, tile


@pytest.fixture(scope="module")
def points(portrait, face):
    return find_landmarks(portrait, face).points


def looks_closely(monkeypatch):
    """The numbers of faces that are looked at closely at once, from now on."""
    asked = []

    def look(rgb, faces):
        asked.append(len(faces))
        return find_parts(rgb, faces)

    monkeypatch.setattr(module, "find_parts", look)
    return asked


def told(parts, points):
    box = (*points.min(axis=0), *points.max(axis=0))
    return parts.over(box, (40, 50)).argmax(axis=2)


def with_bar(portrait, points, colour):
    """The portrait with a bar over nose and mouth."""
    x0, y0 = points.min(axis=0).astype(int)
    x1, y1 = points.max(axis=0).astype(int)
    hidden = portrait.copy()
    cv2.rectangle(hidden, (x0, (y0 + y1) // 2), (x1, (y0 + 4 * y1) // 5), colour, -1)
    return hidden


def test_a_glance_tells_what_a_look_tells(portrait, points):
    (look,) = find_parts(portrait, [points])
    both = glance_at_parts(portrait, [points, points])
    for glance in both:
        assert len(glance.scores) == 128
        assert (told(glance, points) == told(look, points)).mean() > 0.85


@pytest.mark.parametrize("colour", [(235, 240, 245), (20, 20, 25), (90, 120, 200)])
def test_a_face_behind_something_is_looked_at_closely(portrait, points, colour, monkeypatch):
    asked = looks_closely(monkeypatch)
    (parts,) = glance_at_parts(with_bar(portrait, points, colour), [points])
    assert asked == [1]
    assert len(parts.scores) == 256


@pytest.mark.parametrize(("count", "looks"), [(0, []), (3, []), (4, [4]), (6, [4])])
def test_many_faces_are_left_to_a_mosaic(portrait, points, count, looks, monkeypatch):
    asked = looks_closely(monkeypatch)
    found = glance_at_parts(portrait, [points] * count)
    assert len(found) == count
    assert None not in found
    assert asked == looks


def test_a_small_face_needs_no_second_look(portrait, points, monkeypatch):
    asked = looks_closely(monkeypatch)
    scale = 30 / np.ptp(points, axis=0).max()
    small = cv2.resize(portrait, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    (parts,) = glance_at_parts(small, [points * scale])
    assert len(parts.scores) == 128
    assert asked == []


@pytest.mark.parametrize(("covered", "hides"), [(0.0, False), (0.03, False), (0.1, True)])
def test_what_may_lie_in_front_is_counted_on_the_face(points, covered, hides):
    to_photo = tile(points, 128)
    scores = np.zeros((128, 128, 6), np.float32)
    scores[..., FACE_SKIN] = 1
    rows = round(128 / 1.8 * covered)  # of the face's own rows, at its middle
    scores[64 : 64 + rows, :, FACE_SKIN] = 0.7
    scores[64 : 64 + rows, :, HAIR] = 0.3
    scores[:10, :, FACE_SKIN] = 0  # hair above the face
    assert may_hide(Parts(scores, to_photo), points) is hides


def test_another_network_is_refused():
    with pytest.raises(WeightsError, match="not the one that is known"):
        for_half_the_side(b"another network")
