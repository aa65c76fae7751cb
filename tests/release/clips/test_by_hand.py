"""Tracks that a person draws, extends, dismisses or consents to, by a ledger."""

import json

import numpy as np
import pytest
from filming import FRAMES, film, frames_of, photos_by_person, plan

from ksame.errors import InputError
from ksame.people.ledgers import LedgerPeople
from ksame.release import Corrections, run
from ksame.release.clips.packing import unpacked
from ksame.release.listing import corrected
from ksame.verification import verify

pytestmark = pytest.mark.slow
FIRST, LAST, LATE = 3, 9, 12  # late: further from the begin than a track is covered by itself


@pytest.fixture(scope="module")
def clips(tmp_path_factory):
    """Two people beside each other in one clip."""
    folder = tmp_path_factory.mktemp("by hand") / "in"
    folder.mkdir()
    one, two, *_ = photos_by_person()
    film(folder / "pair.mp4", one[0], two[0])
    return folder


@pytest.fixture(scope="module")
def made(clips, tmp_path_factory):
    return run(plan(clips, tmp_path_factory.mktemp("made") / "out", k=2))


def _book(release):
    return json.loads(release.ledger.read_text(encoding="utf-8"))


def _again(clips, book, folder, **options):
    """The release that a corrected ledger gives on the command line."""
    folder.mkdir(exist_ok=True)
    ledger = folder / "corrected.json"
    ledger.write_text(json.dumps(book), encoding="utf-8")
    return run(plan(clips, folder / "out", k=2, persons=str(ledger), **options))


def _place(book, face):
    return book["originals"][face["file"]], tuple(face["box"])


def _frames(face):
    return face["numbers"]["track"]["first"], len(unpacked(face["numbers"]["track"]))


def _by_person(book):
    return {face["person"]: face for face in book["faces"]}


def _released(release):
    return frames_of(next(release.out.glob("*.mp4")))


def _changed(release, clips, box):
    """By frame, how far a part of the picture is from the original's."""
    x0, y0, x1, y1 = (round(value) for value in box)
    pairs = zip(_released(release), frames_of(clips / "pair.mp4"), strict=True)
    parts = [(a[y0:y1, x0:x1], b[y0:y1, x0:x1]) for a, b in pairs]
    return [float(np.abs(a.astype(int) - b.astype(int)).mean()) for a, b in parts]


def test_a_ledger_given_back_gives_the_same_bytes(clips, made, tmp_path):
    again = _again(clips, _book(made), tmp_path)
    assert again.certificate["files"] == made.certificate["files"]


def test_a_face_drawn_over_some_frames_is_replaced_in_them(clips, made, tmp_path):
    """As where the detector missed somebody: the track is taken out and drawn by hand."""
    book = _book(made)
    gone = book["faces"][0]
    box = np.array(gone["box"])
    own = (box + np.array([-4, -4, 4, 4])).round(2).tolist()
    place = (book["originals"][gone["file"]], tuple(own))
    marks = ((float(FIRST), *own), (float(LAST), *own))
    bare = {**book, "faces": book["faces"][1:]}
    decided = Corrections(
        drawn={place: True}, tracks={place: marks}, persons={place: gone["person"]}
    )
    again = _again(clips, corrected(bare, decided), tmp_path)
    (drawn,) = (face for face in _book(again)["faces"] if face["drawn"])
    assert drawn["group"] is not None
    assert drawn["marks"] == [list(mark) for mark in marks]
    assert _frames(drawn) == (FIRST, LAST + 1 - FIRST)
    assert again.certificate["decisions"]["faces_drawn"] == 1
    assert verify(again.out, again.ledger).findings == ()
    assert min(_changed(again, clips, gone["box"])) > 3  # elsewhere it is filled as it is seen
    same = _again(clips, _book(again), tmp_path / "back")
    assert same.certificate["files"] == again.certificate["files"]


def test_a_drawn_place_without_a_face_is_filled_in_every_frame_named(clips, made, tmp_path):
    book = _book(made)
    file = book["faces"][0]["file"]
    box = (4.0, 180.0, 60.0, 236.0)  # the first one's shirt
    place = (book["originals"][file], box)
    decided = Corrections(drawn={place: True}, tracks={place: ((2.0, *box), (5.0, *box))})
    again = _again(clips, corrected(book, decided), tmp_path)
    (drawn,) = (face for face in _book(again)["faces"] if face["drawn"])
    assert drawn["group"] is None
    assert _frames(drawn) == (2, 4)
    changed = _changed(again, clips, box)
    assert min(changed[2:6]) > 3 * max(changed[0], changed[7])
    assert verify(again.out, again.ledger).findings == ()


def test_an_extended_track_covers_the_frames_that_were_named(tmp_path):
    """The first one's face is washed out at the beginning; a person says that it is there."""
    folder = tmp_path / "in"
    folder.mkdir()
    one, two, *_ = photos_by_person()
    film(folder / "pair.mp4", one[0], two[0], frames=2 * FRAMES, washed=LATE)
    plain = run(plan(folder, tmp_path / "out", k=2))
    book = _book(plain)
    late = next(face for face in book["faces"] if _frames(face)[0] > 0)
    assert _frames(late)[0] >= LATE - 3  # a track covers some frames around what is detected
    place = _place(book, late)
    decided = Corrections(tracks={place: ((0.0, *place[1]),)})
    again = _again(folder, corrected(book, decided), tmp_path / "again")
    new = _book(again)
    extended = next(face for face in new["faces"] if tuple(face["box"]) == place[1])
    assert _frames(extended) == (0, 2 * FRAMES)
    assert (extended["drawn"], len(extended["marks"])) == (False, 1)
    assert max(_changed(plain, folder, place[1])[: LATE - 3]) < 3
    assert min(_changed(again, folder, place[1])[: LATE - 3]) > 3
    assert verify(again.out, again.ledger).findings == ()


def test_a_dismissed_track_is_left_as_it_is_and_counted(clips, made, tmp_path):
    book = _book(made)
    gone = book["faces"][0]
    decided = Corrections(dismissed={_place(book, gone): True})
    again = _again(clips, corrected(book, decided), tmp_path, reference="nobody")
    assert again.certificate["decisions"]["faces_dismissed"] == 1
    assert max(_changed(again, clips, gone["box"])) < 3
    assert verify(again.out, again.ledger).findings == ()


def test_whoever_consents_is_shown_in_a_clip(clips, made, tmp_path):
    book = _book(made)
    kept = book["faces"][0]
    again = _again(clips, corrected(book, Corrections(kept={kept["person"]: True})), tmp_path)
    assert again.certificate["decisions"]["people_kept"] == 1
    assert max(_changed(again, clips, kept["box"])) < 3
    assert verify(again.out, again.ledger).findings == ()


@pytest.mark.parametrize(
    "marks",
    [[[1.5, 0, 0, 9, 9]], [[-1, 0, 0, 9, 9]], [[1, 9, 0, 0, 9]], [[1, 0, 0, 9]], [["x"] * 5]],
)
def test_marks_that_say_nothing_are_refused(made, marks):
    book = _book(made)
    book["faces"][0]["marks"] = marks
    with pytest.raises(InputError, match=r"marks|cannot be read"):
        LedgerPeople(book)


def test_corrections_with_tracks_are_kept_and_read_again():
    place = ("a" * 64, (1.0, 2.0, 30.0, 40.0))
    one = Corrections(tracks={place: ((3.0, 1.0, 2.0, 30.0, 40.0),)})
    assert Corrections.from_json(json.loads(json.dumps(one.as_json()))) == one
