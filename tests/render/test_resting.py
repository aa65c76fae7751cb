"""What is a person's build stays out of the numbers; what a person does goes in as it is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ksame.codecs.face import EXPRESSION_NAMES
from ksame.render import measure
from ksame.render.measure import black_of
from ksame.render.numbers import EXPRESSION_STEP, LIGHT_STEP, steps
from ksame.render.posing import fit_pose
from ksame.render.resting import (
    beyond_rest,
    coarse_light,
    light_steps,
    rested_black,
    rested_expression,
    rested_light,
    rested_outline,
    rested_turn,
)
from ksame.verification.steps import read_steps

SMILE = EXPRESSION_NAMES.index("smileLeft")
BROW = EXPRESSION_NAMES.index("browDown")
OUTER_BROW = EXPRESSION_NAMES.index("browOuterUp")


@given(st.floats(-5, 5), st.floats(-1, 1), st.floats(0.01, 1))
def test_within_the_slack_all_rest_and_beyond_twice_it_nothing_is_lost(value, rest, slack):
    told = float(beyond_rest(value, rest, slack))
    if abs(value - rest) < slack:
        assert told == rest
    if abs(value - rest) > 2 * slack:
        assert told == pytest.approx(value)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=9))
def test_more_is_never_told_as_less(values):
    told = beyond_rest(np.sort(values), 0.1, 0.3)
    assert (np.diff(told) >= -1e-12).all()


def test_low_brows_are_no_frown_and_a_smile_stays(model):
    weights = model.neutral.astype(np.float64)
    weights[[SMILE, BROW]] = 0.7, 0.45
    told = rested_expression(weights)
    assert told[SMILE] == 0.7
    assert told[BROW] == rested_expression(model.neutral)[BROW]
    weights[BROW] = 1.0
    assert rested_expression(weights)[BROW] == 1.0


@pytest.mark.parametrize(("yaw", "told"), [(2.5, 0.0), (-2.5, 0.0), (20.0, 20.0), (-60.0, -60.0)])
def test_a_head_that_nearly_looks_ahead_does(model, identity, pose, yaw, told):
    shape = model.shape(identity, model.neutral)
    numbers = fit_pose(shape, pose(yaw=np.radians(yaw)).points)
    turn = np.array(numbers[1:7]).reshape(2, 3) * 0.02
    assert np.degrees(np.arcsin(np.clip(turn[0, 2], -1, 1))) == pytest.approx(told, abs=2.1)


def test_a_lying_head_is_turned_as_it_lies():
    angle = np.radians(100.0)
    c, s = np.cos(angle), np.sin(angle)
    lying = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    about_z = rested_turn(lying)
    assert np.degrees(np.arctan2(about_z[1, 0], about_z[0, 0])) == pytest.approx(100.0, abs=0.5)
    assert np.allclose(about_z @ about_z.T, np.eye(3))


def test_a_stretched_face_has_the_pose_of_the_plain_one(model, identity, pose):
    shape, marks = model.shape(identity, model.neutral), pose()
    longer = marks.points * [1.0, 1.08]
    turns = [fit_pose(shape, points)[1:7] for points in (marks.points, longer)]
    assert turns[0] == turns[1]


def test_an_outline_near_the_models_own_is_the_models_own():
    near = np.array([0.05, -0.05, 0.07, 0.02, -0.03, 0.01, 0.04, -0.06, 0.03])
    assert not rested_outline(near).any()
    far = np.full(9, 0.25)
    assert rested_outline(far) == pytest.approx(np.full(9, 0.24))


def test_an_outline_is_told_by_three_numbers():
    told = rested_outline(np.random.default_rng(0).uniform(-0.3, 0.3, 9))
    assert len({told[8], told[0], told[1]}) == 1
    assert len({told[i] for i in (2, 3, 6, 7)}) == 1
    assert told[4] == told[5]


@given(st.lists(st.floats(-3, 3), min_size=14, max_size=14))
def test_light_is_told_in_coarse_steps(logs):
    told = coarse_light(np.array(logs)) / LIGHT_STEP
    steps = light_steps()
    assert np.allclose(np.round(told / steps) * steps, told)
    assert (np.abs(told * LIGHT_STEP - logs) <= steps * LIGHT_STEP + 1e-9).all()


def test_light_in_coarse_steps_is_in_the_range_that_the_verifier_reads():
    """What the rest's share of a colour adds may lie beyond all that was read."""
    for far in (-3.4, 3.4):
        told = np.round(coarse_light(np.full(14, far)) / LIGHT_STEP).astype(int)
        numbers = {
            "pose": [200, 50, 0, 0, 0, 50, 0, 0, 0], "expression": [0], "light": told.tolist(),
            "outline": [0] * 9, "black": 0, "blur": 0, "grain": [0] * 3, "colour": "grey",
        }  # fmt: skip
        assert read_steps(numbers).light == tuple(told.tolist())


LEVELS = (0, 8, 11)


@given(st.lists(st.floats(-0.13, 0.13), min_size=14, max_size=14), st.integers(0, 99))
def test_relief_and_redness_are_at_rest_and_the_face_stays_as_bright(logs, seed):
    """On the whole: what each of the functions adds over the skin is told with the level."""
    read = np.array(logs)
    middle = np.r_[1.0, np.random.default_rng(seed).uniform(-0.5, 0.5, 7)]
    told = rested_light(read, middle)
    assert not np.delete(told, LEVELS).any()
    for start, size in zip(LEVELS, (8, 3, 3), strict=True):
        part = slice(start, start + size)
        assert told[part] @ middle[:size] == pytest.approx(read[part] @ middle[:size])


def test_strong_light_from_a_side_is_told_as_it_is():
    read = np.zeros(14)
    read[[1, 2, 4, 10]] = 0.5, -0.5, 0.65, -0.4
    assert rested_light(read, np.zeros(8)) == pytest.approx(read)


def test_fair_hair_is_no_haze():
    assert {rested_black(level) for level in (0.0, 8.0, 20.0, 35.0)} == {8.0}
    assert rested_black(70.0) == 70.0


def test_fair_hair_in_a_photo_is_no_haze():
    """The darkest around a face is a little darker or paler, and the same black is told."""
    views = [np.full((80, 80, 3), 180, np.uint8) for _ in range(3)]
    for view, darkest in zip(views, (5, 40, 90), strict=True):
        view[:20] = darkest
    dark, fair, haze = map(black_of, views)
    assert dark == fair < haze


def test_two_people_of_other_proportions_leave_the_same_numbers(model, identity, pose, photo):
    """The same photo and pose: a face that is four per cent longer tells nothing more."""
    marks = pose()
    middle = marks.points.mean(axis=0)
    longer = type(marks)(
        (marks.points - middle) * [1 / 1.02, 1.02] + middle, marks.depth, marks.score
    )
    one, other = (measure(model, photo, given, identity) for given in (marks, longer))
    assert one.outline == other.outline
    assert one.pose[1:7] == other.pose[1:7]


def test_a_face_at_rest_does_not_frown(model):
    """In steps of a tenth: brows that are told twice as low as they rest look stern."""
    told = np.array(steps(rested_expression(model.neutral), EXPRESSION_STEP)) * EXPRESSION_STEP
    assert told[BROW] <= model.neutral[BROW] + EXPRESSION_STEP / 2
    assert told[OUTER_BROW] >= model.neutral[OUTER_BROW]
