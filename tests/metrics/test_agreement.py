"""What is kept, by hand: no network is asked."""

import numpy as np
import pytest

from ksame.errors import InputError
from ksame.metrics.agreement import Look, agreement, turn

IMAGE = np.full((8, 8), 100, np.uint8)
POINTS = np.random.default_rng(0).normal(size=(20, 3)) * 10


def look(seen=True, points=POINTS, mood=(0.0, 1.0, 2.0)):
    return Look(IMAGE, {"d": seen}, points, np.array(mood), np.array(mood)[::-1], eyes=5.0)


def turned(degrees):
    angle = np.radians(degrees)
    c, s = np.cos(angle), np.sin(angle)
    return POINTS @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]).T


@pytest.mark.parametrize("degrees", [0.0, 5.0, 90.0, 179.0])
def test_a_turned_head_is_seen_at_its_angle(degrees):
    moved = 3.0 * turned(degrees) + [5.0, -2.0, 9.0]
    assert turn(POINTS, moved) == pytest.approx(degrees, abs=1e-5)


def test_pairs_are_compared_where_both_were_seen():
    found = agreement(
        [look(), look(), look(False)],
        [look(), Look(IMAGE, {"d": False}), look()],
    )
    assert found.detected["d"].value == 0.5  # of the two where the original was seen
    assert found.measured == 2
    assert found.expression == pytest.approx(1.0)
    assert (found.landmarks, found.ssim, found.psnr) == (0.0, pytest.approx(1.0), 99.0)
    opposite = agreement(
        [look()], [look(mood=(2.0, 1.0, 0.0), points=np.add(POINTS, [3.0, 4.0, 9.0]))]
    )
    assert opposite.expression == pytest.approx(-1.0)
    assert opposite.landmarks == pytest.approx(1.0)  # 5 pixels, and the eyes are 5 apart
    assert opposite.pose == pytest.approx(0.0, abs=1e-5)


def test_nothing_seen_is_nothing_measured():
    blank = Look(IMAGE, {"d": False})
    found = agreement([look()], [blank])
    assert found.expression is found.gaze is found.pose is found.landmarks is None
    with pytest.raises(InputError, match="0 pairs"):
        agreement([], [])


def test_looks_are_compared_where_they_are_told():
    def with_looks(female, age, tone):
        return Look(IMAGE, {"d": True}, POINTS, female=female, age=age, tone=tone)

    before = [with_looks(0.95, 30.0, 40.0), with_looks(0.02, 50.0, np.nan), with_looks(0.6, 9, 0)]
    after = [with_looks(0.4, 34.0, 30.0), with_looks(0.1, 50.0, 10.0), with_looks(0.1, 9, 0)]
    found = agreement(before, after)
    assert (found.sex.hits, found.sex.trials) == (1, 2)  # the third original is not told
    assert found.age == pytest.approx(4 / 3)
    assert found.tone == pytest.approx(5.0)  # of the two whose tone is told
    assert found.as_dict()["sex"]["rate"] == 0.5
    assert agreement([look()], [look()]).sex is None
