"""Intervals that cover the truth also where trials are not independent."""

import numpy as np
import pytest

from ksame.errors import InputError
from ksame.metrics.intervals import clustered_rate, rate


def test_people_with_one_trial_each_are_the_plain_case():
    hits = np.repeat([1.0, 0.0], [30, 70])
    found = clustered_rate(hits, np.arange(100))
    plain = rate(30, 100)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=0.005)
    assert (found.value, found.trials, found.people) == (0.3, 100, 100)


def test_repeated_trials_of_a_person_tell_nothing_new():
    hits = np.repeat([1.0, 0.0], [30, 70])
    once = clustered_rate(hits, np.arange(100))
    five = clustered_rate(np.tile(hits, 5), np.tile(np.arange(100), 5))
    naive = rate(150, 500)
    assert five.value == once.value
    assert (five.low, five.high) == pytest.approx((once.low, once.high), abs=0.01)
    assert five.high - five.low > 1.8 * (naive.high - naive.low)


def test_the_interval_covers_the_truth_where_a_naive_one_does_not():
    """40 people with 10 trials each; each person has a rate of their own, 0.3 on average."""
    rng = np.random.default_rng(0)
    covered = np.zeros(2)
    for _ in range(400):
        own = rng.beta(0.6, 1.4, 40)
        hits = (rng.random((40, 10)) < own[:, None]).astype(float)
        found = clustered_rate(hits.ravel(), np.repeat(np.arange(40), 10))
        plain = rate(hits.sum(), hits.size)
        covered += [found.low <= 0.3 <= found.high, plain.low <= 0.3 <= plain.high]
    assert covered[0] / 400 >= 0.93
    assert covered[1] / 400 < 0.85


def test_equal_outcomes_count_people():
    none = clustered_rate(np.zeros(50), np.repeat(np.arange(10), 5))
    assert (none.low, none.high) == pytest.approx((0.0, rate(0, 10).high))
    fifth = clustered_rate(np.full(50, 0.2), np.repeat(np.arange(10), 5))
    assert fifth.value == pytest.approx(0.2)
    assert fifth.high - fifth.low == pytest.approx(rate(2, 10).high - rate(2, 10).low, abs=0.01)


def test_wrong_lengths():
    with pytest.raises(InputError, match="one person each"):
        clustered_rate([1.0, 0.0], ["a"])
    with pytest.raises(InputError, match="at least 1"):
        clustered_rate([], [])
