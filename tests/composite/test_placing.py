"""Where heads are laid: one place for a group, coarse steps for who cannot take it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame import geometry
from ksame.composite.frame import HEAD
from ksame.composite.placing import (
    PLACE_STEP,
    ROLL_STEP,
    SIZE_STEP,
    Place,
    measured,
    moved_to,
    places_to_take,
    stepped,
)

PHOTO = (856, 856)


@given(st.integers(-40, -10), st.integers(-5, 5), st.integers(-12, 12), st.integers(-12, 12))
def test_a_place_in_steps_is_measured_as_itself(size, roll, x, y):
    place = Place(size, roll, x, y)
    assert stepped(measured(place.matrix(PHOTO), PHOTO)) == place


def test_a_place_does_not_depend_on_the_resolution():
    place = Place(-24, 1, 2, -3)
    one, two = (measured(place.matrix(size), size) for size in ((400, 600), (800, 1200)))
    np.testing.assert_allclose(one, two)


@settings(max_examples=50)
@given(st.integers(0, 10_000), st.integers(2, 30))
def test_heads_of_like_captures_get_one_place(seed, count):
    """As different as the photos of one studio are."""
    rng = np.random.default_rng(seed)
    rows = np.array([-1.9, 0.0, 0.0, -0.05]) + rng.uniform(-1, 1, (count, 4)) * [
        0.1, 5.0, 0.02, 0.03,
    ]  # fmt: skip
    assert len(set(places_to_take(rows, seed))) == 1


@settings(max_examples=50)
@given(st.integers(0, 10_000))
def test_nobody_is_brought_further_than_the_shoulders_allow(seed):
    rng = np.random.default_rng(seed)
    rows = np.array([-2.0, 0.0, 0.0, 0.0]) + rng.normal(0, 1, (12, 4)) * [0.3, 8.0, 0.1, 0.1]
    for row, place in zip(rows, places_to_take(rows, seed), strict=True):
        eyes = SIZE_STEP**place.size
        assert abs(row[0] - np.log(eyes)) <= np.log(1.25) + 1e-9
        assert abs(row[1] - ROLL_STEP * place.roll) <= 11 + 1e-9
        there = np.array([place.x, place.y]) * PLACE_STEP * eyes
        assert np.hypot(*(row[2:] - there)) <= 0.6 * eyes + 1e-9


def test_who_cannot_take_the_common_place_falls_on_a_step_by_chance():
    """Two photos of one measured place need not get the same step: a secret jitter."""
    rows = np.tile([-2.0, 0.0, 0.0, 0.0], (10, 1))
    rows[-1] = [-1.0, 2.0, 0.3, 0.3]
    found = {places_to_take(rows, seed)[-1] for seed in range(40)}
    assert len(found) > 3
    assert {places_to_take(rows, seed)[0] for seed in range(40)} == {stepped(rows[0])}


def test_a_portrait_seen_from_another_place_lies_where_it_did(photos):
    for _, rgb, portrait in photos[:3]:
        size = (rgb.shape[1], rgb.shape[0])
        matrix = stepped(measured(portrait.matrix, size)).matrix(size)
        moved = moved_to(portrait, matrix)
        own, other = (
            geometry.apply(geometry.inverse(p.matrix), p.points) for p in (portrait, moved)
        )
        np.testing.assert_allclose(own, other, atol=1e-6)
        np.testing.assert_allclose(moved.box, portrait.box, atol=0.12 * HEAD.eyes * 2)
