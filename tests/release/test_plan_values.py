"""Options as Python and NumPy give them: told apart before any work is done."""

import json
from pathlib import Path

import numpy as np
import pytest

from ksame.errors import InputError
from ksame.release import Plan

OPTIONS = {"k": np.int64(5), "seed": np.uint8(7), "per_person": np.int32(2), "jobs": np.int16(1)}


def test_integers_of_numpy_are_written_like_any_others():
    """A loop over ``numpy.arange`` failed at the end, when certificate and ledger were written."""
    plan = Plan("in", "out", **OPTIONS)
    assert plan == Plan("in", "out", k=5, seed=7, per_person=2, jobs=1)
    assert json.loads(json.dumps([plan.public(), plan.seed, plan.jobs]))


@pytest.mark.parametrize(
    ("option", "value"),
    [("k", 5.0), ("k", "5"), ("k", None), ("seed", "7"), ("jobs", 2.5), ("per_person", "2")],
)
def test_what_is_no_whole_number_is_refused_with_its_name(option, value):
    with pytest.raises(InputError, match=f"{option}={value!r} must be a whole number"):
        Plan("in", "out", **{option: value})


@pytest.mark.parametrize("inputs", [None, b"photos", 3, [b"photos"], ["photos", None]])
def test_inputs_that_are_no_paths_are_refused(inputs):
    with pytest.raises(InputError, match="inputs must be"):
        Plan(inputs, "out")


def test_inputs_may_be_any_iterable_of_paths():
    given = (name for name in ("a", Path("b")))
    assert Plan(given, "out").inputs == (Path("a"), Path("b"))
