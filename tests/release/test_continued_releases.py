"""A release that continues an earlier one: nobody changes the face, no two can be intersected."""

import json
import shutil
from collections import defaultdict

import pytest

from ksame.errors import GuaranteeError, InputError
from ksame.release import Plan, deidentify
from ksame.release.continuing import recognise
from ksame.release.earlier import read_earlier
from ksame.verification import verify

K = 2


def people_of(folder, names):
    """Photos of some synthetic people, one folder a person: all photos of the demo set."""
    from ksame.datasets.demo_people import demo_people

    demo = demo_people()
    photos = defaultdict(list)
    for path, person in zip(demo.paths, demo.persons, strict=True):
        photos[person].append(path)
    known = sorted(photos)
    for name, which in names.items():
        (folder / known[name]).mkdir(parents=True)
        for number in which:
            path = photos[known[name]][number]
            shutil.copyfile(path, folder / known[name] / path.name)
    return folder


def groups_of(ledger) -> dict[str, tuple[str, frozenset[str]]]:
    """Everybody's surrogate and the people who share it."""
    return {
        person: (group["surrogate"], frozenset((*group["people"], *group["others"])))
        for group in ledger["groups"]
        for person in (*group["people"], *group["others"])
    }


def ledger_of(release):
    return json.loads(release.ledger.read_text(encoding="utf-8"))


def assert_no_intersection(first, second):
    """What whoever holds both releases can do: nobody is left alone, nobody has two faces."""
    before, after = groups_of(first), groups_of(second)
    for person in before.keys() & after.keys():
        assert before[person] == after[person]
    by_face = defaultdict(list)
    for told in (before, after):
        for surrogate, people in {(s, p) for s, p in told.values()}:
            by_face[surrogate].append(people)
    for sets in by_face.values():
        for one in sets:
            for other in sets:
                assert one == other or not one & other
            assert len(one) >= K


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    root = tmp_path_factory.mktemp("first")
    photos = people_of(root / "photos", {0: [0], 1: [0], 2: [0], 3: [0], 4: [0]})
    return deidentify(photos, root / "out", k=K, persons="folder", seed=1, jobs=1)


@pytest.fixture(scope="module")
def second(first, tmp_path_factory):
    """Two known people again, and two new ones."""
    root = tmp_path_factory.mktemp("second")
    photos = people_of(root / "photos", {0: [1], 3: [0], 5: [0], 6: [0]})
    return deidentify(
        photos, root / "out", k=K, persons="folder", seed=2, jobs=1, continues=first.ledger
    )


def test_people_keep_their_faces_and_what_changed_is_told(first, second):
    assert_no_intersection(ledger_of(first), ledger_of(second))
    told = second.certificate["continues"]
    assert told["certificate"] == first.certificate["digest"]
    assert (told["people_before"], told["people_known"], told["people_new"]) == (5, 2, 2)
    assert told["groups_new"] == 1
    assert any("keep their surrogate" in claim for claim in second.certificate["claims"])
    assert verify(second.out, second.ledger).findings == ()
    assert second.complete


def test_new_faces_are_not_those_of_earlier_groups(first, second):
    before = {group["surrogate"] for group in ledger_of(first)["groups"]}
    new = [g for g in ledger_of(second)["groups"] if g["surrogate"] not in before]
    assert len(new) == 1
    assert len(new[0]["people"]) == 2


def test_a_third_release_knows_everybody_and_few_new_people_wait(first, second, tmp_path):
    photos = people_of(tmp_path / "photos", {1: [0], 5: [0], 7: [0]})
    third = deidentify(
        photos, tmp_path / "out", k=K, persons="folder", seed=3, jobs=1, continues=second.ledger
    )
    for earlier in (first, second):
        assert_no_intersection(ledger_of(earlier), ledger_of(third))
    assert len(third.withheld) == 1
    assert "somebody who is new" in third.withheld[0][1]
    assert third.certificate["continues"]["people_known"] == 2
    assert verify(third.out, third.ledger).findings == ()


