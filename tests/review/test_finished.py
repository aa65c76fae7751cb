"""A finished release is reviewed: what was changed is made again, and nothing else."""

import json
import shutil
from collections import Counter

import pytest
from browsing import book_of
from review_plans import clip_plan, plan_of

from ksame.errors import InputError
from ksame.files import sha256_of
from ksame.release import Corrections, run
from ksame.release.guarding import GUARDS
from ksame.release.listing import corrected
from ksame.review.finished import finished_plan, put_in_place
from ksame.verification import verify

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(album, tmp_path_factory):
    """A finished release; one photo, which shows nobody, was withheld."""
    return run(plan_of(album, tmp_path_factory.mktemp("made") / "out"))


@pytest.fixture
def rendered(monkeypatch):
    """How many faces are rendered and photos written, in this process: there is one worker."""
    import ksame.release.write as writing
    import ksame.render

    count = Counter()

    def counting(name, function):
        def counted(*given, **named):
            count[name] += 1
            return function(*given, **named)

        return counted

    monkeypatch.setattr(ksame.render, "render", counting("faces", ksame.render.render))
    monkeypatch.setattr(writing, "_make", counting("photos", writing._make))
    return count


def _again(made, out, decide=Corrections, **options):
    plan = finished_plan(made.out, made.ledger, out, jobs=1, **options)
    return run(plan, review=lambda album, people: decide(), made=made.out)


def _place(book, face):
    return book["originals"][face["file"]], tuple(face["box"])


def _bytes_by_original(release):
    book = book_of(release)
    return {book["originals"][name]: sha256_of(release.out / name) for name in book["files"]}


def test_nothing_corrected_is_the_same_release_again_and_nothing_is_made(made, tmp_path, rendered):
    again = _again(made, tmp_path / "again")
    assert again.certificate["files"] == made.certificate["files"]
    assert again.certificate["withheld"] == made.certificate["withheld"]
    assert again.certificate["groups"] == made.certificate["groups"]
    assert again.certificate["measured"] == made.certificate["measured"]
    assert rendered == {}


def test_without_the_files_the_same_comes_out(made, tmp_path, rendered):
    """They are a shortcut and nothing else."""
    plan = finished_plan(made.out, made.ledger, tmp_path / "again", jobs=1)
    again = run(plan, review=lambda album, people: Corrections())
    assert again.certificate["files"] == made.certificate["files"]
    assert rendered["photos"] == len(made.certificate["files"])


def test_a_hidden_face_makes_its_photo_again_and_no_other(made, tmp_path, rendered):
    """The first person has two photos, so that nobody leaves a group."""
    book = book_of(made)
    shown = Counter(face["person"] for face in book["faces"])
    face = next(face for face in book["faces"] if shown[face["person"]] == 2)
    decided = Corrections(persons={_place(book, face): ""})
    again = _again(made, tmp_path / "again", lambda: decided)
    before, after = _bytes_by_original(made), _bytes_by_original(again)
    changed = {sha for sha in before if after[sha] != before[sha]}
    assert changed == {book["originals"][face["file"]]}
    assert rendered == {"photos": 1}  # no face is in it any more
    assert again.certificate["hidden"] == made.certificate["hidden"] + 1
    assert verify(again.out, again.ledger).findings == ()


def test_after_a_merge_only_changed_groups_are_made_again(made, tmp_path, rendered):
    book = book_of(made)
    one, other = sorted({face["person"] for face in book["faces"]})[2:4]
    places = {_place(book, face): one for face in book["faces"] if face["person"] == other}
    decided = Corrections(persons=places)
    again = _again(made, tmp_path / "again", lambda: decided)
    new = book_of(again)
    face_of = {person: group["surrogate"] for group in book["groups"] for person in group["people"]}
    moved = {
        face["file"]
        for face in new["faces"]
        if face["person"] is not None
        and _surrogate(new, face) != face_of.get(_owner(book, new, face))
    }
    assert 0 < len(moved) < len(new["files"])
    assert rendered["photos"] == len(moved)
    faces = sum(face["file"] in moved for face in new["faces"])
    # a face that is still known is drawn again, with more guard
    assert faces <= rendered["faces"] <= (1 + len(GUARDS)) * faces
    before, after = _bytes_by_original(made), _bytes_by_original(again)
    assert sum(after[sha] != before[sha] for sha in before) == len(moved)
    assert again.certificate["people"] == made.certificate["people"] - 1
    assert min(group["people"] for group in again.certificate["groups"]) >= 2
    assert verify(again.out, again.ledger).findings == ()
    # the same corrections as a ledger, without a review: the same bytes
    ledger = tmp_path / "corrected.json"
    ledger.write_text(json.dumps(corrected(book, decided)), encoding="utf-8")
    plain = run(_plan_with(made, ledger, tmp_path / "plain"), made=made.out)
    assert plain.certificate["files"] == again.certificate["files"]
    assert plain.certificate["groups"] == again.certificate["groups"]


