"""How many photos people have: like counts share a face, surplus stays out, the rest is told."""

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from release_plans import strict_plan

from ksame.errors import InputError
from ksame.people.classes import split_by_likeness
from ksame.release.counts import SURPLUS, beside_counts, count_bound, limited, with_counts
from ksame.release.name import People
from ksame.release.secret import Secret


def face(group, person):
    return SimpleNamespace(group=group, person=person)


def test_the_bound_is_what_guessing_the_most_photographed_achieves():
    """8 people with ten photos and 32 with one, once mixed and once apart."""
    many, few = [f"m{i}" for i in range(8)], [f"f{i}" for i in range(32)]
    mixed = [face(g, many[g]) for g in range(8) for _ in range(10)]
    mixed += [face(g, few[4 * g + i]) for g in range(8) for i in range(4)]
    assert count_bound(mixed, dict.fromkeys(range(8), 5))["rate"] == pytest.approx(0.714, abs=1e-3)
    apart = [face(0, person) for person in many for _ in range(10)]
    apart += [face(1 + i % 6, person) for i, person in enumerate(few)]
    people = {0: 8} | {1 + g: len(few[g::6]) for g in range(6)}
    bound = count_bound(apart, people)
    assert bound["rate"] <= 0.2
    assert bound["rate"] == pytest.approx(bound["fair"], abs=0.01)


def test_people_with_like_counts_are_one_class():
    counts = {f"m{i}": 2.3 for i in range(8)} | {f"f{i}": 0.0 for i in range(32)}
    split = split_by_likeness(dict.fromkeys(counts, ()), counts, 5, 0.25, "count")
    assert {split[f"m{i}"] for i in range(8)} == {("count 2",)}
    assert {split[f"f{i}"] for i in range(32)} == {("count 1",)}


def test_like_counts_come_before_age_and_tone_and_after_sex():
    """Men of ten photos, too few of one age for a group, share a face with each other."""
    plan = SimpleNamespace(
        merges_classes=True, needed=5, k=5, recipe=SimpleNamespace(codec="looks")
    )
    logs = {f"m{i}": 2.3 for i in range(8)} | {f"f{i}": 0.0 for i in range(12)}
    ages = ("young", "old")
    classes = {person: ("male", ages[i % 2], "part 1") for i, person in enumerate(logs)}
    classes["m7"] = classes["f11"] = ("female", "young", "part 1")
    told = with_counts(plan, classes, logs)
    assert {told[f"m{i}"][-1] for i in range(7)} == {"count 2"}
    assert {told[f"f{i}"][-1] for i in range(11)} == {"count 1"}
    assert told["m7"][-1] == told["f11"][-1]  # two women are no group
    plan.merges_classes = False  # what somebody asked for is not given up
    told = with_counts(plan, classes, logs)
    assert {label[:3] for label in told.values()} == set(classes.values())
    many = [label for person, label in told.items() if person.startswith("m") and "male" in label]
    assert Counter(told.values())[min(many)] >= 5  # a part of an age keeps enough people for k


def test_counts_are_further_off_than_ages_and_nearer_than_the_other_sex():
    plan = SimpleNamespace(merges_classes=True, recipe=SimpleNamespace(codec="looks"))
    looks = {"many": [0.0, 1.5], "few": [0.0, 1.5], "older": [0.0, 3.4], "woman": [3.0, 1.5]}
    codes = {person: np.array(row) for person, row in looks.items()}
    logs = {"many": np.log(12), "few": 0.0, "older": np.log(12), "woman": np.log(12)}
    told = beside_counts(plan, codes, logs)
    gaps = {p: float(np.linalg.norm(told[p] - told["many"])) for p in ("older", "few", "woman")}
    assert sorted(gaps, key=gaps.__getitem__) == ["older", "few", "woman"]
    assert beside_counts(plan, codes, {})["few"].tolist() == [0.0, 1.5]


def test_nobody_keeps_more_photos_than_allowed(tmp_path):
    plan = strict_plan(tmp_path, tmp_path / "out", per_person=2)
    job = SimpleNamespace(plan=plan, secret=Secret(1, "nonce"))
    persons = {(n, 0): "alice" for n in range(5)} | {(5, 0): "bob", (0, 1): "bob"}
    surplus = limited(job, People(persons)).surplus
    kept = [person for (n, _), person in persons.items() if n not in surplus]
    assert kept.count("alice") == 2
    assert kept.count("bob") <= 2
    assert limited(SimpleNamespace(plan=strict_plan(tmp_path, tmp_path / "o")), People(persons))


def test_per_person_is_at_least_one(tmp_path):
    with pytest.raises(InputError, match="per_person=0 must be at least 1"):
        strict_plan(tmp_path, tmp_path / "out", per_person=0)


def test_what_is_withheld_says_why():
    assert "per_person" in SURPLUS
