"""Erased people: nothing that any key still opens shows or names them."""

import io
import json

import independent
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from small_release import PHOTOS, small_release

from ksame.errors import VaultError
from ksame.vault import erase, reveal, revealable
from ksame.vault.erasing import redacted
from ksame.vault.regions import owned
from ksame.vault.sealing import unseal_bytes

PEOPLE = ("ada", "bob", "eve", "000003.jpg#2")


def _everything(small):
    """Index and parts of a vault, as an independent reader opens them with the only key."""
    unlock = independent.by_private_key(small.key.read_text())
    return independent.read_vault(small.path.read_bytes(), "x25519", unlock)


@settings(max_examples=25)
@given(order=st.lists(st.sampled_from(PEOPLE), min_size=1, max_size=4, unique=True))
def test_nothing_that_opens_shows_an_erased_person(tmp_path_factory, order):
    """Whoever is erased, in whatever order: searched by pixels, by names and by keys."""
    small = small_release(tmp_path_factory.mktemp("erased"))
    before = small.open()
    old = {person.name: person for person in before.index.people}
    for name in order:
        erase(small.open(), [name])
    data = small.path.read_bytes()
    index, parts = _everything(small)
    text = json.dumps(index) + "".join(
        content.decode() for part, content in parts if part[0] == "ledger"
    )
    for name in order:
        assert old[name].key.hex() not in text
        assert old[name].key not in data
        assert f'"{name}"' not in text
        assert f"/{name}/" not in text
    gone = {old[name].number for name in order}
    for photo, faces in before.index.faces.items():
        for number, face in enumerate(faces):
            if face.person in gone:
                _assert_unseen(small, before, parts, photo, number)
    # what the old keys opened is not in the file any more
    for part in before.index.parts:
        if gone & set(part.people):
            held = data[part.offset : part.offset + part.length]
            with pytest.raises(VaultError):
                unseal_bytes(held, before.index.key_of(part), part.context(before.index.vault))
    assert small.open().check() == len(parts)


def _assert_unseen(small, before, parts, photo, number):
    """No content that opens holds the original pixels of a face."""
    original, file = small.original(photo)
    faces = before.index.faces[photo]
    x0, y0, x1, y1 = faces[number].region
    mine = np.zeros(original.shape[:2], bool)
    mine[y0:y1, x0:x1] = owned(number, faces)
    for part, content in parts:
        assert content is not None, "a part is kept that nobody can open"
        assert file not in content
        if part[0] == "ledger" or part[1] != photo:
            continue
        assert part[0] == "face"  # the original file is gone with the first who is erased
        a, b, c, d = faces[part[6]].region
        with Image.open(io.BytesIO(content)) as image:
            shown = np.zeros_like(original)
            shown[b:d, a:c] = np.array(image.convert("RGB"))
        assert not shown[mine].any()  # originals have no zeros


def test_even_the_holder_of_the_key_cannot_reveal_whom_was_erased(small):
    erase(small.open(), ["ada"])
    with pytest.raises(VaultError, match="knows nobody of that name, or no longer"):
        reveal(small.open(), small.out, small.root / "a", ["ada"])
    with pytest.raises(VaultError, match="knows nobody of that name, or no longer"):
        erase(small.open(), ["ada"])
    assert revealable(small.open().index) == ["000003.jpg#2", "bob", "eve"]
    found = reveal(small.open(), small.out, small.root / "all")
    assert (found.files, found.whole) == (len(PHOTOS), len(PHOTOS) - 2)
    with Image.open(small.root / "all" / "000001.png") as image:
        assert (np.array(image) == small.released("000001.png")).all()


def test_others_in_the_same_photo_are_still_revealed_exactly(small):
    erase(small.open(), ["ada"])
    reveal(small.open(), small.out, small.root / "dir", ["bob"])
    with Image.open(small.root / "dir" / "000002.png") as image:
        shown = np.array(image)
    before, after = small.original("000002.jpg")[0], small.released("000002.jpg")
    assert (shown[8:28, 18:30] == before[8:28, 18:30]).all()
    assert (shown[3:23, 2:14] == after[3:23, 2:14]).all()


