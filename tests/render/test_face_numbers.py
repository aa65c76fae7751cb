"""The numbers of a face: what is written comes back, and steps are as coarse as they say."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ksame.errors import InputError
from ksame.render import FaceNumbers
from ksame.render.numbers import MOST_OUTLINE, SIZE_STEP, steps

whole = st.integers(-200, 200)


def numbers(**changed):
    return FaceNumbers(
        **{
            "pose": (180, 50, 0, 0, 0, 50, 0, 60, 70),
            "expression": (0,) * 24,
            "light": (0,) * 14,
            "outline": (0,) * 9,
            "black": 2,
            "blur": 3,
            "grain": (4, 0, 1),
            "colour": "colour",
            **changed,
        }
    )


@given(st.lists(whole, min_size=9, max_size=9), st.lists(whole, min_size=14, max_size=14))
def test_json_gives_the_same_numbers_back(pose, light):
    one = numbers(pose=tuple(pose), light=tuple(light))
    again = FaceNumbers.from_json(json.loads(json.dumps(one.as_json())))
    assert again == one
    assert np.array_equal(again.matrix, one.matrix)
    assert again.seed == one.seed


@given(st.floats(-50, 50), st.integers(0, 2**32))
def test_a_step_is_never_further_than_one_step_away(value, seed):
    (plain,) = steps(value, 0.1)
    (jittered,) = steps(value, 0.1, np.random.default_rng(seed))
    assert abs(plain * 0.1 - value) <= 0.05 + 1e-9
    assert abs(jittered * 0.1 - value) <= 0.1 + 1e-9


def test_jitter_is_right_on_average():
    rng = np.random.default_rng(0)
    many = [steps(0.73, 1.0, rng)[0] for _ in range(4000)]
    assert np.mean(many) == pytest.approx(0.73, abs=0.03)


@pytest.mark.parametrize(
    "changed",
    [{"pose": (1,) * 8}, {"light": ()}, {"colour": "sepia"}, {"pose": (9999, *(0,) * 8)}],
)
def test_numbers_of_another_size_are_refused(changed):
    with pytest.raises(InputError):
        numbers(**changed)


@pytest.mark.parametrize("broken", [{"blur": 0.5}, {"pose": [0.1] * 9}, {"grain": None}])
def test_a_damaged_record_is_refused(broken):
    with pytest.raises(InputError):
        FaceNumbers.from_json({**numbers().as_json(), **broken})


def test_neighbouring_sizes_differ_by_one_step():
    larger = numbers(pose=(181, *numbers().pose[1:]))
    assert larger.scale / numbers().scale == pytest.approx(SIZE_STEP)


def test_a_higher_face_reaches_over_forehead_and_sides_and_keeps_its_jaw():
    low = numbers(outline=(3, 3, 0, 0, 3, 3, 0, 0, 3))
    assert low.higher(6).outline == (9, 9, 6, 6, 3, 3, 6, 6, 9)
    assert max(low.higher(99).outline) == MOST_OUTLINE
    assert replace(low.higher(6), outline=low.outline) == low
