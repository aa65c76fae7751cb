"""Groups of like people: k to 2k - 1 in each, like with like, companions apart."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ksame.grouping import alike
from ksame.grouping.groups import information_loss


@given(
    n=st.integers(2, 60),
    k=st.integers(2, 6),
    seed=st.integers(0, 2**32),
    pairs=st.integers(0, 30),
)
def test_groups_have_k_people_or_more_and_fewer_than_twice_as_many(n, k, seed, pairs):
    rng = np.random.default_rng(seed)
    if n < k:
        return
    rows = rng.normal(size=(n, 3))
    together = [tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(pairs)]
    sizes = np.bincount(alike(rows, k, rng, together))
    assert sizes.min() >= k
    assert sizes.max() < 2 * k
    assert sizes.sum() == n


def test_a_straggler_joins_the_others_instead_of_mixing_all():
    """Six women and four men: one woman alone shares the men's face."""
    sex = np.array([3.0] * 6 + [0.0] * 4)
    age = np.linspace(1, 3, 10)
    labels = alike(np.column_stack([sex, age]), 5, 1)
    groups = [sex[labels == g] for g in range(2)]
    assert sorted(int((group > 0).sum()) for group in groups) == [1, 5]


def test_companions_are_kept_apart_among_people_of_like_looks():
    rows = np.tile([[0.0], [0.1]], (10, 1))
    together = [(0, 1), (0, 2), (4, 5), (6, 8)]
    labels = alike(rows, 5, 3, together)
    assert all(labels[one] != labels[other] for one, other in together)


def test_companions_of_other_looks_do_not_break_a_class():
    rows = np.array([[0.0]] * 5 + [[9.0]] * 5)
    labels = alike(rows, 5, 3, [(0, 1)])
    assert labels[0] == labels[1]


def test_large_collections_are_grouped_in_parts():
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(1200, 2))
    labels = alike(rows, 5, 1)
    sizes = np.bincount(labels)
    assert sizes.min() >= 5
    assert sizes.max() < 10
    shuffled = information_loss(rows, rng.permutation(labels))
    assert information_loss(rows, labels) < 0.1 * shuffled


def test_people_who_are_all_alike_are_grouped_by_chance():
    labels = [alike(np.zeros((10, 3)), 5, seed).tolist() for seed in range(4)]
    assert len({tuple(found) for found in labels}) > 1
