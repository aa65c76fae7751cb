"""Who shares a face: groups of k people, their classes, and people who are not shown."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from release_plans import job_of, plan_of_nothing

from ksame.errors import GuaranteeError
from ksame.release import share as sharing
from ksame.release.name import People
from ksame.release.secret import Secret
from ksame.release.share import Group, Grouped, SharedFace, group, share


def _codes(people, seed=0, dimensions=6):
    rng = np.random.default_rng(seed)
    return {f"p{i:03d}": rng.normal(size=dimensions) for i in range(people)}


@settings(max_examples=40)
@given(
    people=st.integers(4, 40),
    k=st.integers(2, 5),
    method=st.sampled_from(["m", "mdav", "furthest"]),
    seed=st.integers(0, 2**32),
)
def test_every_person_is_in_one_group_of_at_least_k(people, k, method, seed):
    plan = plan_of_nothing(k=k, method=method)
    job, codes = job_of(plan, secret=Secret(seed, "n")), _codes(people, seed)
    if people < plan.needed:
        with pytest.raises(GuaranteeError, match="needs at least"):
            group(job, codes, {})
        return
    groups, _ = group(job, codes, {})
    everybody = [person for found in groups for person in found.people]
    assert sorted(everybody) == sorted(codes)
    assert min(len(found.people) for found in groups) >= k
    for found in groups:
        assert len(found.donors) >= k
        if method == "furthest":
            assert not set(found.donors) & set(found.people)
        else:
            assert found.donors == found.people


@settings(max_examples=30)
@given(people=st.integers(5, 40), k=st.integers(2, 5), seed=st.integers(0, 2**32), data=st.data())
def test_nobody_groups_hold_k_people_whatever_their_classes(people, k, seed, data):
    """Classes that nobody asked for join each other instead of failing."""
    plan = plan_of_nothing(k=k, method="nobody", composite="natural", select=None)
    codes = _codes(people, seed)
    classes = {p: (data.draw(st.sampled_from("abc")),) for p in codes}
    if people < k:
        return
    groups, _ = group(job_of(plan, secret=Secret(seed, "n")), codes, classes)
    assert sorted(p for found in groups for p in found.people) == sorted(codes)
    assert min(len(found.people) for found in groups) >= k


def test_people_who_are_seen_together_get_different_faces():
    plan = plan_of_nothing(k=3, method="nobody", composite="natural")
    codes = _codes(12)
    names = sorted(codes)
    together = [(a, b) for i, a in enumerate(names[:4]) for b in names[i + 1 : 4]]
    groups, _ = group(job_of(plan), codes, {}, together=together)
    for found in groups:
        assert len(set(found.people) & set(names[:4])) == 1


def test_groups_stay_inside_their_classes():
    codes = _codes(20)
    classes = {person: (str(i % 2),) for i, person in enumerate(sorted(codes))}
    groups, _ = group(job_of(plan_of_nothing(method="m", select=("side",))), codes, classes)
    for found in groups:
        assert len({classes[person] for person in found.people}) == 1


def test_a_class_that_is_too_small_is_named_and_nobody_in_it():
    codes = _codes(8)
    classes = {person: ("b" if i < 2 else "a",) for i, person in enumerate(sorted(codes))}
    with pytest.raises(GuaranteeError, match="class side=b has 2") as caught:
        group(job_of(plan_of_nothing(method="m", select=("side",))), codes, classes)
    assert not any(person in str(caught.value) for person in codes)


def test_reference_people_widen_groups_and_are_not_groups_of_their_own():
    codes = _codes(10)
    reference = frozenset(sorted(codes)[2:])
    groups, _ = group(job_of(plan_of_nothing(method="m")), codes, {}, reference)
    shown = {person for found in groups for person in found.people} - reference
    assert shown == set(codes) - reference
    assert all(set(found.people) - reference for found in groups)
    assert min(len(found.people) for found in groups) >= 3


def test_donors_can_be_reference_people_alone():
    codes = _codes(14)
    reference = frozenset(sorted(codes)[8:])
    job = job_of(plan_of_nothing(reference="demo", donors="reference", method="furthest"))
    groups, _ = group(job, codes, {}, reference)
    for found in groups:
        assert set(found.donors) <= reference
        assert len(found.donors) == 3
        assert set(found.kin) <= reference
    with pytest.raises(GuaranteeError, match="reference people of every class"):
        group(job, codes, {}, frozenset(sorted(codes)[12:]))


@pytest.mark.parametrize(
    ("faces", "said"),
    [
        ([("a", "b")], "a face is shared by 2 people; k=3"),
        ([("a", "b", "b")], "a face is shared by 2 people; k=3"),
        ([("a", "b", "c"), ("a", "d", "e")], "no face or more than one"),
        ([("b", "c", "d")], "no face or more than one"),
    ],
)
def test_what_a_style_makes_is_counted_anew(faces, said, monkeypatch):
    """A style with a mistake releases nothing."""
    everybody = {person: [(0, i)] for i, person in enumerate("abcde")}
    made = [SharedFace(people, people, "key", "digest") for people in faces]
    found = Grouped(everybody, groups=[Group(tuple(everybody), tuple(everybody))])
    monkeypatch.setattr(sharing, "group_all", lambda *_: found)
    monkeypatch.setattr(
        sharing, "style_named", lambda _: SimpleNamespace(make=lambda *_: made), raising=True
    )
    with pytest.raises(GuaranteeError, match=said):
        share(job_of(plan_of_nothing(method="m")), None, People({}))
