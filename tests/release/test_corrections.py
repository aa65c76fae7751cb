"""Corrections of a person: one value, one corrected ledger, the same bytes on every way."""

import json
import shutil
from dataclasses import replace

import cv2
import numpy as np
import pytest

from ksame.datasets.demo_people import demo_people
from ksame.errors import InputError
from ksame.people.ledgers import SET_ASIDE
from ksame.release import Corrections, Plan, run
from ksame.release.listing import corrected
from ksame.release.reviewing import accept
from ksame.verification import verify

K = 2


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    """Six synthetic people; the first has two photos, one photo shows nobody."""
    folder = tmp_path_factory.mktemp("photos") / "album"
    folder.mkdir()
    demo = demo_people()
    shown: dict[str, int] = {}
    for path, person in zip(demo.paths, demo.persons, strict=True):
        most = 2 if person == min(demo.persons) else 1
        if len(shown) < 6 or person in shown:
            shown[person] = shown.get(person, 0) + 1
            if shown[person] <= most:
                (folder / person).mkdir(exist_ok=True)
                shutil.copyfile(path, folder / person / path.name)
    bare = np.full((300, 400, 3), (90, 120, 140), np.uint8)
    cv2.imwrite(str(folder / "wall.png"), bare)
    return folder


def _plan(photos, out, **options):
    return Plan(photos, out, **{"k": K, "seed": 7, "jobs": 1, "persons": "folder", **options})


class _Watching:
    """A review that remembers what it was shown and answers with corrections."""

    def __init__(self, decide):
        self.decide = decide

    def __call__(self, album, people):
        self.album, self.people = album, people
        self.answer = self.decide(album, people)
        return self.answer


def _place(album, spot):
    picture = album.pictures[spot[0]]
    return picture.sha256, tuple(picture.faces.xyxy[spot[1]].tolist())


def _decide(album, people):
    """One of every kind of correction."""
    by_person: dict[str, list] = {}
    for spot, person in sorted(people.persons.items()):
        by_person.setdefault(person, []).append(spot)
    names = sorted(by_person)
    one, other, old, shown = names[0], names[1], names[2], names[3]
    wall = next(p for p in album.pictures if not len(p.faces))
    gone = _place(album, by_person[names[4]][0])
    return Corrections(
        persons={_place(album, spot): one for spot in by_person[other]},
        drawn={(wall.sha256, (100.0, 80.0, 180.0, 180.0)): True},
        dismissed={gone: True},
        looks={old: {"age_band": "old", "gender": "male", "tone": "dark"}},
        kept={shown: True},
    )


@pytest.fixture(scope="module")
def plain(photos, tmp_path_factory):
    """The release of whoever corrects nothing."""
    return run(_plan(photos, tmp_path_factory.mktemp("plain") / "out", allow_faceless=True))


@pytest.fixture(scope="module")
def looked(photos, tmp_path_factory):
    """A release whose review corrects one thing of every kind."""
    review = _Watching(_decide)
    out = tmp_path_factory.mktemp("looked") / "out"
    return review, run(_plan(photos, out, allow_faceless=True), review=review)


