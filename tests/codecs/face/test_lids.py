"""Lids that close become skin: an open eye's socket and lashes are not stretched over them."""

import numpy as np
import pytest

from ksame.codecs.face import EXPRESSION_NAMES

UPPER_LIDS = {"blinkLeft": (258, 257, 386), "blinkRight": (28, 27, 159)}
UPPER_EDGES = ((388, 387, 386, 385, 384), (161, 160, 159, 158, 157))
CHEEKS = (50, 280, 101, 330)


def shut(model, *eyes):
    weights = model.neutral
    for eye in eyes:
        weights[EXPRESSION_NAMES.index(eye)] = 1.0
    return weights


def brightness(model, texture, points):
    x, y = np.round(model.places[list(points)].mean(axis=0)).astype(int)
    return float(texture[y - 1 : y + 2, x - 1 : x + 2].mean())


@pytest.mark.parametrize("number", [3, 90, 200])
def test_closed_lids_are_nearly_as_bright_as_cheeks(model, number):
    code = model.faces.codes[number % len(model.faces.codes)]
    texture = model.texture(code, shut(model, "blinkLeft", "blinkRight"))
    cheek = np.mean([brightness(model, texture, [point]) for point in CHEEKS])
    for points in UPPER_LIDS.values():
        assert brightness(model, texture, points) > 0.7 * cheek


def test_each_eye_closes_alone(model):
    code = model.faces.codes[3]
    open_, winking = (
        model.texture(code, model.neutral),
        model.texture(code, shut(model, "blinkLeft")),
    )
    middle = model.side // 2
    left, right = slice(middle, None), slice(None, middle)
    band = slice(int(model.places[159, 1]) - 20, int(model.places[145, 1]) + 6)
    # folds of the skin move both halves a little
    assert np.abs(open_[band, left].astype(int) - winking[band, left]).max() > 40
    assert np.abs(open_[band, right].astype(int) - winking[band, right]).max() < 25


def test_open_eyes_have_lashes_and_are_else_left_alone(model):
    code = model.faces.codes[3]
    weights = model.neutral
    untouched = model._texture.decode(code[model.shape_size :], weights[:-2] - model._at_rest)
    darker = untouched.astype(int) - model.texture(code, weights)
    assert darker.min() >= 0
    lids = [point for points in UPPER_EDGES for point in points]
    x, y = np.round(model.places[lids]).astype(int).T
    assert (darker[y, x].mean(axis=1) > 0.2 * untouched[y, x].mean(axis=1)).all()
    far = np.ones(darker.shape[:2], bool)
    far[y.min() - 20 : y.max() + 20] = False
    assert not darker[far].any()
