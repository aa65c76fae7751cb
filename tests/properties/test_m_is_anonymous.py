"""The guarantee of `m` and `furthest` on AAM codes, for any people and k (N theorems 1 and 2)."""

from collections import defaultdict
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame.codecs.aam import AamCodec, ActiveAppearanceModel, Fitting
from ksame.errors import GuaranteeError
from ksame.methods import KSameFurthest, KSameM
from ksame.metrics import check_k_anonymity


@cache
def codec():
    rng = np.random.default_rng(0)
    base = np.array([[4, 4], [28, 5], [29, 30], [5, 28], [16, 17]], dtype=float)
    shapes = base + rng.normal(0, 1.5, (14, 5, 2))
    look = rng.uniform(40, 200, (34, 34, 3))
    images = [np.clip(look + rng.normal(0, 12, look.shape), 0, 255) for _ in shapes]
    fitting = Fitting(sizes=(16,), shape_modes=(2,), appearance_modes=(3,), iterations=(1,))
    images = [image.astype(np.uint8) for image in images]
    return AamCodec(ActiveAppearanceModel(size=16, fitting=fitting).fit(images, shapes))


@st.composite
def sets(draw):
    """Face rows of 4 to 14 people with 1 to 3 images each, in any order, some faces identical."""
    people = draw(st.integers(4, 14))
    counts = draw(st.lists(st.integers(1, 3), min_size=people, max_size=people))
    persons = np.repeat(np.arange(people), counts)
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    codes = rng.normal(
        0, draw(st.sampled_from([0.0, 1.0, 30.0])), (people, codec().model.code_size)
    )
    rows = codes[persons] + rng.normal(0, 0.3, (len(persons), codes.shape[1]))
    order = rng.permutation(len(persons))
    k = draw(st.integers(2, people))
    return codec().decode(rows[order]), persons[order], k


def assert_shared_by_k(released, persons, k):
    owners = defaultdict(set)
    for row, person in zip(released, persons, strict=True):
        owners[row.tobytes()].add(int(person))
    assert min(map(len, owners.values())) >= k


@given(sets(), st.sampled_from(["closest", "mdav"]))
@settings(max_examples=40)
def test_every_surrogate_of_m_is_shared_by_k_people(drawn, grouping):
    X, persons, k = drawn
    released = KSameM(k, codec().model, grouping, random_state=0).fit_transform(X, persons)
    assert_shared_by_k(released, persons, k)
    assert check_k_anonymity(X, released, persons, k)
    # an attacker who knows everything guesses one of the group's people: at most 1/k on average
    groups = len({row.tobytes() for row in released})
    assert groups / len(set(persons.tolist())) <= 1 / k


@given(sets())
@settings(max_examples=40)
def test_furthest_on_codes_is_anonymous_and_never_nearest_to_its_person(drawn):
    X, persons, k = drawn
    method = KSameFurthest(k, codec(), random_state=0)
    if len(set(persons.tolist())) < 2 * k:
        with pytest.raises(GuaranteeError, match="at least"):
            method.fit_transform(X, persons)
        return
    try:
        released = method.fit_transform(X, persons)
    except GuaranteeError as refused:
        assert "no grouping" in str(refused)  # noqa: PT017
        return
    assert_shared_by_k(released, persons, k)
    originals, surrogates = codec().encode(X), codec().encode(released)
    apart = np.linalg.norm(surrogates[:, None] - originals[None], axis=2)
    own = persons[:, None] == persons[None]
    nearest_own = np.where(own, apart, np.inf).min(axis=1)
    nearest_other = np.where(own, np.inf, apart).min(axis=1)
    assert (nearest_other <= nearest_own + 1e-3).all()