def test_the_log_tells_of_it_by_number_and_the_chain_goes_on(small):
    reveal(small.open(), small.out, small.root / "dir", ["ada"])
    vault = erase(small.open(), ["ada"], "asked for by the person")
    log = small.open().index.log
    assert [entry.act for entry in log] == ["made", "revealed", "erased"]
    assert log[1].people == log[2].people == (1,)
    assert vault.head == log[-1].digest
    # digests and marks may spell any name by chance
    assert not [e for e in log if "ada" in f"{e.act} {e.reason} {e.time}"]


def test_nobody_is_erased_if_one_name_is_unknown(small):
    data = small.path.read_bytes()
    with pytest.raises(VaultError):
        erase(small.open(), ["ada", "nobody"])
    assert small.path.read_bytes() == data


def test_texts_that_are_spelt_like_a_name_stay_where_no_name_is_told(untouched):
    """People are called what they like: an option, a state, three digits of a digest."""
    book = {
        **untouched.book,
        "options": {"on_failure": "fill"},
        "groups": [
            {"surrogate": "00fade11", "people": ["fill", "fade"], "unseen": {"x": ["fade"]}}
        ],
        "faces": [
            {**untouched.book["faces"][0], "person": "fill", "state": "fill", "looks": {"age": "9"}}
        ],
        "labels": {"000001.png": {"age": "9"}, "000002.jpg": {"age": "8"}},
        "templates": {"fill": "AAAA", "fade": "BBBB"},
    }
    told = redacted(book, {"fill": "erased-0", "fade": "erased-1"})
    assert told["options"] == {"on_failure": "fill"}
    assert told["groups"] == [
        {
            "surrogate": "00fade11",
            "people": ["erased-0", "erased-1"],
            "unseen": {"x": ["erased-1"]},
        }
    ]
    assert (told["faces"][0]["state"], told["faces"][0]["looks"]) == ("fill", {"age": ""})
    assert told["labels"] == {"000002.jpg": {"age": "8"}}
    assert told["templates"] == {}


def test_a_ledger_keeps_its_counts_and_loses_the_name(untouched):
    book = redacted(untouched.book, {"ada": "erased-1"})
    assert [face["person"] for face in book["faces"]] == [
        "erased-1",
        "erased-1",
        "bob",
        "bob",
        None,
        "eve",
    ]
    assert book["groups"][0]["people"] == ["erased-1", "bob", "eve"]
    assert book["erased"] == 1
    assert book["faces"][0]["points"] == []
    assert book["faces"][0]["box"] == untouched.book["faces"][0]["box"]
    assert book["files"]["000001.png"] == book["originals"]["000001.png"] == ""
    # a photo of others whose path tells the name keeps its digest alone
    assert book["files"]["000002.jpg"] == ""
    assert book["originals"]["000002.jpg"] == untouched.book["originals"]["000002.jpg"]
    assert book["withheld"][0]["file"] == ""
    assert book["faces"][2:] == untouched.book["faces"][2:]


def test_an_erased_person_leaves_no_template():
    """A later release could know them again by it."""
    book = {"faces": [], "files": {}, "originals": {}, "templates": {"ada": "A", "bob": "B"}}
    assert redacted(book, {"ada": "erased-0"})["templates"] == {"bob": "B"}


def test_a_name_is_found_in_a_path_however_its_accents_are_written(untouched):
    """One system writes a letter and its accent as one sign, another as two."""
    book = {**untouched.book, "faces": [{**untouched.book["faces"][0], "person": "Jos\u00e9"}]}
    (file,) = {face["file"] for face in book["faces"]}
    others = {name: "in/JOSE\u0301/1.jpg" for name in book["files"] if name != file}
    told = redacted({**book, "files": {file: "in/x.jpg", **others}}, {"Jos\u00e9": "erased-0"})
    assert set(told["files"].values()) == {""}


def test_labels_go_with_whoever_they_may_tell_of(untouched):
    """A row of a people file is about its person, whoever else is in the photo."""
    face = untouched.book["faces"][0]
    faces = [
        {**face, "person": "ada"},
        {**face, "person": None},
        {**face, "file": "b", "person": "b"},
    ]
    book = {**untouched.book, "faces": faces, "labels": {face["file"]: {"x": "1"}, "b": {"x": "2"}}}
    assert redacted(book, {"ada": "erased-0"})["labels"] == {"b": {"x": "2"}}