def test_new_people_alone_need_k(first, tmp_path):
    photos = people_of(tmp_path / "photos", {7: [0]})
    with pytest.raises(GuaranteeError, match="needs at least 2 people"):
        deidentify(photos, tmp_path / "out", k=K, persons="folder", jobs=1, continues=first.ledger)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"k": 3}, "k=3 differs from k=2"),
        ({"composite": "strict"}, "no faces of the model"),
        ({"reference": "demo"}, "takes no reference photos"),
    ],
)
def test_what_cannot_be_continued_is_refused(first, tmp_path, options, said):
    photos = people_of(tmp_path / "photos", {0: [0]})
    asked = {"k": K, "persons": "folder", "jobs": 1, "continues": first.ledger, **options}
    with pytest.raises(InputError, match=said):
        deidentify(photos, tmp_path / "out", **asked)


@pytest.mark.parametrize("change", ["cut", "missing", "model", "code", "twice", "names"])
def test_a_ledger_that_was_altered_is_refused(first, tmp_path, change):
    photos = people_of(tmp_path / "photos", {0: [0]})
    book = ledger_of(first)
    told = tmp_path / "old.ledger.json"
    if change == "model":
        book["face_model"] = "0" * 64
    elif change == "code":
        for group in book["groups"]:
            group["code"][0] += 1e-3
    elif change == "twice":
        book["groups"][0]["others"] = [book["groups"][1]["people"][0]]
    elif change == "names":
        book["options"]["persons"] = "auto"
    told.write_text(json.dumps(book)[: 100 if change == "cut" else None])
    if change == "missing":
        told.unlink()
    with pytest.raises(InputError):
        deidentify(photos, tmp_path / "out", k=K, persons="folder", jobs=1, continues=told)


def test_a_ledger_that_numbers_people_otherwise_is_refused(first, tmp_path):
    """person-00001 of a release made apart is somebody else, who would get two faces."""
    book = ledger_of(first)
    book["options"]["persons"] = "auto"
    old, other = tmp_path / "old.ledger.json", tmp_path / "other.ledger.json"
    old.write_text(json.dumps(book))
    asked = Plan(tmp_path, tmp_path / "out", k=K, persons=str(other), continues=old)
    other.write_text(json.dumps({**book, "certificate": "0" * 64}))
    with pytest.raises(InputError, match="does not continue the same release"):
        read_earlier(asked)
    goes_on = {"certificate": book["certificate"], "groups": []}
    other.write_text(json.dumps({**book, "certificate": "0" * 64, "continues": goes_on}))
    assert read_earlier(asked).by_faces


def test_without_an_earlier_release_nothing_is_renamed(first):
    """The hook is free for whoever does not continue."""

    class Job:
        earlier = None

    people = object()
    assert recognise(Job(), None, people) is people


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("moved", "has other people than in an earlier release"),
        ("exchanged", "shows people whom another one stood for before"),
        ("small", "was shared by 1 people, k=2"),
        ("code", "its digest is not that of its code in an earlier release"),
        ("none", "is malformed"),
        ("counts", "counts other changes than the ledger gives"),
    ],
)
def test_the_verifier_refuses_groups_that_changed(second, tmp_path, change, said):
    book = ledger_of(second)
    groups = book["continues"]["groups"]
    if change == "moved":
        groups[0]["people"].append(groups[1]["people"].pop())
    elif change == "exchanged":
        for name in ("surrogate", "code"):
            groups[0][name], groups[1][name] = groups[1][name], groups[0][name]
    elif change == "small":
        groups[0]["people"] = groups[0]["people"][:1]
    elif change == "code":
        groups[0]["code"][0] += 1.0
    elif change == "none":
        book["continues"] = None
    else:
        book["continues"]["groups"] = groups[:1]
    told = tmp_path / "told.json"
    told.write_text(json.dumps(book))
    assert said in " ".join(finding.what for finding in verify(second.out, told).findings)
