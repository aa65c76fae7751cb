"""How many photos people have: like counts share a face, surplus stays out, the rest is told."""

from types import SimpleNamespace

import pytest
from release_plans import strict_plan

from ksame.errors import InputError
from ksame.people.classes import split_by_likeness
from ksame.release.counts import SURPLUS, count_bound, limited
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
