"""People change places: sizes stay, costs fall, companions stay apart."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ksame.grouping import settle


@given(
    n=st.integers(4, 40),
    groups=st.integers(2, 5),
    seed=st.integers(0, 2**32),
    pairs=st.integers(0, 20),
)
def test_sizes_stay_costs_fall_and_companions_do_not_meet(n, groups, seed, pairs):
    rng = np.random.default_rng(seed)
    cost = rng.normal(size=(n, groups))
    labels = rng.permutation(np.arange(n) % groups)
    together = [tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(pairs)]
    found = settle(cost, labels, rng, together)
    assert (
        np.bincount(found, minlength=groups).tolist()
        == np.bincount(labels, minlength=groups).tolist()
    )
    people = np.arange(n)
    assert cost[people, found].sum() <= cost[people, labels].sum() + 1e-9
    for one, other in together:
        assert found[one] != found[other] or labels[one] == labels[other]


def test_everybody_gets_the_group_that_costs_least_where_all_can():
    cost = np.array([[0.0, 1], [1, 0], [0, 1], [1, 0]])
    found = settle(cost, np.array([1, 0, 1, 0]), np.random.default_rng(1))
    assert found.tolist() == [0, 1, 0, 1]
