"""Wrong-map: nobody is recognised, and more of the face stays than with far groups."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame.errors import GuaranteeError, NoGuaranteeWarning
from ksame.grouping import closest, furthest, k_diff_furthest, wrong_map
from ksame.methods import KSame
from ksame.metrics import check_k_anonymity, count_recognised, loss


@settings(max_examples=60)
@given(
    people=st.integers(8, 60), k=st.integers(2, 4), d=st.integers(2, 8), seed=st.integers(0, 9999)
)
def test_nobody_is_recognised_and_k_share_a_face(people, k, d, seed):
    X = np.random.default_rng(seed).normal(size=(people, d))
    try:
        swap = wrong_map(X, k, seed)
    except GuaranteeError:
        assert people < 8 * k  # only small sets may leave no lender
        return
    released = swap.surrogates(X)[swap.labels]
    assert check_k_anonymity(X, released, None, k)
    assert count_recognised(X, released, None) == 0
    assert (swap.source != np.arange(len(swap.source))).all()
    assert sorted(swap.source.tolist()) == list(range(len(swap.source)))


def test_it_loses_less_than_furthest_and_more_than_closest():
    X = np.random.default_rng(0).normal(size=(100, 20)) * np.linspace(4, 0.2, 20)
    near = closest(X, 5, 0)
    means = np.stack([X[near == g].mean(axis=0) for g in range(near.max() + 1)])
    losses = [
        loss(X, means[near]),
        *(loss(X, s.surrogates(X)[s.labels]) for s in (wrong_map(X, 5, 0), furthest(X, 5, 0))),
    ]
    assert losses[0] < losses[1] < 0.9 * losses[2]


def test_it_is_a_grouping_of_k_same():
    X = np.random.default_rng(1).normal(size=(60, 6))
    persons = np.repeat(np.arange(30), 2)
    released = KSame(3, grouping="wrong-map", random_state=0).fit_transform(X, persons=persons)
    assert check_k_anonymity(X, released, persons, 3)
    assert count_recognised(X, released, persons) == 0


def test_identical_faces_are_refused():
    with pytest.raises(GuaranteeError, match="nearest original"):
        wrong_map(np.ones((12, 3)), 3, 0)
    with pytest.raises(GuaranteeError, match="needs at least 6"):
        wrong_map(np.random.default_rng(0).normal(size=(5, 2)), 3, 0)


def test_k_diff_keeps_the_differences_inside_a_group_and_warns():
    X = np.random.default_rng(2).normal(size=(40, 5))
    with pytest.warns(NoGuaranteeWarning, match="no k-anonymity"):
        moved = k_diff_furthest(X, 4, 0)
    swap = furthest(X, 4, 0)
    for g in range(len(swap.source)):
        rows = swap.labels == g
        before, after = X[rows], moved[rows]
        np.testing.assert_allclose(before - before.mean(0), after - after.mean(0), atol=1e-12)
        np.testing.assert_allclose(after.mean(0), X[swap.labels == swap.source[g]].mean(0))
    assert len(np.unique(moved, axis=0)) == 40
