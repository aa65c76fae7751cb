"""A finished release is reviewed: what nobody corrects comes out as it was."""

import json

import pytest
from review_plans import plan_of

from ksame.errors import InputError
from ksame.release import Corrections, run
from ksame.review.finished import finished_plan, put_in_place
from ksame.verification import verify

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(album, tmp_path_factory):
    """A finished release; one photo, which shows nobody, was withheld."""
    return run(plan_of(album, tmp_path_factory.mktemp("made") / "out"))


def _book(release):
    return json.loads(release.ledger.read_text(encoding="utf-8"))


def test_nothing_corrected_is_the_same_release_again(made, tmp_path):
    plan = finished_plan(made.out, made.ledger, tmp_path / "again", jobs=1)
    again = run(plan, review=lambda album, people: Corrections())
    assert again.certificate["files"] == made.certificate["files"]
    assert again.certificate["withheld"] == made.certificate["withheld"]


def test_a_face_drawn_where_nobody_was_found_brings_the_photo_into_the_release(made, tmp_path):
    entry = _book(made)["withheld"][0]

    def draw(album, people):
        return Corrections(drawn={(entry["sha256"], (60.0, 60.0, 160.0, 180.0)): True})

    plan = finished_plan(made.out, made.ledger, tmp_path / "again", jobs=1)
    again = run(plan, review=draw)
    assert len(again.certificate["files"]) == len(made.certificate["files"]) + 1
    assert again.certificate["decisions"]["faces_drawn"] == 1
    assert again.certificate["withheld"] == {}
    assert verify(again.out, again.ledger).findings == ()
    placed = put_in_place(again, made.out, made.ledger)
    assert placed.out == made.out
    assert verify(placed.out, placed.ledger).findings == ()
    (before,) = made.out.parent.glob("out.before-????????")
    assert verify(before, before.with_name(before.name + ".ledger.json")).findings == ()


def test_another_releases_ledger_is_refused(tmp_path, album):
    one = run(plan_of(album, tmp_path / "one"))
    spoiled = {**_book(one), "certificate": "0" * 64}
    other = tmp_path / "other.json"
    other.write_text(json.dumps(spoiled), encoding="utf-8")
    with pytest.raises(InputError, match="not that of this release"):
        finished_plan(one.out, other, tmp_path / "two")


def test_an_original_that_is_gone_is_told(tmp_path, album):
    one = run(plan_of(album, tmp_path / "one"))
    book = _book(one)
    book["files"][next(iter(book["files"]))] = str(tmp_path / "gone.jpg")
    one.ledger.write_text(json.dumps(book), encoding="utf-8")
    with pytest.raises(InputError, match="1 of 10 originals"):
        finished_plan(one.out, one.ledger, tmp_path / "two")
