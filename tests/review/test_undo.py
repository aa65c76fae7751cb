"""Everything that can be done on the page is undone and done again, step by step."""

import pytest

from ksame.release.find import find
from ksame.release.job import Job
from ksame.release.name import name
from ksame.release.scratch import Scratch
from ksame.review.actions import _ACTIONS
from ksame.review.session import Session
from ksame.runners import Processes

pytestmark = pytest.mark.slow


@pytest.fixture
def session(with_clip):
    """A session in the middle of a review; nobody waits for it."""
    job = Job(with_clip, Scratch(with_clip.work), Processes(1))
    album = find(job)
    people = name(job, album)
    session = Session(with_clip)
    session._decided.set()
    session(album, people)
    yield session
    session.end()


def _table(session):
    table = session.snapshot()["table"]
    return {part: table[part] for part in ("photos", "faces", "people", "pairs")}


def _requests(table):
    """One request of every kind, by its name."""
    faces, people = table["faces"], sorted(table["people"])
    photo = next(n for n, row in faces.items() if row[8] is None and row[5] == people[0])
    late = next(n for n, row in faces.items() if row[8] and row[8][0] > 0)
    clip = faces[late][0]
    return {
        "merge": {"people": people[:2]},
        "move": {"faces": [photo]},
        "hide": {"faces": [photo]},
        "settle": {"pair": table["pairs"][0], "same": True},
        "dismiss": {"faces": [late]},
        "draw": {"photo": clip, "box": [500, 60, 560, 130], "frame": 3, "first": 2, "last": 5},
        "extend": {"face": late, "frame": 0, "box": faces[late][1:5]},
        "looks": {"person": people[0], "looks": {"gender": "male", "tone": "dark"}},
        "keep": {"person": people[0]},
        "aside": {"photos": [clip]},
    }


def test_every_action_is_undone_and_done_again(session):
    first = _table(session)
    requests = _requests(first)
    assert requests.keys() == _ACTIONS.keys()
    for kind, request in requests.items():
        session.act({"do": kind, **request})
        after = _table(session)
        assert after != first, kind
        session.act({"do": "undo"})
        assert _table(session) == first, kind
        session.act({"do": "redo"})
        assert _table(session) == after, kind
        session.act({"do": "undo"})


def test_a_long_history_is_walked_back_to_the_beginning(session):
    first = _table(session)
    requests = _requests(first)
    for kind in ("looks", "keep", "extend", "aside"):
        session.act({"do": kind, **requests[kind]})
    for _ in range(4):
        session.act({"do": "undo"})
    assert _table(session) == first


def test_a_drawn_track_says_how_long_it_is_and_where_it_was_marked(session):
    request = _requests(_table(session))["draw"]
    session.act({"do": "draw", **request})
    faces = _table(session)["faces"]
    row = next(row for row in faces.values() if row[6] & 1)
    assert row[8][:2] == [2, 6]
    assert [int(mark[0]) for mark in row[8][3]] == [2, 3, 5]
    boxes = session.boxes_of(row[0], 0)
    drawn = next(rows for face, rows in boxes.items() if faces[face][6] & 1)
    assert [at for at, box in enumerate(drawn) if box] == [2, 3, 4, 5]


@pytest.mark.parametrize(("number", "chunk"), [(99, 0), (0, 0), (3, 1), (3, -1), (-1, 0)])
def test_boxes_of_what_is_no_clip_are_not_there(session, number, chunk):
    with pytest.raises(LookupError):
        session.boxes_of(number, chunk)


@pytest.mark.parametrize("frame", [-1, 30, 10**9])
def test_a_frame_that_is_not_there_is_none(session, frame):
    with pytest.raises(LookupError):
        session.shot_at(3, frame)
