"""Groups that hide a label: the guarantees themselves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame.errors import GuaranteeError, InputError
from ksame.grouping import closest, information_loss, l_diverse, t_close


def people(count, kinds, seed):
    """Faces in which the label shows: closest groups would tell it."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, kinds, count)
    labels[:kinds] = np.arange(kinds)
    return rng.normal(size=(count, 4)) + 3 * labels[:, None], labels


@settings(max_examples=50)
@given(
    count=st.integers(6, 80),
    k=st.integers(2, 5),
    kinds=st.integers(2, 4),
    seed=st.integers(0, 9999),
)
def test_l_diversity_holds_in_every_group(count, k, kinds, seed):
    X, labels = people(count, kinds, seed)
    groups = l_diverse(X, k, labels, kinds, seed)
    assert np.bincount(groups).min() >= k
    for g in np.unique(groups):
        assert len(np.unique(labels[groups == g])) == kinds


@settings(max_examples=50)
@given(
    count=st.integers(6, 80),
    k=st.integers(2, 5),
    t=st.floats(0, 1),
    seed=st.integers(0, 9999),
)
def test_t_closeness_holds_in_every_group(count, k, t, seed):
    X, labels = people(count, 3, seed)
    groups = t_close(X, k, labels, t, seed)
    assert np.bincount(groups).min() >= k
    whole = np.bincount(labels, minlength=3) / count
    for g in np.unique(groups):
        inside = labels[groups == g]
        shares = np.bincount(inside, minlength=3) / len(inside)
        assert np.abs(shares - whole).sum() / 2 <= t + 1e-9


def test_no_more_is_merged_than_needed():
    X, labels = people(60, 3, 0)
    near = closest(X, 5, 0)
    assert information_loss(X, t_close(X, 5, labels, 1.0, 0)) == information_loss(X, near)
    assert information_loss(X, l_diverse(X, 5, labels, 1, 0)) == information_loss(X, near)
    strict = t_close(X, 5, labels, 0.05, 0)
    assert information_loss(X, near) < information_loss(X, strict)


def test_wrong_arguments():
    X, labels = people(20, 2, 0)
    with pytest.raises(GuaranteeError, match="at least 3 different labels; this set has 2"):
        l_diverse(X, 2, labels, 3)
    with pytest.raises(InputError, match="between 0 and 1"):
        t_close(X, 2, labels, 1.5)
    with pytest.raises(InputError, match="one value per row"):
        l_diverse(X, 2, labels[:4], 2)
