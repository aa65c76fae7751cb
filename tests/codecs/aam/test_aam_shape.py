"""The shape model: invariance, exact round trips, refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from ksame import geometry
from ksame.codecs.aam import Pose
from ksame.codecs.aam.shape import learn_shape, modes_to_keep
from ksame.errors import InputError

RNG = np.random.default_rng(3)
BASE = RNG.uniform(0, 100, (12, 2))
SHAPES = BASE + RNG.normal(0, 5, (20, 12, 2))
MODEL = learn_shape(SHAPES, 0.9)


@given(st.floats(0.1, 10), st.floats(-3, 3), st.floats(-500, 500), st.integers(0, 19))
@settings(max_examples=30)
def test_pose_does_not_reach_the_code(scale, angle, shift, row):
    moved = Pose(scale * np.exp(1j * angle), shift - 20j).apply(SHAPES[row])
    p, pose = MODEL.encode(moved)
    assert_allclose(p, MODEL.encode(SHAPES[row])[0], atol=1e-8)
    assert pose.scale == pytest.approx(scale * MODEL.encode(SHAPES[row])[1].scale)


@given(st.integers(0, 2**31))
@settings(max_examples=30)
def test_model_shapes_come_back_exactly(seed):
    rng = np.random.default_rng(seed)
    p = rng.normal(0, np.sqrt(MODEL.variances))
    pose = Pose(complex(rng.uniform(0.5, 80), rng.normal(0, 5)), complex(*rng.normal(0, 200, 2)))
    back, found = MODEL.encode(MODEL.decode(p, pose))
    assert_allclose(back, p, atol=1e-9)
    assert found.factor == pytest.approx(pose.factor)
    assert found.shift == pytest.approx(pose.shift, abs=1e-6)


def test_all_modes_are_orthonormal():
    modes = np.concatenate([MODEL.similarity_modes(), MODEL.modes]).reshape(4 + len(MODEL), -1)
    assert_allclose(modes @ modes.T, np.eye(len(modes)), atol=1e-9)


def test_all_modes_reproduce_the_training_shapes():
    full = learn_shape(SHAPES, 1.0)
    for shape in SHAPES:
        assert_allclose(full.decode(*full.encode(shape)), shape, atol=1e-7)


def test_the_mean_is_as_upright_as_the_shapes():
    turns = [np.angle(MODEL.align(shape)[1].factor) for shape in SHAPES]
    assert abs(np.mean(turns)) < 1e-2


def test_variance_share_and_count():
    values = np.array([5.0, 3, 1, 1])
    assert [modes_to_keep(values, v) for v in (0.5, 0.6, 0.8, 1.0)] == [1, 2, 2, 4]
    assert modes_to_keep(values, 3) == 3
    assert modes_to_keep(values, 9) == 4
    share = MODEL.variances.sum() / MODEL.total_variance
    assert share >= 0.9
    assert MODEL.variances[:-1].sum() / MODEL.total_variance < 0.9


def test_limits_and_truncation():
    p = np.full(len(MODEL), 1e3)
    assert_allclose(MODEL.limit(p, 2), 2 * np.sqrt(MODEL.variances))
    assert len(MODEL.truncated(2)) == 2


def test_a_pose_is_a_map_of_the_plane():
    pose = Pose(2 + 1j, 5 - 3j)
    assert_allclose(
        geometry.apply(geometry.inverse(pose.matrix), pose.apply(BASE)), BASE, atol=1e-9
    )


@pytest.mark.parametrize("variance", [0, -0.5, 1.5, 0.0])
def test_a_wrong_share_is_refused(variance):
    with pytest.raises(InputError, match="variance="):
        learn_shape(SHAPES, variance)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (SHAPES[:1], "at least two"),
        (SHAPES[:, :, 0], "at least two"),
        (SHAPES * np.inf, "not finite"),
        (np.zeros((3, 4, 2)), "coincide"),
    ],
)
def test_wrong_shapes_are_refused(shapes, message):
    with pytest.raises(InputError, match=message):
        learn_shape(shapes)


def test_identical_shapes_are_refused():
    with pytest.raises(InputError, match="the same"):
        learn_shape(np.stack([BASE, BASE]))


def test_another_scheme_is_refused():
    with pytest.raises(InputError, match="this model has 12 points"):
        MODEL.encode(BASE[:5])
