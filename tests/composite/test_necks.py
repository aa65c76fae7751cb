import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ksame.composite import Portrait, Surrogate
from ksame.composite.frame import SCENE
from ksame.composite.necks import Neck, below_line, narrowed, surplus_neck

BARE = np.full(SCENE.width, float(SCENE.height))
SHOULDERS = 240.0


def line_of(own: Neck, start: float = 195.0) -> np.ndarray:
    """Shoulders on both sides of a neck that goes up to the jaw."""
    columns = np.arange(SCENE.width)
    inside = (columns >= own.left) & (columns <= own.right)
    return np.where(inside, start, SHOULDERS)


def test_a_wide_neck_narrows_towards_its_jaw() -> None:
    own, theirs = Neck(110.0, 190.0, (200.0, 200.0)), Neck(120.0, 180.0, (196.0, 196.0))
    line = narrowed(line_of(own), own, theirs, BARE)
    left, right = line[110:121], line[190:179:-1]
    for side in (left, right):
        assert side[0] == pytest.approx(SHOULDERS)
        assert (np.diff(side) <= 0).all()  # up, the nearer to the narrow neck
    np.testing.assert_array_equal(line[121:180], 195.0)


@given(
    own=st.tuples(st.floats(90, 140), st.floats(160, 210)),
    theirs=st.tuples(st.floats(90, 140), st.floats(160, 210)),
    jaw=st.floats(180, 215),
    collar=st.floats(190, 320),
)
def test_bodies_only_lose(own, theirs, jaw, collar) -> None:
    """Nothing is built up beside a neck, a collar stays, and the narrow neck is never cut."""
    neck, goal = Neck(*own, (jaw, jaw)), Neck(*theirs, (jaw, jaw))
    before = line_of(neck)
    after = narrowed(before, neck, goal, np.full(SCENE.width, collar))
    assert (after >= before).all()
    assert (after <= np.maximum(before, max(collar, SHOULDERS))).all()
    columns = np.arange(SCENE.width)
    kept = (columns > max(own[0], theirs[0]) + 9) & (columns < min(own[1], theirs[1]) - 9)
    np.testing.assert_array_equal(after[kept], before[kept])


def test_a_wider_neck_is_not_asked_for() -> None:
    own, theirs = Neck(120.0, 180.0, (200.0, 200.0)), Neck(110.0, 190.0, (200.0, 200.0))
    np.testing.assert_array_equal(narrowed(line_of(own), own, theirs, BARE), line_of(own))


def test_a_steep_line_is_smooth_across() -> None:
    below = below_line(np.clip((np.arange(SCENE.width) - 150.0) * 6 + 200, 190, 260))
    assert below.min() == 0
    assert below.max() == 1
    crossing = below[225]  # one row crosses the slope within two columns, not within one
    assert ((crossing > 0.02) & (crossing < 0.98)).sum() >= 1


def test_what_goes_is_neck_above_the_line() -> None:
    own = Neck(110.0, 190.0, (200.0, 200.0))
    neck = np.zeros((SCENE.height, SCENE.width), np.uint8)
    neck[200:300, 110:191] = 255
    line = line_of(own)
    line[110:118] = SHOULDERS
    cut = surplus_neck(line, own, neck)
    assert (cut[200:239, 110:117] == 1).all()
    assert not cut[251:].any()  # beside a leap it is smooth too
    assert not cut[:, 121:185].any()


def test_necks_are_found_below_their_jaws(people: list[list[Portrait]], surrogate: Surrogate):
    for neck in (Neck.of_portrait(people[0][0]), Neck.of_look(surrogate.looks["neutral"])):
        middle = SCENE.width / 2
        assert 0.3 * SCENE.eyes < middle - neck.left < 1.3 * SCENE.eyes
        assert 0.3 * SCENE.eyes < neck.right - middle < 1.3 * SCENE.eyes
        assert all(SCENE.level < row < SCENE.level + 3 * SCENE.eyes for row in neck.jaw)
