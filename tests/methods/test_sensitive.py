"""l-diversity and t-closeness as groupings of every k-Same method."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from ksame import KSamePixel, KSameSelect, check_k_anonymity
from ksame.errors import GuaranteeError, InputError
from ksame.methods import Grouping, KSame, close, diverse
from ksame.metrics.diversity import fewest_labels, furthest_share


def faces_of(people, seed, rows_each=1):
    """Faces of people with a label that follows the face: close people share it."""
    rng = np.random.default_rng(seed)
    label = np.sort(rng.integers(0, 4, people))
    label[:4] = np.arange(4)
    faces = label[:, None] * 10.0 + rng.normal(size=(people, 5))
    persons = np.repeat(np.arange(people), rows_each)
    jitter = rng.normal(scale=0.1, size=(people * rows_each, 5))
    return faces[persons] + jitter, persons, np.array(["a", "b", "c", "d"])[label][persons]


@given(st.integers(12, 40), st.integers(2, 4), st.integers(2, 4), st.integers(0, 10**6))
def test_every_group_is_diverse_and_shared_by_k(people, k, l, seed):
    X, persons, labels = faces_of(people, seed, rows_each=2)
    method = KSame(k, grouping=diverse(l), random_state=0)
    released = method.fit_transform(X, persons=persons, sensitive=labels)
    assert check_k_anonymity(X, released, persons, k)
    assert fewest_labels(method.labels_, labels) >= l


@given(st.integers(12, 40), st.integers(2, 4), st.floats(0.05, 0.6), st.integers(0, 10**6))
def test_every_group_is_close_to_everybody(people, k, t, seed):
    X, persons, labels = faces_of(people, seed)
    method = KSamePixel(k, grouping=close(t), random_state=0)
    released = method.fit_transform(X, persons=persons, sensitive=labels)
    assert check_k_anonymity(X, released, persons, k)
    assert furthest_share(method.labels_, labels) <= t + 1e-9


def test_plain_groups_tell_the_label():
    """What the two are for: the closest people share a label."""
    X, persons, labels = faces_of(40, 0)
    plain = KSamePixel(4, random_state=0).fit(X, persons=persons)
    assert fewest_labels(plain.labels_, labels) == 1
    named = KSamePixel(4, grouping="l-diverse", random_state=0)
    named.fit(X, persons=persons, sensitive=labels)
    assert fewest_labels(named.labels_, labels) >= 2


def test_inside_classes_too():
    X, persons, labels = faces_of(40, 1)
    classes = np.where(np.arange(40) % 2, "m", "f")
    method = KSameSelect(KSame(3, grouping=diverse(2), random_state=0))
    method.fit_transform(X, persons=persons, classes=classes, sensitive=labels)
    for shown in ("m", "f"):
        rows = classes == shown
        assert fewest_labels(method.labels_[rows], labels[rows]) >= 2
    assert clone(method).method.grouping.name == "l-diverse"


def test_a_grouping_that_breaks_its_word_releases_nothing():
    X, persons, labels = faces_of(20, 2)
    honest = diverse(2)
    broken = Grouping(
        "broken", lambda codes, k, rng, labels: np.arange(20) // 5, sees_labels=True,
        check=honest.check,
    )  # fmt: skip
    with pytest.raises(GuaranteeError, match="1 different labels; l=2 is promised"):
        KSame(5, grouping=broken).fit_transform(X, persons=persons, sensitive=labels)


def test_wrong_arguments():
    X, persons, labels = faces_of(20, 3, rows_each=2)
    with pytest.raises(InputError, match="nothing was named"):
        KSame(5, grouping="t-close").fit_transform(X, persons=persons)
    with pytest.raises(InputError, match="'closest' does not look at what is sensitive"):
        KSame(5).fit_transform(X, persons=persons, sensitive=labels)
    mixed = labels.copy()
    mixed[0] = "d" if mixed[1] != "d" else "a"
    with pytest.raises(InputError, match="a person has two values"):
        KSame(5, grouping="l-diverse").fit_transform(X, persons=persons, sensitive=mixed)
    with pytest.raises(InputError, match="sensitive"):
        KSame(5, grouping="l-diverse").fit_transform(X, persons=persons, sensitive=labels[:3])
