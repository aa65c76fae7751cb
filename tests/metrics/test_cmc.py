"""CMC, intervals and ROC against hand-computed, SciPy and scikit-learn references."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import roc_auc_score, roc_curve, top_k_accuracy_score

from ksame.errors import InputError
from ksame.metrics.cmc import cmc, curve, pooled, ranking
from ksame.metrics.intervals import clopper_pearson, rate
from ksame.metrics.roc import roc, verification

HAND = np.array([[0.1, 0.5, 0.9], [0.2, 0.3, 0.1], [0.4, 0.4, 0.4]])


def test_hand_computed_curve():
    found = cmc(HAND, ["a", "b", "c"], ["a", "b", "c"])
    # probe a: rank 1; probe b: rank 3; probe c ties with both others: 1/3, 2/3, 1.
    np.testing.assert_allclose(found.rates, [(1 + 0 + 1 / 3) / 3, (1 + 0 + 2 / 3) / 3, 1.0])
    assert found.chance == pytest.approx(1 / 3)
    assert found.rank1.value == pytest.approx(4 / 9)


def test_people_are_ranked_not_images():
    distances = np.array([[0.3, 0.1, 0.2, 0.15]])
    found = ranking(distances, ["a", "b", "a", "b"], ["a"])
    assert found.better.tolist() == [1]
    assert found.people.tolist() == [2]


def test_the_answer_scores_one_and_noise_scores_chance():
    people = np.arange(200)
    told = 1.0 - np.eye(200)
    assert cmc(told, people, people).rank1.value == 1.0
    noise = np.random.default_rng(0).random((4000, 200))
    found = cmc(noise, people, np.arange(4000) % 200)
    assert found.rank1.low <= 1 / 200 <= found.rank1.high
    assert cmc(np.zeros((200, 200)), people, people).rank1.value == pytest.approx(1 / 200)


@given(seed=st.integers(0, 10_000), n=st.integers(3, 12))
@settings(deadline=None, max_examples=30)
def test_agrees_with_scikit_learn(seed, n):
    distances = np.random.default_rng(seed).random((3 * n, n))
    truth = np.tile(np.arange(n), 3)
    ours = cmc(distances, np.arange(n), truth).rates
    for r in range(1, n):
        assert ours[r - 1] == pytest.approx(top_k_accuracy_score(truth, -distances, k=r))
    assert ours[-1] == 1.0


def test_donors_are_taken_out_but_never_the_person():
    distances = np.array([[0.3, 0.1, 0.2]])
    everything = np.ones((1, 3), dtype=bool)
    found = ranking(distances, ["a", "b", "c"], ["a"], excluded=everything)
    assert found.better.tolist() == [0]
    assert found.people.tolist() == [1]
    one = np.array([[False, True, False]])
    assert ranking(distances, ["a", "b", "c"], ["a"], one).better.tolist() == [1]


def test_pooled_splits_average():
    first = ranking(HAND, list("abc"), list("abc"))
    assert curve(pooled([first, first])).rates == pytest.approx(curve(first).rates)
    with pytest.raises(InputError, match="0 rankings"):
        pooled([])


@pytest.mark.parametrize(
    ("distances", "gallery", "probes", "match"),
    [
        (np.zeros((1, 2)), ["a", "b"], ["c"], "1 probes have no image"),
        (np.zeros((2, 2)), ["a", "b"], ["a"], r"must be \(probes, gallery\)"),
        (np.full((1, 1), np.nan), ["a"], ["a"], "NaN"),
        (np.zeros((0, 2)), ["a", "b"], [], "0 probes"),
    ],
)
def test_wrong_input_is_named(distances, gallery, probes, match):
    with pytest.raises(InputError, match=match):
        ranking(distances, gallery, probes)


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (10, 10), (3, 17), (102, 510), (1, 1)])
@pytest.mark.parametrize("level", [0.95, 0.9])
def test_clopper_pearson_is_scipys_exact_interval(hits, trials, level):
    reference = binomtest(hits, trials).proportion_ci(level, method="exact")
    assert clopper_pearson(hits, trials, level) == pytest.approx((reference.low, reference.high))


def test_fractional_hits_lie_between_whole_ones():
    below, at, above = (clopper_pearson(h, 20) for h in (3, 3.5, 4))
    assert below[0] < at[0] < above[0]
    assert below[1] < at[1] < above[1]
    assert rate(2, 10).within(0.05)
    assert not rate(9, 10).within(0.2)


@pytest.mark.parametrize(("hits", "trials", "level"), [(1, 0, 0.95), (3, 2, 0.95), (1, 2, 1.0)])
def test_interval_rules(hits, trials, level):
    with pytest.raises(InputError):
        clopper_pearson(hits, trials, level)


@given(seed=st.integers(0, 10_000), ties=st.booleans())
@settings(deadline=None, max_examples=30)
def test_roc_agrees_with_scikit_learn(seed, ties):
    rng = np.random.default_rng(seed)
    same, other = rng.normal(0, 1, 60), rng.normal(1, 1, 300)
    if ties:
        same, other = np.round(same), np.round(other)
    ours = roc(same, other)
    truth = np.repeat([1, 0], [60, 300])
    score = -np.concatenate([same, other])
    assert ours.area == pytest.approx(roc_auc_score(truth, score))
    far, tar, _ = roc_curve(truth, score, drop_intermediate=False)
    for target in (0.001, 0.01, 0.1, 0.5):
        assert ours.tar_at(target).value == pytest.approx(tar[far <= target + 1e-12].max())
    # By rates, not by a search: false accepts and false rejects cross here.
    assert abs(np.interp(ours.equal_error, ours.far, ours.tar) - (1 - ours.equal_error)) < 0.2


def test_hand_computed_roc():
    found = roc([1, 2, 3, 4], [2.5, 5, 6, 7])
    assert found.tar_at(0.0).value == 0.5
    assert found.tar_at(0.25).value == 1.0
    assert found.threshold_at(0.0) == 2.0
    assert found.area == pytest.approx(14 / 16)
    assert roc([0, 0], [1, 1]).equal_error == 0.0
    with pytest.raises(InputError, match="at least one of"):
        roc([], [1.0])


def test_verification_pairs_and_reference_threshold():
    distances = np.array([[0.1, 0.8], [0.9, 0.2]])
    assert verification(distances, ["a", "b"], ["a", "b"]).tar_at(0.0).value == 1.0
    strict = verification(distances, ["a", "b"], ["a", "b"], reference=np.array([0.15, 0.9]))
    assert strict.tar_at(0.0).value == 0.5