def _book(release):
    return json.loads(release.ledger.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_every_correction_reaches_the_release_and_is_stated(looked):
    review, release = looked
    book, c = _book(release), release.certificate
    assert verify(release.out, release.ledger).findings == ()
    before = len(set(review.people.persons.values()))
    # two are one now, one is shown as is, and one was no face
    assert c["people"] == before - 3
    assert c["decisions"] == {
        "faces_drawn": 1,
        "faces_dismissed": 1,
        "people_with_corrected_looks": 1,
        "people_kept": 1,
        "faces_kept": 1,
    }
    assert sum(len(boxes) for boxes in c["kept"].values()) == 1
    assert any("who by a person's decision are shown" in claim for claim in c["claims"])
    assert any("a person who looked does not" in claim for claim in c["claims"])
    drawn = [face for face in book["faces"] if face["drawn"]]
    assert len(drawn) == 1
    assert drawn[0]["hidden"] is not None or drawn[0]["group"] is not None


@pytest.mark.slow
def test_who_is_kept_is_kept_to_the_pixel_and_nobody_else_is(looked):
    _, release = looked
    book = _book(release)
    kept = {(face["file"], *face["box"]) for face in book["faces"] if face["kept"]}
    for face in book["faces"]:
        after = cv2.imread(str(release.out / face["file"])).astype(int)
        before = cv2.imread(book["files"][face["file"]]).astype(int)
        x0, y0, x1, y1 = (max(round(v), 0) for v in face["box"])
        apart = np.abs(after - before)[y0:y1, x0:x1].mean()
        if (face["file"], *face["box"]) in kept:
            assert apart < 2  # compression alone
        elif not face["drawn"]:  # a filled wall is a wall
            assert apart > 2


@pytest.mark.slow
def test_the_same_corrections_as_a_ledger_give_the_same_bytes(photos, plain, looked, tmp_path):
    review, release = looked
    ledger = tmp_path / "corrected.json"
    ledger.write_text(json.dumps(corrected(_book(plain), review.answer)), encoding="utf-8")
    plan = _plan(photos, tmp_path / "out", allow_faceless=True, persons=str(ledger))
    again = run(plan)
    assert again.certificate["files"] == release.certificate["files"]
    assert again.certificate["groups"] == release.certificate["groups"]
    bound = ("digest", "ledger_commitment")  # they cover the digest of the ledger that was given
    for name in release.certificate:
        assert name in bound or again.certificate[name] == release.certificate[name], name


@pytest.mark.slow
def test_a_ledger_given_back_as_it_is_gives_the_same_photos(photos, plain, looked, tmp_path):
    for number, release in enumerate((plain, looked[1])):
        out = tmp_path / f"out{number}"
        plan = _plan(photos, out, allow_faceless=True, persons=str(release.ledger))
        assert run(plan).certificate["files"] == release.certificate["files"]


@pytest.mark.slow
def test_a_photo_set_aside_is_withheld_and_its_people_are_not_counted(photos, tmp_path):
    def decide(album, people):
        first = min(people.persons)[0]
        return Corrections(set_aside={album.pictures[first].sha256: True})

    review = _Watching(decide)
    release = run(_plan(photos, tmp_path / "out", allow_faceless=True), review=review)
    assert release.certificate["withheld"] == {SET_ASIDE: 1}
    assert len(release.withheld) == 1


def test_a_review_may_still_answer_with_people():
    people = object()
    assert accept(None, people) is people


def _simple():
    return {
        "format": "ksame-ledger-2",
        "originals": {"1.jpg": "a", "2.jpg": "b"},
        "faces": [
            {"file": "1.jpg", "box": [0.0, 0.0, 9.0, 9.0], "points": [], "person": "x"},
            {"file": "2.jpg", "box": [1.0, 1.0, 9.0, 9.0], "points": [], "person": "y"},
        ],
    }


A, B = ("a", (0.0, 0.0, 9.0, 9.0)), ("b", (1.0, 1.0, 9.0, 9.0))


def test_later_corrections_win_and_undo_is_leaving_out_the_last():
    first = Corrections(persons={B: "x"}, looks={"x": {"gender": "male"}})
    later = Corrections(persons={B: "z"}, looks={"x": {"age_band": "old"}}, kept={"x": True})
    both = first.after(later)
    assert both.persons == {B: "z"}
    assert both.looks == {"x": {"gender": "male", "age_band": "old"}}
    assert Corrections().after(first) == first


def test_corrections_are_json_and_back():
    value = Corrections(
        persons={A: "x", B: ""},
        drawn={A: True},
        dismissed={B: False},
        looks={"x": {"tone": "dark"}},
        kept={"x": True},
        set_aside={"b": True},
        settled={frozenset((A, B)): True},
    )
    assert Corrections.from_json(json.loads(json.dumps(value.as_json()))) == value


@pytest.mark.parametrize(
    "spoil",
    [
        {"format": "other"},
        {"persons": [{"photo": "a"}]},
        {"looks": {"x": {"gender": "tall"}}},
        {"looks": {"x": {"height": "tall"}}},
        {"drawn": 3},
        {"kept": {"x": "false"}},  # a word would be consent
        {"dismissed": [{"photo": "a", "box": [0, 0, 1, 1], "is": "false"}]},
    ],
)
def test_what_is_no_correction_is_refused(spoil):
    with pytest.raises(InputError):
        Corrections.from_json({**Corrections().as_json(), **spoil})


def test_a_merge_with_somebody_kept_protects_both():
    """Consent is a person's own: whoever is taken for that person has not given it."""
    book = _simple()
    book["faces"][0]["kept"] = True
    faces = corrected(book, Corrections(persons={B: "x"}))["faces"]
    assert [face["kept"] for face in faces] == [True, False]  # one mark missing protects all


def test_a_face_that_is_somebody_elses_after_all_is_not_kept():
    """Who consented was shown; whose face it really is has not."""
    book = _simple()
    book["faces"][0]["kept"] = True
    faces = corrected(book, Corrections(persons={A: "somebody new"}))["faces"]
    assert [(face["person"], face["kept"]) for face in faces] == [
        ("somebody new", False),
        ("y", False),
    ]


def test_a_dismissal_can_be_taken_back():
    book = corrected(_simple(), Corrections(dismissed={A: True}))
    assert book["dismissed"] == {"1.jpg": [list(A[1])]}
    assert [face["person"] for face in book["faces"]] == ["y"]
    back = corrected(book, Corrections(dismissed={A: False}))
    assert back["dismissed"] == {}
    assert len(back["faces"]) == 2


def test_corrections_of_other_photos_change_nothing():
    strange = ("c", (0.0, 0.0, 1.0, 1.0))
    value = Corrections(
        persons={strange: "x"}, drawn={strange: True}, dismissed={strange: True},
        set_aside={"c": True},
    )  # fmt: skip
    book = corrected(_simple(), value)
    assert [face["person"] for face in book["faces"]] == ["x", "y"]
    assert book["dismissed"] == {}
    assert book["withheld"] == []


def test_nothing_of_a_person_is_in_a_repr():
    value = Corrections(persons={A: "Ada Lovelace"}, kept={"Ada Lovelace": True})
    assert "Ada" not in repr(value)
    assert replace(value) == value
