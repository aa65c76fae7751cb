"""The mask of what lies in front: it fits into a ledger and comes back as it was."""

import json

import numpy as np
import pytest

from ksame.errors import InputError
from ksame.render import Front


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
