"""Open-set identification, by hand and at the rate of strangers that was asked for."""

import numpy as np
import pytest

from ksame.errors import InputError
from ksame.metrics.open_set import nearest_strangers, open_set
from ksame.metrics.roc import threshold_at


def test_by_hand():
    distances = np.array([[1.0, 5.0, 6.0], [4.0, 2.0, 9.0], [3.0, 7.0, 8.0]])
    people = np.array(["a", "b", "c"])
    assert nearest_strangers(distances, people, people).tolist() == [5.0, 4.0, 3.0]
    # no stranger may be named: the threshold stays below 3, and c is not first anyway
    found = open_set(distances, people, people, 0.01)
    assert found.threshold < 3.0
    assert found.found.value == pytest.approx(2 / 3)
    assert found.wrong.value == 0.0
    # a threshold that was set elsewhere, at 1.5, finds a alone
    strict = open_set(distances, people, people, 0.01, reference=np.full(50, 1.5))
    assert strict.found.value == pytest.approx(1 / 3)


def test_strangers_are_named_as_often_as_allowed():
    rng = np.random.default_rng(0)
    distances = rng.random((400, 400))
    people = np.arange(400)
    for share in (0.01, 0.1, 0.5):
        assert open_set(distances, people, people, share).wrong.value == pytest.approx(share)


def test_faces_that_all_share_are_found_at_one_in_k():
    shared = np.zeros((4, 4))
    people = np.arange(4)
    found = open_set(shared, people, people, 0.5, reference=np.array([1.0, 2.0]))
    assert found.found.value == pytest.approx(0.25)


def test_a_threshold_accepts_no_more_strangers_than_it_says():
    sample = np.array([1.0, 1.0, 1.0, 2.0, 3.0])
    for share in (0.01, 0.2, 0.6, 0.8):
        assert np.mean(sample <= threshold_at(sample, share)) <= share
    with pytest.raises(InputError, match="between 0 and 1"):
        threshold_at(sample, 0.0)
    with pytest.raises(InputError, match="0 distances"):
        threshold_at([], 0.1)
