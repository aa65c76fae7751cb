"""Encoding: what was rendered is found again, and the networks agree with what was asked."""

import cv2
import numpy as np
import pytest

from ksame.codecs.face import Looks


def pasted(model, identity, expression, size=420, turn=0.0):
    """The model's face seen from the front or a little turned, and its landmarks."""
    from tools.face_model.look import render, turn_of

    rgb = render(model, identity, expression, yaw=turn, size=size)
    shape = model.shape(identity, expression) @ turn_of(turn, 0).T
    points = shape[:478] * 0.42 * size + np.array([size / 2, size / 2, 0])
    return rgb, points


def cosine(a, b):
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


@pytest.fixture(autouse=True)
def _tools_can_be_imported(monkeypatch, repository):
    monkeypatch.syspath_prepend(str(repository))


@pytest.mark.parametrize("turn", [0.0, 20.0])
def test_a_rendered_face_is_encoded_as_itself(model, turn):
    rng = np.random.default_rng(12)
    codes = [model.draw(rng, Looks()) for _ in range(6)]
    found = [model.encode(*pasted(model, code, model.neutral, turn=turn)) for code in codes]
    likeness = np.array([[cosine(f, c) for c in codes] for f in found])
    assert (likeness.argmax(axis=1) == np.arange(len(codes))).all()
    assert np.diag(likeness).min() > 0.5


def test_light_from_one_side_hardly_changes_a_code(model):
    rgb, points = pasted(model, model.draw(np.random.default_rng(4), Looks()), model.neutral)
    ramp = np.linspace(1.25, 0.7, rgb.shape[1])[None, :, None]
    lit = np.clip(rgb * ramp, 0, 255).astype(np.uint8)
    assert cosine(model.encode(rgb, points), model.encode(lit, points)) > 0.9


def test_a_photo_of_another_size_gives_nearly_the_same_code(model):
    rgb, points = pasted(model, model.draw(np.random.default_rng(6), Looks()), model.neutral)
    large = cv2.resize(rgb, None, fx=2, fy=2, interpolation=cv2.INTER_LINEAR)
    same = model.encode(large, np.column_stack([(points[:, :2] + 0.5) * 2 - 0.5, points[:, 2] * 2]))
    assert cosine(model.encode(rgb, points), same) > 0.95


def test_codes_are_finite_for_a_black_photo(model):
    _, points = pasted(model, np.zeros(model.identity_size), model.neutral)
    code = model.encode(np.zeros((420, 420, 3), np.uint8), points)
    assert code.shape == (model.identity_size,)
    assert np.isfinite(code).all()
