"""The guarantees, over random sets made to break them."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ksame.errors import GuaranteeError
from ksame.grouping import blocks, closest, furthest, mdav
from ksame.methods import KSame, KSameEigen, KSameFurthest, KSamePixel, KSameSelect
from ksame.metrics import check_k_anonymity, count_recognised

METHODS = {
    "pixel": KSamePixel,
    "eigen": lambda k, random_state: KSameEigen(k, 2, random_state=random_state),
    "mdav": lambda k, random_state: KSame(k, grouping="mdav", random_state=random_state),
    "blocks": lambda k, random_state: KSame(k, grouping="blocks", random_state=random_state),
    "furthest": lambda k, random_state: KSameFurthest(k, random_state=random_state),
}


@st.composite
def face_sets(draw, most_rows=3):
    """X, persons and k: duplicates, identical faces, constant pixels, extremes, n = k, n = 2k-1."""
    k = draw(st.integers(2, 5))
    n_people = draw(st.sampled_from([k, 2 * k - 1, 2 * k, 2 * k + 1, 3 * k, 4 * k + 1]))
    rows = draw(st.lists(st.integers(1, most_rows), min_size=n_people, max_size=n_people))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    persons = rng.permutation(np.repeat(np.arange(n_people), rows))
    n, d = len(persons), draw(st.integers(1, 6))
    kind = draw(
        st.sampled_from(["normal", "few", "identical", "constant", "huge", "tiny", "mixed"])
    )
    X = rng.normal(size=(n, d))
    if kind == "few":
        X = rng.integers(0, 2, size=(n, d)).astype(float)
    elif kind == "identical":
        X = np.repeat(X[:1], n, axis=0)
    elif kind == "constant":
        X[:, 0] = 128.0
    elif kind == "huge":
        X *= 10.0 ** draw(st.integers(100, 306))
    elif kind == "tiny":
        X *= 10.0 ** -draw(st.integers(100, 300))
    elif kind == "mixed":
        X *= 10.0 ** rng.integers(-6, 7, size=(n, 1))
    return X, persons, k


@pytest.mark.parametrize("name", METHODS)
@given(case=face_sets(), seed=st.integers(0, 2**31))
@settings(max_examples=60)
def test_every_surrogate_is_shared_by_k_people(name, case, seed):
    X, persons, k = case
    method = METHODS[name](k, random_state=seed)
    try:
        released = method.fit_transform(X, persons=persons)
    except GuaranteeError:
        # only furthest may refuse: fewer than 2k people, or faces too much alike
        assert name == "furthest"
        return
    assert np.isfinite(released).all()
    for label in np.unique(method.labels_):
        group = method.labels_ == label
        assert len(np.unique(persons[group])) >= k
        assert len({row.tobytes() for row in released[group]}) == 1
    for person in np.unique(persons):
        assert len({row.tobytes() for row in released[persons == person]}) == 1
    assert _informed_attacker(released, persons) <= 1 / k + 1e-12


def _informed_attacker(released, persons):
    """The best that anyone can do who knows the method, the originals and every group.

    All that a release shows of a person is which face their rows have; of the people with the same
    one, the attacker names one and is right once.
    """
    face_of = {}
    for row, person in zip(released, persons, strict=True):
        face_of.setdefault(person, set()).add(row.tobytes())
    return len({frozenset(faces) for faces in face_of.values()}) / len(face_of)


@given(case=face_sets(most_rows=1), seed=st.integers(0, 2**31))
@settings(max_examples=150)
def test_furthest_is_zero_under_its_own_distance_or_refuses(case, seed):
    X, _, k = case
    assume(len(X) >= 2 * k)
    try:
        released = KSameFurthest(k, random_state=seed).fit_transform(X)
    except GuaranteeError:
        return
    assert count_recognised(X, released, None) == 0


@given(seed=st.integers(0, 2**31), k=st.integers(2, 6), extra=st.integers(0, 12))
@settings(max_examples=60)
def test_furthest_does_not_refuse_faces_that_differ_in_many_pixels(seed, k, extra):
    X = np.random.default_rng(seed).normal(size=(2 * k + extra, 30))
    swap = furthest(X, k, seed)
    assert count_recognised(X, swap.surrogates(X)[swap.labels], None) == 0


@given(case=face_sets(), seed=st.integers(0, 2**31))
@settings(max_examples=40)
def test_furthest_is_zero_against_all_rows_of_all_people(case, seed):
    X, persons, k = case
    try:
        released = KSameFurthest(k, random_state=seed).fit_transform(X, persons=persons)
    except GuaranteeError:
        return
    assert count_recognised(X, released, persons) == 0


@given(case=face_sets(), seed=st.integers(0, 2**31), n_classes=st.integers(1, 3))
@settings(max_examples=80)
def test_select_keeps_classes_apart_and_linked_rows_at_k(case, seed, n_classes):
    X, persons, k = case
    classes = np.random.default_rng(seed).integers(0, n_classes, size=len(X))
    method = KSameSelect(KSamePixel(k, random_state=seed))
    try:
        released = method.fit_transform(X, persons=persons, classes=classes)
    except GuaranteeError:
        assert n_classes > 1
        return
    assert check_k_anonymity(X, released, persons, k)
    for label in np.unique(method.labels_):
        assert len(np.unique(classes[method.labels_ == label])) == 1


@given(case=face_sets(), seed=st.integers(0, 2**31))
@settings(max_examples=40)
def test_merged_classes_never_refuse_a_set_of_k_people(case, seed):
    X, persons, k = case
    classes = np.random.default_rng(seed).integers(0, 4, size=len(X))
    method = KSameSelect(KSamePixel(k, random_state=seed), merge_small=True)
    assert check_k_anonymity(X, method.fit_transform(X, persons, classes), persons, k)


@given(seed=st.integers(0, 2**31), n=st.integers(2, 12), d=st.integers(1, 5))
@settings(max_examples=40)
def test_k_equal_to_n_is_the_global_mean(seed, n, d):
    X = np.random.default_rng(seed).normal(size=(n, d))
    for grouping in ("closest", "mdav", "blocks"):
        released = KSame(k=n, grouping=grouping, random_state=seed).fit_transform(X)
        assert len({row.tobytes() for row in released}) == 1
        np.testing.assert_allclose(released[0], X.mean(axis=0), rtol=1e-12, atol=1e-15)


@given(case=face_sets(), seed=st.integers(0, 2**31))
@settings(max_examples=30)
def test_same_seed_same_release(case, seed):
    X, persons, k = case
    for make in (METHODS["pixel"], METHODS["eigen"], METHODS["mdav"]):
        first, second = (make(k, random_state=seed).fit_transform(X, persons) for _ in range(2))
        assert first.tobytes() == second.tobytes()


@given(case=face_sets(most_rows=1), seed=st.integers(0, 2**31))
@settings(max_examples=60)
def test_every_grouping_is_a_partition_of_k_to_2k_minus_1(case, seed):
    X, _, k = case
    for grouping in (closest, mdav, blocks):
        sizes = np.bincount(grouping(X, k, seed))
        assert sizes.sum() == len(X)
        assert (sizes >= k).all()
        assert (sizes < 2 * k).all()


# --- N theorem 2, its three cases, for every recogniser ---------------------------------


@given(seed=st.integers(0, 2**31), k=st.integers(2, 5), groups=st.integers(1, 4))
@settings(max_examples=60)
def test_theorem_2_no_recogniser_beats_1_over_k(seed, k, groups):
    """A recogniser is any map from released faces to people; random ones cover the three cases."""
    rng = np.random.default_rng(seed)
    n = k * groups + int(rng.integers(0, k))
    X = rng.normal(size=(n, 4))
    method = KSamePixel(k, random_state=seed)
    released = method.fit_transform(X)
    labels = method.labels_
    P = {label: np.flatnonzero(labels == label) for label in np.unique(labels)}
    outside = {label: np.flatnonzero(labels != label) for label in P}
    # case 1 and 3: the recogniser names a member of P, the group, for each of its faces
    inside = {label: rng.choice(members) for label, members in P.items()}
    rate = np.mean([inside[label] == row for row, label in enumerate(labels)])
    assert rate == pytest.approx(len(P) / n)
    assert rate <= 1 / k
    # case 2: it names people outside of P for some groups, and is never right there
    mixed = {
        label: rng.choice(outside[label])
        if len(outside[label]) and rng.random() < 0.5
        else inside[label]
        for label in P
    }
    assert np.mean([mixed[label] == row for row, label in enumerate(labels)]) <= rate
    # the nearest original is such a recogniser
    nearest = [int(np.argmin(((X - face) ** 2).sum(axis=1))) for face in released]
    assert np.mean(np.array(nearest) == np.arange(n)) <= 1 / k
