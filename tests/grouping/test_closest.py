"""The fast engines group exactly as N figure 10 says."""

import numpy as np
import pytest

from ksame.errors import GuaranteeError, InputError
from ksame.grouping import closest, fast, kernels
from ksame.grouping.closest import closest_plain, smallest


def newton_figure_10(H, k, order):
    """N figure 10, line by line and slowly; returns the groups as lists, in the order made."""
    remaining = list(range(len(H)))
    groups = []
    for face in order:  # line 3
        if face not in remaining:
            continue
        distance = {i: float(((H[i : i + 1] - H[face]) ** 2).sum(axis=1)[0]) for i in remaining}
        match = sorted(remaining, key=lambda i: (i != face, distance[i], i))  # line 4
        if len(remaining) < 2 * k:  # line 5
            k = len(remaining)
        group = match[:k]  # lines 6 to 8
        groups.append(sorted(group))
        remaining = [i for i in remaining if i not in group]  # lines 9 and 10
    return groups


def as_lists(labels):
    return [np.flatnonzero(labels == group).tolist() for group in range(labels.max() + 1)]


def random_set(rng):
    """Sets with and without ties: normal, few integers, duplicates, an offset, wild scales."""
    n, d = int(rng.integers(4, 45)), int(rng.choice([1, 2, 5, 9, 17]))
    kind = rng.integers(5)
    if kind == 1:
        return rng.integers(0, 3, size=(n, d)).astype(float)
    if kind == 2:
        return np.repeat(rng.normal(size=(n // 3 + 1, d)), 3, axis=0)[:n]
    if kind == 3:
        return 1e6 + rng.normal(size=(n, d))
    if kind == 4:
        return rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-8, 8, size=(n, 1))
    return rng.normal(size=(n, d))


def test_both_engines_give_the_groups_of_newtons_pseudo_code(monkeypatch):
    monkeypatch.setattr(fast, "_SMALL", 8)
    monkeypatch.setattr(fast, "_BLOCK", 8)
    rng = np.random.default_rng(0)
    for _ in range(2000):
        X = random_set(rng)
        k = int(rng.integers(2, max(3, len(X) // 2)))
        order = rng.permutation(len(X))
        literal = newton_figure_10(X, k, order.tolist())
        assert as_lists(closest_plain(X, k, order)) == literal
        assert as_lists(fast.group_rows(X, k, order)) == literal


@pytest.mark.parametrize("kind", ["normal", "pixels", "duplicates", "outlier"])
def test_engines_agree_where_lists_and_searches_are_both_needed(kind):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4000, 20))
    if kind == "pixels":
        X = rng.integers(0, 4, size=(4000, 20)).astype(float)
    elif kind == "duplicates":
        X = np.repeat(X[:500], 8, axis=0)
    elif kind == "outlier":
        X[7] *= 1e6
    order = rng.permutation(len(X))
    np.testing.assert_array_equal(
        fast.closest_fast(X, 5, order), closest_plain(X, 5, order), strict=True
    )


@pytest.mark.parametrize("d", [1, 3, 7, 8, 9, 64, 127, 128, 129, 136, 300, 1000, 13266])
def test_distances_round_as_numpy_rounds_them(d):
    rng = np.random.default_rng(d)
    rows, x = rng.normal(size=(20, d)), rng.normal(size=d)
    plan = kernels.summing_plan(d)
    ours = [kernels.squared_distance(row, x, plan) for row in rows]
    np.testing.assert_array_equal(ours, ((rows - x) ** 2).sum(axis=1))


def test_threads_do_not_change_the_groups(monkeypatch):
    X = np.random.default_rng(2).normal(size=(5000, 16))
    order = np.random.default_rng(3).permutation(5000)
    groups = []
    for count in (1, 2, 5):
        monkeypatch.setattr(fast, "processors", lambda count=count: count)
        groups.append(fast.closest_fast(X, 4, order))
    np.testing.assert_array_equal(groups[0], groups[1])
    np.testing.assert_array_equal(groups[0], groups[2])


def test_large_sets_take_the_compiled_engine(monkeypatch):
    from ksame.grouping import closest as module_function

    module = __import__("sys").modules[module_function.__module__]
    monkeypatch.setattr(module, "_PLAIN_WORK", 0)
    X = np.random.default_rng(4).normal(size=(300, 5))
    monkeypatch.setattr(module, "closest_plain", lambda *_: pytest.fail("plain engine"))
    sizes = np.bincount(closest(X, 7, 0))
    assert (sizes >= 7).all()
    assert (sizes < 14).all()


@pytest.mark.parametrize(("n", "k", "sizes"), [(5, 5, [5]), (9, 5, [9]), (10, 5, [5, 5])])
def test_the_last_group_takes_up_to_2k_minus_1(n, k, sizes):
    X = np.random.default_rng(5).normal(size=(n, 3))
    assert np.bincount(closest(X, k, 0)).tolist() == sizes


def test_same_seed_same_groups():
    X = np.random.default_rng(6).normal(size=(50, 3))
    np.testing.assert_array_equal(closest(X, 3, 9), closest(X, 3, np.random.default_rng(9)))


def test_smallest_prefers_the_first_of_equal_values():
    assert smallest(np.array([2.0, 1.0, 1.0, 1.0, 0.0]), 3).tolist() == [1, 2, 4]


@pytest.mark.parametrize(
    ("X", "k", "error", "says"),
    [
        (np.zeros((4, 2)), 1, InputError, "k=1 must be at least 2"),
        (np.zeros((4, 2)), True, InputError, "whole number"),
        (np.zeros((4, 2)), 2.0, InputError, "whole number"),
        (np.zeros((4, 2)), 5, GuaranteeError, "k=5 needs at least 5 people; this set has 4"),
        ([[1.0], [2.0, 3.0]], 2, InputError, "ragged"),
        ([["a"], ["b"]], 2, InputError, "not numeric"),
        (np.full((4, 2), np.nan), 2, InputError, "8 NaN"),
        (np.zeros(4), 2, InputError, "at least 2"),
        (np.zeros((0, 3)), 2, InputError, "minimum of 1"),
    ],
)
def test_bad_input_is_refused_with_value_rule_and_remedy(X, k, error, says):
    with pytest.raises(error, match=says):
        closest(X, k, 0)
    with pytest.raises(ValueError, match=r"\w+"):
        closest(X, k, 0)


@pytest.mark.parametrize("state", [-1, "seed", 1.5, True])
def test_bad_random_states_are_refused(state):
    with pytest.raises(InputError, match="random_state"):
        closest(np.zeros((4, 2)), 2, state)
