"""The mask of what lies in front: it fits into a ledger and comes back as it was."""

import json

import numpy as np
import pytest

from ksame.errors import InputError
from ksame.render import Front
from ksame.render.cells import MOST_KEPT, at_the_rim


@pytest.fixture
def front():
    rng = np.random.default_rng(0)
    cells, veil, frame = rng.random((3, 96, 71)) < 0.3
    return Front(cells, veil, tuple(range(18)), frame, tuple(range(18, 36)))


def test_json_gives_the_same_mask_back(front):
    again = Front.from_json(json.loads(json.dumps(front.as_json())))
    assert np.array_equal(again.cells, front.cells)
    assert np.array_equal(again.veil, front.veil)
    assert np.array_equal(again.frame, front.frame)
    assert (again.paint, again.frame_paint) == (front.paint, front.frame_paint)


@pytest.mark.parametrize(
    "broken",
    [{"bits": "AAAA"}, {"size": [0, 4]}, {"size": [9999, 9999]}, {"paint": [1]}, {"bits": None}],
)
def test_a_damaged_mask_is_refused(front, broken):
    with pytest.raises(InputError):
        Front.from_json({**front.as_json(), **broken})


def test_what_hides_more_than_may_be_kept_stays_at_the_rim():
    y, x = np.mgrid[:96, :96]
    face = np.hypot(x - 48, y - 48) < 40
    half = x < 48
    kept = at_the_rim(half, face)
    assert 0.25 * face.sum() < (kept & face).sum() <= MOST_KEPT * face.sum()
    assert kept[48, 10:16].all()
    assert not kept[40:56, 40:48].any()
    assert not at_the_rim(x < 76, face).any()  # no network that is lost is believed