def _plan_with(made, ledger, out):
    """The same options, and a corrected ledger."""
    from dataclasses import replace

    return replace(finished_plan(made.out, made.ledger, out, jobs=1), persons=str(ledger))


def _surrogate(book, face):
    groups = {group["group"]: group["surrogate"] for group in book["groups"]}
    return groups.get(face["group"])


def _owner(old, new, face):
    """Who a face was taken for before."""
    place = _place(new, face)
    return next(entry["person"] for entry in old["faces"] if _place(old, entry) == place)


def test_a_file_that_was_altered_is_made_again(made, tmp_path, rendered):
    copy = tmp_path / "copy"
    shutil.copytree(made.out, copy)
    name = sorted(made.certificate["files"])[0]
    (copy / name).write_bytes((copy / name).read_bytes() + b"\0")
    plan = finished_plan(made.out, made.ledger, tmp_path / "again", jobs=1)
    again = run(plan, review=lambda album, people: Corrections(), made=copy)
    assert again.certificate["files"] == made.certificate["files"]
    assert rendered["photos"] == 1


def test_a_face_drawn_where_nobody_was_found_brings_the_photo_into_the_release(
    album, tmp_path, rendered
):
    made = run(plan_of(album, tmp_path / "out"))
    rendered.clear()
    entry = book_of(made)["withheld"][0]
    place = (entry["sha256"], (60.0, 60.0, 160.0, 180.0))
    again = _again(made, tmp_path / "again", lambda: Corrections(drawn={place: True}))
    assert len(again.certificate["files"]) == len(made.certificate["files"]) + 1
    assert rendered["photos"] == 1  # names are shuffled anew, files are not made anew
    assert again.certificate["decisions"]["faces_drawn"] == 1
    assert again.certificate["withheld"] == {}
    assert verify(again.out, again.ledger).findings == ()
    placed = put_in_place(again, made.out, made.ledger)
    assert placed.out == made.out
    assert verify(placed.out, placed.ledger).findings == ()
    (before,) = made.out.parent.glob("out.before-????????")
    assert verify(before, before.with_name(before.name + ".ledger.json")).findings == ()


def test_a_clip_in_which_nothing_changed_is_taken_over(filmed, tmp_path, monkeypatch, rendered):
    import ksame.release.clips.finishing as finishing

    made = run(clip_plan(filmed, tmp_path / "out", video_codec="hevc"))
    book = book_of(made)
    (clip,) = book["clips"]
    face = next(face for face in book["faces"] if face["file"] != clip)
    decided = Corrections(persons={_place(book, face): ""})
    monkeypatch.setattr(finishing, "write_segment", None)  # whoever calls it fails
    rendered.clear()
    again = _again(made, tmp_path / "again", lambda: decided)
    before, after = _bytes_by_original(made), _bytes_by_original(again)
    changed = {sha for sha in before if after[sha] != before[sha]}
    assert changed == {book["originals"][face["file"]]}
    assert rendered == {"photos": 1}
    assert verify(again.out, again.ledger).findings == ()


def test_another_releases_ledger_is_refused(made, tmp_path):
    spoiled = {**book_of(made), "certificate": "0" * 64}
    other = tmp_path / "other.json"
    other.write_text(json.dumps(spoiled), encoding="utf-8")
    with pytest.raises(InputError, match="not that of this release"):
        finished_plan(made.out, other, tmp_path / "two")


def test_an_original_that_is_gone_is_told(made, tmp_path):
    book = book_of(made)
    book["files"][next(iter(book["files"]))] = str(tmp_path / "gone.jpg")
    ledger = tmp_path / "moved.json"
    ledger.write_text(json.dumps(book), encoding="utf-8")
    with pytest.raises(InputError, match="1 of 10 originals"):
        finished_plan(made.out, ledger, tmp_path / "two")
