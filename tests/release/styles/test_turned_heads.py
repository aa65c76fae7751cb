"""Heads that are turned far: how they are posed when they are found."""

import numpy as np
import pytest

from ksame import vision
from ksame.codecs.face import FaceModel
from ksame.datasets import demo_people
from ksame.release.styles import poses
from ksame.vision import Face, Landmarks, find_faces, second_look, whole_heads
from ksame.vision.parts import BACKGROUND, FACE_SKIN, Parts


@pytest.fixture
def turned(monkeypatch):
    """A photo, and landmarks of a face in it as if it were turned by 50 degrees."""
    rgb = demo_people().image(0)
    face = next(iter(find_faces(rgb)))
    found = vision.find_landmarks(rgb, face)
    model = FaceModel.load()
    shape = model.shape(np.zeros(model.identity_size, np.float32), model.neutral)[:478]
    cos, sin = np.cos(np.radians(50)), np.sin(np.radians(50))
    solid = shape @ np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]]).T
    solid = solid * (np.ptp(found.points[:, 1]) / np.ptp(solid[:, 1]))
    points = solid[:, :2] - solid[:, :2].mean(axis=0) + found.points.mean(axis=0)
    marks = Landmarks(points, solid[:, 2], 0.9)
    monkeypatch.setattr(vision, "find_landmarks", lambda *_, **how: marks)
    monkeypatch.setattr(second_look, "find_landmarks_again", lambda *_, **how: marks)
    box = np.concatenate([points.min(axis=0), points.max(axis=0)])
    return rgb, Face(box, 0.95, marks.five), marks


def test_a_face_that_is_turned_far_follows_its_silhouette(turned, monkeypatch):
    rgb, face, marks = turned
    shift = 0.1 * face.size
    x0, y0, x1, y1 = face.box
    scores = np.zeros((*rgb.shape[:2], 6), np.float32)
    scores[..., BACKGROUND] = 1
    skin = slice(int(y0), int(y1)), slice(max(int(x0 + shift), 0), int(x1 + shift))
    scores[skin] = np.eye(6)[FACE_SKIN]
    monkeypatch.setattr(whole_heads, "parts_of_head", lambda *_: Parts(scores, np.eye(2, 3)))
    posed, is_face = poses.find_pose(rgb, face)
    assert is_face
    moved = (posed.points - marks.points)[:, 0].mean()
    assert 0.2 * shift < moved < 2 * shift


def test_without_the_network_the_landmarks_serve(turned, monkeypatch):
    rgb, face, marks = turned
    monkeypatch.setattr(whole_heads, "parts_of_head", lambda *_: None)
    posed, _ = poses.find_pose(rgb, face)
    assert np.array_equal(posed.points, marks.points)


def test_nobody_who_looks_ahead_is_looked_at_again(monkeypatch):
    rgb = demo_people().image(0)
    face = next(iter(find_faces(rgb)))
    asked = []
    monkeypatch.setattr(whole_heads, "parts_of_head", lambda *_: asked.append(1))
    assert poses.find_pose(rgb, face)[0] is not None
    assert not asked
