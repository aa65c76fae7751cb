"""One rule for who is on a photo, whatever command asks."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ksame.attacks import advice
from ksame.attacks.inputs import from_names
from ksame.errors import InputError
from ksame.faces import Face, Faces
from ksame.files import sha256_of
from ksame.media import find_photos
from ksame.people import find_source, merge_names
from ksame.people.sources import folder_person
from ksame.recognition.crops import POINTS, SIDE
from ksame.release.find import Album, Picture
from ksame.release.name import name as name_people

TREE = ("anna/1.jpg", "anna/second visit/2.jpg", "bert/deep/er/3.jpg", "4.jpg")
PEOPLE = ("anna", "anna", "bert", "in")


@pytest.fixture
def tree(tmp_path):
    """Photos of three people in folders of different depth."""
    root = tmp_path / "in"
    for number, where in enumerate(TREE):
        (root / where).parent.mkdir(parents=True, exist_ok=True)
        (root / where).write_bytes(b"\xff\xd8\xff" + bytes([number]))
    return root


def by_deidentify(root, persons):
    """Who is on each photo for `ksame deidentify`, with one face on each."""
    faces = Faces(xyxy=[[10.0, 10.0, 50.0, 60.0]], points=POINTS[None], score=[1.0])
    pictures = tuple(
        Picture(path, sha256_of(path), "", None, faces) for path in find_photos([root])
    )
    told = {"persons": persons, "inputs": (root,), "guarantees": True, "attacks": False}
    plan = SimpleNamespace(**told)
    people = name_people(SimpleNamespace(plan=plan, store=None), Album(pictures, len(pictures)))
    return {pictures[n].path: person for (n, _), person in people.persons.items()}


def by_attack(root, persons):
    """Who is on each photo for `ksame attack`."""
    return {one.path: one.person for one in from_names(root, root, persons).originals}


def by_advise(root, persons, monkeypatch):
    """Who is on each photo for `ksame advise`, with a detector that finds one face on each."""
    seen = []

    class Blank:
        rgb = np.zeros((SIDE, SIDE, 3), np.uint8)

    def read(path):
        seen.append(path)
        return Blank()

    face = Face(np.array([10.0, 10.0, 50.0, 60.0]), 1.0, POINTS.copy())
    monkeypatch.setattr(advice, "read_photo", read)
    monkeypatch.setattr(advice, "find_faces", lambda photo, turned: [face])
    own = advice.gather_faces([root], persons)
    return dict(zip(seen, own.persons.tolist(), strict=True))


def test_one_tree_has_the_same_people_in_every_command(tree, monkeypatch):
    expected = {tree / where: person for where, person in zip(TREE, PEOPLE, strict=True)}
    assert by_deidentify(tree, "folder") == expected
    assert by_attack(tree, "folder") == expected
    assert by_advise(tree, "folder", monkeypatch) == expected


def test_one_table_has_the_same_people_in_every_command(tree, monkeypatch):
    table = tree / "people.csv"
    table.write_text("image,person,gender\nanna/1.jpg,x,f\n4.jpg,y,m\n")
    expected = {tree / "anna/1.jpg": "x", tree / "4.jpg": "y"}
    assert by_deidentify(tree, str(table)) == expected
    assert by_attack(tree, str(table)) == expected
    assert by_advise(tree, str(table), monkeypatch) == expected
    assert find_source(table).columns == ("gender",)


def test_one_ledger_has_the_same_people_in_every_command(tree, tmp_path, monkeypatch):
    ledger = tmp_path / "old.ledger.json"
    digest = sha256_of(tree / "anna/1.jpg")
    faces = [{"file": "000001.jpg", "person": "x", "box": [10, 10, 50, 60]}]
    ledger.write_text(
        json.dumps(
            {"format": "ksame-ledger-1", "originals": {"000001.jpg": digest}, "faces": faces}
        )
    )
    expected = {tree / "anna/1.jpg": "x"}
    assert by_deidentify(tree, str(ledger)) == expected
    assert by_attack(tree, str(ledger)) == expected
    assert by_advise(tree, str(ledger), monkeypatch) == expected


def test_a_table_may_lie_elsewhere(tree, tmp_path):
    table = tmp_path / "elsewhere" / "people.csv"
    table.parent.mkdir()
    table.write_text("image,person\nanna/1.jpg,x\n")
    photos = find_photos([tree])
    found = dict(zip(photos, find_source(table).people_of(photos, [tree]), strict=True))
    assert found[tree / "anna/1.jpg"].person == "x"
    assert found[tree / "4.jpg"] is None


def test_folders_do_not_depend_on_how_a_path_is_written(tree, monkeypatch):
    monkeypatch.chdir(tree)
    photos = find_photos(["."])
    found = find_source("folder").people_of(photos, [*map(type(tree), ["."])])
    assert sorted(p.person for p in found) == sorted(PEOPLE)
    assert folder_person(tree / "bert/deep/er/3.jpg", [tree / "bert/../bert"]) == "deep"
    assert folder_person(tree / "bert/deep/er/3.jpg", [tree / "bert/deep/er/3.jpg"]) == "er"


def test_what_is_no_source_is_refused(tmp_path):
    assert find_source("auto") is None
    with pytest.raises(InputError, match="neither auto, folder nor a file"):
        find_source("folders")
    broken = tmp_path / "x.json"
    broken.write_text("[]")
    with pytest.raises(InputError, match="cannot be read as a ledger"):
        find_source(broken)


def test_a_person_is_never_in_a_repr(tree):
    found = find_source("folder").people_of([tree / "anna/1.jpg"], [tree])
    assert "anna" not in repr(found)


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=3), max_size=8))
def test_merging_joins_whoever_shares_a_face_and_nobody_else(sets):
    found = merge_names(sets)
    together = {name: {name} for names in sets for name in names}
    for names in sets:
        joined = set().union(*(together[name] for name in names))
        for name in joined:
            together[name] = joined
    assert found == {name: min(joined) for name, joined in together.items()}
