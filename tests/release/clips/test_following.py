"""Landmarks of tilted heads in clips: followed where the detector's five points lie askew."""

import numpy as np
import pytest

from ksame import vision
from ksame.codecs.face import FaceModel
from ksame.faces import Face
from ksame.release.clips.following import AGAIN, Held, marks_of
from ksame.render.rough import average_shape
from ksame.vision import Landmarks, NoLandmarks, second_look

PIXELS = np.zeros((200, 200, 3), np.uint8)


def _tilted(degrees, score=1.0):
    shape = average_shape(FaceModel.load())
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    flat = (shape - shape.mean(axis=0))[:, :2] @ np.array([[cos, sin], [-sin, cos]])
    return Landmarks(flat * 50 + 100, shape[:, 2] * 50, score)


def _roll(marks):
    across = marks.five[1] - marks.five[0]
    return float(np.degrees(np.arctan2(across[1], across[0])))


def _face(tilt, told, score=0.9):
    """A face that is tilted, of which the detector's points tell another tilt."""
    points = _tilted(tilt).points
    return Face(np.concatenate([points.min(axis=0), points.max(axis=0)]), score, _tilted(told).five)


@pytest.fixture
def network(monkeypatch):
    """A landmark model that knows heads within 25 degrees of upright, and turns others half way."""

    def look(rgb, face, *, min_score=0.5, passes=2):
        across = face.points[1] - face.points[0]
        return _seen(float(np.degrees(np.arctan2(across[1], across[0]))), min_score)

    def _seen(shown, least=0.0):
        off = 45 - shown
        found = _tilted(45) if abs(off) < 25 else _tilted(shown + off / 2, 0.1)
        return found if found.score >= least else NoLandmarks("none")

    monkeypatch.setattr(vision, "find_landmarks", look)
    monkeypatch.setattr(vision, "follow_landmarks", lambda rgb, before: _seen(_roll(before)))
    monkeypatch.setattr(second_look, "find_landmarks_again", lambda *_: NoLandmarks("none"))
    monkeypatch.setattr(second_look, "second_opinion", lambda *_: 1.0)


def test_followed_landmarks_stay_where_the_points_of_a_tilted_head_lie_askew(network):
    held = Held(0, np.zeros(4), marks=_tilted(45))
    marks, _ = marks_of(PIXELS, _face(45, 10), held)
    assert marks.score == 1
    assert _roll(marks) == pytest.approx(45, abs=2)


def test_landmarks_that_drifted_are_not_found_anew(network, monkeypatch):
    drifted = Landmarks(_tilted(45).points + 20, _tilted(45).depth, 1.0)
    monkeypatch.setattr(vision, "follow_landmarks", lambda rgb, before: drifted)
    marks, _ = marks_of(PIXELS, _face(45, 10), Held(0, np.zeros(4), marks=drifted))
    assert marks.score == 0


@pytest.mark.parametrize(("score", "found"), [(0.9, True), (0.7, False)])
def test_a_tilted_head_is_shown_upright_step_by_step(network, score, found):
    """Only where the detector is sure: a hand would become a face, too."""
    marks, _ = marks_of(PIXELS, _face(45, -10, score), Held(0, np.zeros(4), missed=AGAIN))
    assert (marks.score == 1) is found
