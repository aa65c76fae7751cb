"""Hands and things in front of the faces of a clip."""

import json

import numpy as np
import pytest
from filming import FRAMES, film, frames_of, photos_by_person, plan

from ksame import verify
from ksame.release import run
from ksame.release.clips import fronts as fronts_module
from ksame.release.clips.fronts import EVERY, LONGEST, Fronts
from ksame.verification.footage import read_track
from ksame.verification.reading import Malformed
from ksame.vision.parts import BODY_SKIN, FACE_SKIN, Parts, tile

SIDE = 256
HAND = np.s_[150:220, 40:115]  # of the tile: a cheek and the jaw below it
BLANK = np.zeros((200, 200, 3), np.uint8)


def _told(hand):
    """What the network would say of a bare face, or of one with a hand at its cheek."""

    def find(rgb, faces):
        scores = np.zeros((SIDE, SIDE, 6), np.float32)
        scores[..., FACE_SKIN] = 1
        if hand:
            scores[HAND] = 0
            scores[(*HAND, BODY_SKIN)] = 1
        return [Parts(scores.copy(), tile(points, SIDE)) for points in faces]

    return find


def _marks(side):
    marks = np.random.default_rng(0).uniform(50, 50 + side, (478, 2))
    marks[[33, 263]] = [[60, 70], [50 + side * 0.8, 70]]
    return marks


@pytest.mark.parametrize(
    ("hand", "side", "moves", "asked"),
    [
        (False, 100, False, [0, LONGEST]),
        (False, 100, True, list(range(0, LONGEST + 1, EVERY))),
        (True, 100, False, list(range(LONGEST + 1))),
        (True, 30, True, []),  # too small for anybody to see
    ],
)
def test_parts_are_asked_for_as_often_as_is_needed(monkeypatch, hand, side, moves, asked):
    glances, closely = [], []

    def noted(frames):
        def find(rgb, faces):
            frames.extend([now] * len(faces))
            return _told(hand)(rgb, faces)

        return find

    monkeypatch.setattr(fronts_module, "quick_glances", noted(glances))
    monkeypatch.setattr(fronts_module, "find_parts", noted(closely))
    monkeypatch.setattr(fronts_module, "held_mask", lambda *_: "a hand" if hand else None)
    fronts = Fronts()
    for now in range(LONGEST + 1):
        picture = BLANK.copy()
        if moves:
            picture[50:150, 50 + 8 * now : 60 + 8 * now] = 200
        fronts.look(picture, now, {0: _marks(side)})
        fronts.front(BLANK, 0, None)
    # a hand is looked at closely; what a glance shows bare is not
    assert closely == (asked if hand else [])
    assert glances == (asked[:1] if hand else asked)


def test_a_hand_is_kept_listed_and_verified(monkeypatch, tmp_path):
    for look in ("quick_glances", "find_parts"):
        monkeypatch.setattr(fronts_module, look, _told(hand=True))
    (tmp_path / "in").mkdir()
    film(tmp_path / "in" / "clip.mp4", photos_by_person()[2][0])
    made = run(plan(tmp_path / "in", tmp_path / "out"))
    ledger = json.loads(made.ledger.read_text())
    (face,) = ledger["faces"]
    told = face["numbers"]["track"]["fronts"]
    assert sorted(map(int, told)) == list(range(FRAMES))
    assert verify(made.out, made.ledger).holds
    before = frames_of(ledger["files"][face["file"]])
    after = frames_of(made.out / face["file"])
    apart = np.abs(before[5].astype(int) - after[5]).max(axis=2)
    x0, y0, x1, y1 = (int(value) for value in face["box"])
    # the jaw under the hand is the original's, the other one is not
    middle = (x0 + x1) // 2
    low = np.s_[y1 - (y1 - y0) // 4 : y1]
    assert np.median(apart[low, x0 : middle - 12]) < 6 < np.median(apart[low, middle + 12 : x1])


def test_a_front_in_a_frame_that_the_track_does_not_have_is_refused(release):
    from dataclasses import replace

    from ksame.verification.documents import read_ledger

    face = next(f for f in read_ledger(release.ledger).faces if "track" in (f.numbers or {}))
    assert len(read_track(face, FRAMES).rows) == FRAMES
    for name in (str(FRAMES), "-1", "one"):
        track = {**face.numbers["track"], "fronts": {name: None}}
        with pytest.raises(Malformed, match="in front of a face"):
            read_track(replace(face, numbers={"track": track}), FRAMES)
