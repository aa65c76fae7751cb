"""Arithmetic of codes: means, far faces, and the looks that are asked for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame.codecs.face import Looks, far_code, mean_code
from ksame.codecs.face.codes import individual_norm
from ksame.errors import InputError


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(0, 10_000))
def test_a_mean_lies_between_its_people_and_knows_no_order(count, seed):
    rng = np.random.default_rng(seed)
    codes = rng.normal(size=(count, 20)).astype(np.float32)
    mean = mean_code(codes)
    assert (mean >= codes.min(axis=0) - 1e-6).all()
    assert (mean <= codes.max(axis=0) + 1e-6).all()
    assert mean_code(rng.permutation(codes)) == pytest.approx(mean, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 8), st.integers(1, 30), st.integers(0, 10_000))
def test_a_far_code_is_as_long_as_individuals_and_the_furthest_candidate(people, faces, seed):
    rng = np.random.default_rng(seed)
    group, candidates = rng.normal(size=(people, 24)), rng.normal(size=(faces, 24))
    far = far_code(group, candidates)
    assert np.linalg.norm(far) == pytest.approx(individual_norm(24), rel=1e-4)

    def nearest(code):
        cosines = group @ code / np.linalg.norm(group, axis=1) / np.linalg.norm(code)
        return cosines.max()

    assert nearest(far) <= min(nearest(code) for code in candidates) + 1e-6


@pytest.mark.parametrize("codes", [np.zeros(4), np.zeros((0, 4)), np.full((2, 4), np.nan)])
def test_codes_that_are_none_are_refused(codes):
    with pytest.raises(InputError):
        mean_code(codes)


def test_codes_of_two_models_are_refused():
    with pytest.raises(InputError, match="one model"):
        far_code(np.ones((2, 4)), np.ones((2, 5)))


@pytest.mark.parametrize(
    "looks", [{"sex": "other"}, {"age": -1}, {"age": 300}, {"tone": 95}, {"tone": float("nan")}]
)
def test_impossible_looks_are_refused(looks):
    with pytest.raises(InputError):
        Looks(**looks)
