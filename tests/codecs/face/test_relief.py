"""Textures as photographs show skin: relief that is strong enough, and no streaks, blue or glow."""

import cv2
import numpy as np
import pytest

from ksame.codecs.face import EXPRESSION_NAMES
from ksame.codecs.face.relief import fine_relief, in_relief

SIDE = 192
STREAK, SKIN = 2.0, 100.0


def half(values):
    return np.full((SIDE, SIDE // 2), SKIN, np.float32) * values


def test_relief_is_stronger_and_shading_as_it_was():
    wave = 1 + 0.08 * np.sin(np.arange(SIDE) / 2)[:, None] * np.ones(SIDE // 2)
    slope = np.linspace(0.8, 1.2, SIDE)[:, None] * np.ones(SIDE // 2)
    middle = slice(40, -40)
    relief = in_relief(half(wave))[middle].std() / half(wave)[middle].std()
    assert 1.2 < relief < 1.5
    assert np.allclose(in_relief(half(slope))[middle], half(slope)[middle], rtol=0.02)


def test_a_highlight_is_held_and_a_fold_is_not():
    bright, dark = half(1.0), half(1.0)
    bright[90:96], dark[90:96] = SKIN * STREAK, SKIN / STREAK
    assert in_relief(bright).max() < 1.5 * SKIN  # a streak that was twice as bright
    assert in_relief(dark).min() < SKIN / STREAK


def test_bright_lines_of_a_fine_layer_are_held():
    noise = np.random.default_rng(0).normal(0, 10, 20_000)
    noise[:20] = 120
    lifted = fine_relief(np.round(noise).astype(np.int8), 0.25)
    assert lifted[:20].max() < 120 * 0.25 / 2
    assert lifted[20:].std() > 1.2 * noise[20:].std() * 0.25


@pytest.mark.parametrize("number", [0, 9, 150, 301, 420])
def test_teeth_and_whites_of_eyes_are_no_bluer_than_photographs_show_them(model, number):
    texture = model.texture(model.faces.codes[number], model.neutral).astype(float)
    for corner, part in (
        (model._texture.mouth_corner, model._texture.mouths[0]),
        (model._texture.eye_corner, model._texture.eye_glint),
    ):
        rows, columns = (slice(c, c + n) for c, n in zip(corner, part.shape[:2], strict=True))
        red, green, blue = texture[rows, columns].reshape(-1, 3).T
        white = green >= np.percentile(green, 90)
        assert (red[white] - blue[white]).mean() > 8


def test_a_slit_between_lids_is_dark(model):
    """As bright as an open eye's white it would be a crease, and the eye shut."""
    weights = model.neutral
    open_ = model.texture(model.faces.codes[3], weights)
    weights[[EXPRESSION_NAMES.index(name) for name in ("blinkLeft", "blinkRight")]] = 0.5
    narrow = model.texture(model.faces.codes[3], weights)
    row, column = model._texture.eye_corner
    eye = (slice(row + 25, row + 45), slice(column + 25, column + 65))
    assert cv2.mean(narrow[eye])[1] < 0.7 * cv2.mean(open_[eye])[1]
