"""Quick looks are as fine as the thorough ones around them ask for."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from ksame.faces import Faces
from ksame.release.clips import watching, writing
from ksame.release.clips.tally import SegmentWritten
from ksame.release.clips.watching import COMPLETE, EVERY, SIDES, THOROUGH, Watch, watched
from ksame.vision.near import Near

LARGE, SMALL = (100.0, 100.0, 400.0, 400.0), (600.0, 600.0, 640.0, 640.0)
LYING = (900.0, 100.0, 1100.0, 300.0)
SHAPE = (1000, 1600, 3)


def _faces(*boxes):
    xyxy = np.array(boxes, np.float64).reshape(-1, 4)
    return Faces(xyxy=xyxy, points=np.zeros((len(xyxy), 5, 2)), score=np.full(len(xyxy), 0.9))


@pytest.fixture
def scene(monkeypatch):
    """A large face in all frames, and a small one from ``comes`` on that quick looks do not see.

    From ``lies`` on somebody lies there, whom only complete looks see.
    A frame's number is its first pixel. Returns what was looked at: the frame and the level.
    """
    seen = SimpleNamespace(comes=99, lies=99, looks=[])

    def at(rgb, level):
        number = int(rgb[0, 0, 0])
        seen.looks.append((number, level))
        small = level > 0 and number >= seen.comes
        lying = level == COMPLETE and number >= seen.lies
        return _faces(LARGE, *([SMALL] if small else []), *([LYING] if lying else []))

    monkeypatch.setattr(watching, "_at", at)
    monkeypatch.setattr(watching, "_completed", lambda rgb, found: at(rgb, COMPLETE))
    return seen


def _frames(count, shape=SHAPE):
    for number in range(count):
        rgb = np.zeros(shape, np.uint8)
        rgb[0, 0, 0] = number
        yield rgb


def _levels(count, cuts=()):
    found = list(watched(_frames(count), 0, cuts))
    assert [one.number for one in found] == list(range(count))
    return {one.number: one.level for one in found}


def test_where_quick_looks_see_everybody_complete_ones_are_rare(scene):
    levels = _levels(2 * EVERY + 3)
    complete = [number for number, level in levels.items() if level == COMPLETE]
    assert complete == [0, EVERY, 2 * EVERY, 2 * EVERY + 2]
    assert {level for level in levels.values() if level != COMPLETE} == {0}


@pytest.mark.parametrize("shape", [SHAPE, (360, 640, 3)])
def test_where_somebody_lies_all_looks_around_are_complete(scene, shape):
    """A nurse beside a bed: plain looks see the nurse alone, in large frames and in small ones."""
    scene.lies = EVERY + 5
    found = list(watched(_frames(3 * EVERY, shape), 0, ()))
    assert all(one.level < COMPLETE for one in found[1:EVERY])
    assert all(one.level == COMPLETE for one in found[EVERY:])
    assert all(len(one.faces) == 2 for one in found[EVERY + 5 :])


def test_the_last_look_is_complete_where_it_saw_somebody_who_lies(scene):
    scene.lies = 0
    watch = Watch([THOROUGH] * EVERY)
    seen = [len(watch.look(rgb)) for rgb in _frames(EVERY)]
    assert seen == [1] * (EVERY // 2) + [2] * (EVERY // 2)


def test_a_face_that_comes_into_view_is_looked_for_in_the_frames_before(scene):
    scene.comes = EVERY + 5
    levels = _levels(3 * EVERY)
    assert all(levels[number] == 0 for number in range(1, EVERY))
    assert all(levels[number] > 0 for number in range(EVERY, 3 * EVERY))


def test_the_last_frame_of_a_shot_is_looked_at_completely(scene):
    scene.comes = 5
    levels = _levels(9, cuts={7})
    assert levels[6] == levels[7] == levels[8] == COMPLETE
    assert all(levels[number] > 0 for number in range(1, 6))


def test_the_last_look_says_which_faces_quick_looks_miss(scene):
    scene.comes = 0
    watch = Watch([0] * EVERY)
    for number, rgb in enumerate(_frames(EVERY)):
        faces = watch.look(rgb)
        missed = [watch.missed(face) for face in faces]
        assert missed == ([False, True] if number == EVERY // 2 else [False] * len(faces))
        # from there on every look is fine enough
        assert len(faces) == (2 if number >= EVERY // 2 else 1)


def test_between_complete_looks_what_was_changed_is_searched_and_the_rest_is_known(
    scene, monkeypatch
):
    """All frames are searched again: what the first look saw elsewhere, where nothing changed."""
    changed, bystander = np.array(LARGE), _faces(SMALL)
    parts = []

    def near(rgb, part, score, *, finest):
        parts.append((int(rgb[0, 0, 0]), part.tolist(), finest))
        return Near(_faces(LARGE), part)

    monkeypatch.setattr("ksame.vision.near.find_faces_near", near)
    watch = Watch([0, 1] * (EVERY // 2), "yunet", lambda place: bystander)
    for number, rgb in enumerate(_frames(EVERY)):
        faces = watch.look(rgb, changed=changed)
        if number < EVERY // 2:
            assert sorted(faces.xyxy.tolist()) == sorted([list(LARGE), list(SMALL)])
    due = EVERY // 2
    assert parts[:due] == [(n, list(LARGE), SIDES[n % 2]) for n in range(due)]
    assert (due, COMPLETE) in scene.looks


def test_after_a_surprise_frames_are_searched_whole(scene):
    scene.comes = 0
    watch = Watch([0] * EVERY, "yunet", lambda place: _faces(LARGE))
    for rgb in list(_frames(EVERY))[: EVERY // 2]:
        watch.look(rgb, changed=np.zeros(4))
    scene.looks.clear()
    for rgb in list(_frames(EVERY))[EVERY // 2 :]:
        watch.look(rgb, changed=np.zeros(4))
    assert {number for number, _ in scene.looks} == set(range(EVERY // 2, EVERY))


def test_careful_looks_are_at_all_of_a_frame(scene):
    """The first ones were quick, and missed somebody."""
    careful = Watch([], "yunet", lambda place: _faces(LARGE))
    for rgb in _frames(EVERY):
        careful.look(rgb, changed=np.zeros(4))
    assert scene.looks == [(number, COMPLETE) for number in range(EVERY)]


def test_no_look_at_a_finished_frame_is_taken_twice(scene):
    watch = Watch([0] * EVERY)
    for rgb in _frames(EVERY):
        watch.look(rgb)
    assert sorted(scene.looks) == sorted(set(scene.looks))


def test_usual_looks_miss_what_they_are_not_sure_of(monkeypatch):
    """Only every few frames somebody else is asked about faint faces."""
    faint = replace(_faces(LARGE, SMALL), score=np.array([0.9, 0.4]))
    monkeypatch.setattr(watching, "_at", lambda rgb, level: faint)
    monkeypatch.setattr(watching, "_completed", lambda rgb, found: found)
    watch, careful = Watch([THOROUGH] * EVERY), Watch()
    for number, rgb in enumerate(_frames(EVERY)):
        missed = [watch.missed(face) for face in watch.look(rgb)]
        assert missed == [False, number == EVERY // 2]
        assert watch.asks is (number == EVERY // 2)
        assert [careful.missed(face) for face in careful.look(rgb)] == [False, False]
        assert careful.asks


def test_a_segment_in_which_a_face_was_missed_is_written_again_with_care(monkeypatch, tmp_path):
    asked = []

    def make(task, draft, careful=False):
        asked.append(careful)
        draft.write_bytes(b"frames")
        return (SegmentWritten(task.key, "digest"), {}) if careful else None

    store = SimpleNamespace(note=lambda *_: None, save=lambda *_: None)
    order = SimpleNamespace(store=store)
    task = SimpleNamespace(order=order, key="key", number=0, file=tmp_path / "segment.mp4")
    monkeypatch.setattr(writing, "_make", make)
    assert writing.write_segment(task).failure is None
    assert asked == [False, True]
    assert task.file.read_bytes() == b"frames"


def test_a_segment_that_cannot_be_protected_is_withheld(monkeypatch, tmp_path):
    def make(task, draft, careful=False):
        draft.write_bytes(b"frames")
        return SegmentWritten(task.key, failure=writing.UNPROTECTED), {}

    store = SimpleNamespace(note=lambda *_: None, save=lambda *_: None)
    task = SimpleNamespace(
        order=SimpleNamespace(store=store), key="key", number=0, file=tmp_path / "segment.mp4"
    )
    monkeypatch.setattr(writing, "_make", make)
    assert writing.write_segment(task).failure == writing.UNPROTECTED
    assert not list(tmp_path.iterdir())


def test_a_look_for_turned_heads_keeps_the_doubtful_upright_ones(monkeypatch):
    """A blurred first frame of a crowd: nobody is sure, and a track goes back to doubtful ones."""

    class Doubtful:
        def detect(self, rgb, min_score):
            return replace(_faces((40.0, 40.0, 90.0, 90.0)), score=np.array([0.5]))

    monkeypatch.setattr("ksame.vision.detect.YuNet", Doubtful)
    rgb = np.zeros((200, 200, 3), np.uint8)
    for level in (THOROUGH, COMPLETE):
        assert len(watching._at(rgb, level))
