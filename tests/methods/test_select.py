"""k-Same-Select: classes are kept, small ones are named or merged, linked rows stay at k."""

import numpy as np
import pytest

from ksame.errors import GuaranteeError, InputError
from ksame.methods import KSameEigen, KSameFurthest, KSamePixel, KSameSelect
from ksame.metrics import check_k_anonymity


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(24, 6))


GENDER = np.repeat(["female", "male"], 12)
EXPRESSION = np.tile(["neutral", "smile"], 12)


@pytest.mark.parametrize("method", [KSamePixel(3), KSameEigen(3, 4), KSameFurthest(3)])
def test_groups_never_cross_a_class(X, method):
    select = KSameSelect(method)
    released = select.fit_transform(X, classes=GENDER)
    assert check_k_anonymity(X, released, None, 3)
    for label in np.unique(select.labels_):
        assert len(set(GENDER[select.labels_ == label])) == 1


@pytest.mark.parametrize(
    "classes",
    [
        np.column_stack([GENDER, EXPRESSION]),
        {"gender": GENDER, "expression": EXPRESSION},
        list(zip(GENDER, EXPRESSION, strict=True)),
    ],
    ids=["array", "mapping", "list of pairs"],
)
def test_several_columns_at_once(X, classes):
    select = KSameSelect(KSamePixel(3, random_state=0))
    select.fit(X, classes=classes)
    both = np.char.add(GENDER, EXPRESSION)
    for label in np.unique(select.labels_):
        assert len(set(both[select.labels_ == label])) == 1


def test_a_small_class_is_an_error_that_names_it(X):
    classes = ["rare"] * 2 + ["common"] * 22
    with pytest.raises(GuaranteeError, match="class 'rare' has 2 people; k=3 needs at least 3"):
        KSameSelect(KSamePixel(3)).fit(X, classes=classes)
    with pytest.raises(GuaranteeError, match="needs at least 6 in every class"):
        KSameSelect(KSameFurthest(3)).fit(X, classes=["some"] * 5 + ["common"] * 19)


def test_a_small_class_is_merged_with_the_nearest_on_request():
    X = np.concatenate([np.full((2, 3), 5.0), np.full((6, 3), 6.0), np.full((6, 3), 0.0)])
    X += np.random.default_rng(1).normal(scale=0.1, size=X.shape)
    classes = ["rare"] * 2 + ["near"] * 6 + ["far"] * 6
    select = KSameSelect(KSamePixel(3, random_state=0), merge_small=True)
    released = select.fit_transform(X, classes=classes)
    assert select.merged_ == (("rare", "near"),)
    assert check_k_anonymity(X, released, None, 3)
    assert released[:8].min() > 4 > 1 > released[8:].max()


def test_people_with_rows_in_several_classes_share_all_their_surrogates(X):
    """12 people, a neutral and a smiling row each: linking the two still leads to k people."""
    people = np.repeat(np.arange(12), 2)
    select = KSameSelect(KSamePixel(4, random_state=0))
    released = select.fit_transform(X, persons=people, classes=EXPRESSION)
    report = check_k_anonymity(X, released, people, 4)
    assert report
    assert report.n_surrogates == 6
    for label in np.unique(select.labels_):
        rows = select.labels_ == label
        assert len(set(EXPRESSION[rows])) == 1
        np.testing.assert_allclose(released[rows][0], X[rows].mean(axis=0))


def test_classes_are_required_and_must_fit(X):
    with pytest.raises(InputError, match="classes=None"):
        KSameSelect(KSamePixel(3)).fit_transform(X)
    with pytest.raises(InputError, match="no column"):
        KSameSelect(KSamePixel(3)).fit_transform(X, classes={})
    with pytest.raises(InputError, match="misses 1 of 24"):
        KSameSelect(KSamePixel(3)).fit_transform(X, classes=[None, *GENDER[1:]])


def test_any_method_accepts_classes_itself(X):
    select = KSameSelect(KSamePixel(3, random_state=0)).fit_transform(X, classes=GENDER)
    plain = KSamePixel(3, random_state=0).fit_transform(X, classes=GENDER)
    np.testing.assert_array_equal(select, plain)
