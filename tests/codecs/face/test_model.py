"""The shipped model: shapes, range, determinism, and that lids and lips do what weights say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame.codecs.face import EXPRESSION_NAMES, FaceModel, Looks
from ksame.codecs.face.geometry import LID_PAIRS, LIP_PAIRS
from ksame.errors import InputError


def weights(model: FaceModel, **given_weights: float) -> np.ndarray:
    out = model.neutral
    for name, value in given_weights.items():
        out[EXPRESSION_NAMES.index(name)] = value
    return out


def gaps(shape: np.ndarray, pairs) -> np.ndarray:
    upper, lower = np.array(pairs).T
    return shape[lower, 1] - shape[upper, 1]


def test_the_mesh_has_landmarks_first_and_triangles_over_all_points(model):
    count = len(model.places)
    assert count > 478
    assert model.shape(np.zeros(model.identity_size), model.neutral).shape == (count, 3)
    assert model.triangles.min() == 0
    assert set(np.unique(model.triangles)) == set(range(count))
    assert model.places.min() >= 0
    assert model.places.max() <= model.side - 1


def test_the_mean_face_is_centred_and_one_unit_between_the_eyes_corners(model):
    shape = model.shape(np.zeros(model.identity_size), model.neutral)
    assert np.hypot(*(shape[263] - shape[33])[:2]) == pytest.approx(1, abs=0.03)
    assert shape[263, 0] > shape[33, 0]  # the subject's left eye is on the picture's right
    assert shape[152, 1] > shape[10, 1]  # y points down
    assert shape[1, 2] < shape[33, 2] < shape[234, 2]  # the nose is nearest, the ears furthest
    assert abs(shape[:468, 0].mean()) < 0.02


def test_a_texture_is_a_full_colour_picture(model):
    texture = model.texture(np.zeros(model.identity_size), model.neutral)
    assert texture.shape == (model.side, model.side, 3)
    assert texture.dtype == np.uint8
    x, y = np.round(model.places[50]).astype(int)  # a cheek
    red, green, blue = texture[y - 3 : y + 4, x - 3 : x + 4].reshape(-1, 3).mean(axis=0)
    assert red > green > blue > 20


@settings(max_examples=20, deadline=None)
@given(
    scale=st.sampled_from([0.0, 1.0, 10.0, 1e6]),
    strength=st.sampled_from([-1e6, -1.0, 0.0, 0.5, 1.0, 3.0, 1e6]),
    seed=st.integers(0, 1000),
)
def test_numbers_of_any_size_give_finite_faces(model, scale, strength, seed):
    rng = np.random.default_rng(seed)
    identity = scale * rng.normal(size=model.identity_size)
    expression = strength * rng.uniform(-1, 1, size=model.expression_size)
    shape = model.shape(identity, expression)
    assert np.isfinite(shape).all()
    assert np.abs(shape).max() < 6
    assert model.texture(identity, expression).std() > 0


def test_the_same_numbers_give_the_same_face(model):
    rng = np.random.default_rng(3)
    identity, expression = rng.normal(size=model.identity_size), model.neutral
    assert (model.shape(identity, expression) == model.shape(identity, expression)).all()
    assert (model.texture(identity, expression) == model.texture(identity, expression)).all()


def test_closed_eyes_are_closed_whoever_closes_them(model):
    rng = np.random.default_rng(8)
    for _ in range(12):
        identity = model.draw(rng, Looks())
        shut = model.shape(identity, weights(model, blinkLeft=0.9, blinkRight=0.9))
        wide_open = model.shape(identity, model.neutral)
        for pairs in LID_PAIRS:
            assert gaps(wide_open, pairs)[2:5].min() > 0.02
            assert np.abs(gaps(shut, pairs)).max() < 1e-3


def test_one_eye_closes_alone(model):
    shape = model.shape(np.zeros(model.identity_size), weights(model, blinkLeft=0.9))
    assert gaps(shape, LID_PAIRS[1])[3] < 1e-3  # the subject's left one
    assert gaps(shape, LID_PAIRS[0])[3] > 0.05


def test_lips_touch_at_rest_and_part_with_the_jaw(model):
    identity = np.zeros(model.identity_size)
    assert gaps(model.shape(identity, model.neutral), LIP_PAIRS).max() < 0.02
    assert gaps(model.shape(identity, weights(model, jawOpen=0.7)), LIP_PAIRS)[4] > 0.15
    pressed = model.shape(identity, weights(model, press=1.0, roll=1.0, shrug=1.0))
    assert gaps(pressed, LIP_PAIRS).min() >= -1e-6


def test_irises_follow_the_gaze(model):
    identity = np.zeros(model.identity_size)
    ahead = model.shape(identity, model.neutral)
    aside = model.shape(identity, weights(model, gazeSide=1.0))
    down = model.shape(identity, weights(model, gazeDown=1.0))
    assert (aside[[468, 473], 0] > ahead[[468, 473], 0] + 0.02).all()
    assert (down[[468, 473], 1] > ahead[[468, 473], 1] + 0.01).all()


def test_eyeballs_and_teeth_lie_behind_lids_and_lips(model):
    shape = model.shape(np.zeros(model.identity_size), model.neutral)
    assert shape[468, 2] > shape[[159, 145], 2].min()
    teeth = shape[-28:]
    assert teeth[:, 2].min() > shape[[13, 14], 2].max()


@pytest.mark.parametrize("turn", [0.0, 0.35, -0.6])
def test_weights_that_were_put_in_are_read_out_of_turned_points(model, turn):
    rng = np.random.default_rng(4)
    matrix = np.array(
        [[np.cos(turn), 0, -np.sin(turn)], [0, 1, 0], [np.sin(turn), 0, np.cos(turn)]]
    )
    for name, value in (("jawOpen", 0.6), ("smileLeft", 0.7), ("blinkRight", 0.65)):
        changes = {name: value} | ({"smileRight": value} if name == "smileLeft" else {})
        identity = model.draw(rng, Looks())
        row = EXPRESSION_NAMES.index(name)
        rest, moved = (
            model.expression(200 * model.shape(identity, e)[:478] @ matrix.T + 300)[row]
            for e in (model.neutral, weights(model, **changes))
        )
        assert moved - rest > 0.5 * value, name


def test_points_of_the_wrong_shape_or_not_finite_are_refused(model):
    with pytest.raises(InputError, match=r"\(478, 3\)"):
        model.expression(np.zeros((478, 2)))
    with pytest.raises(InputError, match="finite"):
        model.encode(np.zeros((9, 9, 3), np.uint8), np.full((478, 3), np.nan))


def test_codes_of_the_wrong_size_are_refused(model):
    with pytest.raises(InputError, match="identity"):
        model.shape(np.zeros(3), model.neutral)
    with pytest.raises(InputError, match="expression"):
        model.texture(np.zeros(model.identity_size), np.zeros(3))


def test_the_model_is_one_object_that_cannot_be_changed(model):
    assert FaceModel.load() is model
    with pytest.raises(ValueError, match="read-only"):
        model.places[0, 0] = 1


def test_repr_shows_sizes_alone(model):
    assert len(repr(model)) < 120
    assert "array" not in repr(model)
    assert "array" not in repr(model.faces)


@pytest.mark.parametrize("code", [0, 40, 300])
def test_a_smile_with_a_shut_jaw_shows_teeth_and_no_gap(model, code):
    """Upper teeth reach down to the lower lip; in an open mouth they stay with the skull."""
    person = model.faces.codes[code]
    rows = -28 + 7  # the upper teeth's edge: four rows of seven points end the mesh

    def seen(**weights):
        expression = model.neutral
        for name, value in weights.items():
            expression[EXPRESSION_NAMES.index(name)] = value
        shape = model.shape(person, expression)
        edge, lower = shape[rows : rows + 7, 1][3], shape[[14, 87, 317], 1].mean()
        return lower - edge, edge

    gap, _ = seen(smileLeft=0.6, smileRight=0.6, upperUp=0.3, lowerDown=0.3)
    assert gap < 0.04
    shouting, edge = seen(jawOpen=0.8)
    assert shouting > 0.1
    assert edge == pytest.approx(seen()[1], abs=0.02)
