"""The appearance model: light taken out, exact round trips, one copy in memory."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from ksame.codecs.aam.appearance import Light, learn_appearance
from ksame.errors import InputError


def make_textures(count=20, size=600):
    rng = np.random.default_rng(8)
    looks = rng.normal(0, 1, (7, size))
    rows = 3 * looks[0] + rng.normal(0, 1, (count, 6)) @ looks[1:]
    return (120 + rng.uniform(10, 30, (count, 1)) * rows).astype(np.float32)


MODEL = learn_appearance(make_textures(), 0.999)


def test_modes_are_orthonormal_and_free_of_light():
    modes = MODEL.modes.astype(np.float64)
    assert_allclose(modes @ modes.T, np.eye(len(modes)), atol=1e-6)
    assert np.abs(modes.sum(axis=1)).max() < 1e-4
    assert np.abs(modes @ MODEL.mean).max() < 1e-4


@given(st.floats(0.2, 5), st.floats(-100, 100), st.integers(0, 19))
@settings(max_examples=25)
def test_gain_and_bias_do_not_reach_the_code(gain, bias, row):
    texture = make_textures()[row]
    code, light = MODEL.encode(texture)
    other, lit = MODEL.encode(gain * texture.astype(np.float64) + bias)
    assert_allclose(other, code, atol=1e-4)
    assert lit.gain == pytest.approx(gain * light.gain, rel=1e-4)


@given(st.integers(0, 2**31))
@settings(max_examples=25)
def test_model_textures_come_back_to_1e_6(seed):
    code = np.random.default_rng(seed).normal(0, np.sqrt(MODEL.variances))
    back, light = MODEL.encode(MODEL.decode(code, Light(35.0, 110.0)))
    assert_allclose(back, code, atol=1e-6 * np.linalg.norm(MODEL.mean))
    assert light.gain == pytest.approx(35.0, rel=1e-5)
    assert light.bias == pytest.approx(110.0, rel=1e-5)


def test_training_textures_are_reconstructed():
    for texture in make_textures():
        assert_allclose(MODEL.decode(*MODEL.encode(texture)), texture, atol=0.05)


def test_variance_kept_decides_the_error():
    rough = learn_appearance(make_textures(), 2)
    texture = make_textures()[3]
    error = [np.abs(m.decode(*m.encode(texture)) - texture).mean() for m in (rough, MODEL)]
    assert len(rough) == 2
    assert error[0] > 10 * error[1]


def test_training_holds_the_textures_once():
    textures = np.random.default_rng(0).normal(100, 20, (60, 200_000)).astype(np.float32)
    textures[:, :100_000] += 40
    tracemalloc.start()
    learn_appearance(textures, 3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * textures.nbytes


def test_flat_and_inverted_textures_are_refused():
    with pytest.raises(InputError, match="flat"):
        learn_appearance(np.ones((3, 50), np.float32))
    with pytest.raises(InputError, match="flat or inverted"):
        MODEL.encode(np.full(600, 7.0))
    with pytest.raises(InputError, match="flat or inverted"):
        MODEL.encode(255 - make_textures()[0])
    with pytest.raises(InputError, match="at least two"):
        learn_appearance(make_textures()[:1])
    with pytest.raises(InputError, match="600"):
        MODEL.encode(np.ones(5))
