"""Links, copies and spellings do not make two people of one; slips in a ledger are told."""

import json
import os
import unicodedata

import pytest

from ksame.errors import InputError
from ksame.people import find_source
from ksame.people.names import spellings


def photo(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(str(path).encode())
    return path


def persons(source, photos, roots):
    return [None if told is None else told.person for told in source.people_of(photos, roots)]


@pytest.mark.parametrize("link", [os.link, os.symlink], ids=["hard", "symbolic"])
def test_a_link_in_another_folder_makes_its_names_one_person(tmp_path, link):
    one, two = photo(tmp_path / "alice" / "1.jpg"), photo(tmp_path / "bob" / "2.jpg")
    link(one, tmp_path / "bob" / "1.jpg")
    found = persons(find_source("folder"), [one, two], [tmp_path])
    assert found == ["alice", "alice"]


def test_a_linked_folder_makes_its_names_one_person(tmp_path):
    one = photo(tmp_path / "alice" / "1.jpg")
    (tmp_path / "zoe").symlink_to(tmp_path / "alice")
    other = photo(tmp_path / "carol" / "3.jpg")
    found = persons(find_source("folder"), [one, other], [tmp_path])
    assert found == ["alice", "carol"]


@pytest.mark.parametrize("link", [os.link, os.symlink], ids=["hard", "symbolic"])
def test_rows_for_two_names_of_one_file_are_one_person(tmp_path, link):
    one, two = photo(tmp_path / "1.jpg"), photo(tmp_path / "2.jpg")
    link(one, tmp_path / "again.jpg")
    table = tmp_path / "people.csv"
    table.write_text("image,person\n1.jpg,alice\nagain.jpg,bob\n2.jpg,bob\n", encoding="utf-8")
    assert persons(find_source(table), [one, two], [tmp_path]) == ["alice", "alice"]


def test_spellings_of_a_name_are_one_person_and_somebody_is_told(tmp_path, caplog):
    accented = unicodedata.normalize("NFC", "Zoë"), unicodedata.normalize("NFD", "zoë")
    photos = [photo(tmp_path / name / "1.jpg") for name in (*accented, "Al ", "al", "bob")]
    found = persons(find_source("folder"), photos, [tmp_path])
    assert len(set(found)) == 3
    assert found[0] == found[1]
    assert "2 people" in caplog.text
    assert "bob" not in caplog.text


def test_names_that_differ_by_a_letter_stay_apart():
    assert spellings(["ann", "anne", "Hanna"]) == []


def ledger(path, *faces, originals=None):
    book = {"originals": originals or {"000001.jpg": "aa"}, "faces": list(faces)}
    path.write_text(json.dumps(book), encoding="utf-8")
    return path


def face(file="000001.jpg", person="alice", box=(1, 2, 30, 40), points=((1, 1),) * 5, **more):
    told = {"file": file, "person": person, "box": list(box), "points": [list(p) for p in points]}
    return told | more


def test_two_copies_of_a_photo_in_a_ledger_list_its_faces_once(tmp_path):
    originals = {"000001.jpg": "aa", "000002.jpg": "aa"}
    book = ledger(tmp_path / "l.json", face(), face("000002.jpg"), originals=originals)
    assert len(find_source(book).known_faces()["aa"]["faces"]) == 1


@pytest.mark.parametrize(
    ("slip", "told"),
    [
        ({"box": (30, 2, 1, 40)}, "box must be"),
        ({"box": (1, 2, 30)}, "box must be"),
        ({"box": (1, 2, float("inf"), 40)}, "box must be"),
        ({"points": ((1, 1),) * 4}, "five pairs"),
        ({"person": 7}, "a name in quotes"),
        ({"kept": "false"}, "kept must be true or false"),
        ({"drawn": 1}, "drawn must be true or false"),
        ({"box": (-1e9, 2, 30, 40)}, "box must be"),
    ],
)
def test_a_slip_of_the_hand_is_told_with_its_place(tmp_path, slip, told):
    with pytest.raises(InputError, match=told) as caught:
        find_source(ledger(tmp_path / "l.json", face(), face(**slip)))
    assert "faces[1]" in str(caught.value)


def test_copies_that_name_different_people_are_refused(tmp_path):
    originals = {"000001.jpg": "aa", "000002.jpg": "aa"}
    book = ledger(tmp_path / "l.json", face(), face("000002.jpg", "bob"), originals=originals)
    with pytest.raises(InputError, match="of a copy of its photo"):
        find_source(book)


@pytest.mark.parametrize("text", ["[]", "{}", '{"originals": 3, "faces": []}', '{"originals"', "7"])
def test_what_is_no_ledger_is_refused(tmp_path, text):
    path = tmp_path / "l.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="ledger"):
        find_source(path)


@pytest.mark.parametrize("name", ["a" * 5000 + ".jpg", "a\x00.jpg"], ids=["long", "nul"])
def test_a_row_that_no_file_can_have_lists_nothing(tmp_path, name):
    """Found by make fuzz."""
    one = photo(tmp_path / "1.jpg")
    table = tmp_path / "people.csv"
    table.write_text(f"image,person\n1.jpg,alice\n{name},bob\n", encoding="utf-8")
    assert persons(find_source(table), [one], [tmp_path]) == ["alice"]
