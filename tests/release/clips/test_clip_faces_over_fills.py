"""A fill that reaches over a face beside it is covered by that face again, as in photos."""

from types import SimpleNamespace

import numpy as np
import pytest

from ksame.release.clips import writing
from ksame.release.clips.looking import UnfinishedFrame
from ksame.release.clips.tally import Tally
from ksame.render import Front, Rendered

SHOWN = np.array([60.0, 60.0, 140.0, 140.0])  # the box of a face that is drawn
BESIDE = np.array([120.0, 70.0, 200.0, 150.0])  # ... and of one that is hidden
OVER_BOTH = np.s_[90:130, 122:138]
RED = (200, 0, 0)


class _Track:
    """A track that stays where it is."""

    def __init__(self, box):
        self._box = box

    def box(self, frame):
        return self._box


def _actor(number, box, motion):
    return SimpleNamespace(
        number=number,
        footage=_Track(box),
        motion=motion,
        identity=None,
        bare=False,
        covers=lambda frame: True,
    )


@pytest.fixture
def drawn(monkeypatch):
    """A face that is drawn as a red square; in front of its right half a hand is kept."""
    picture = np.random.default_rng(0).integers(60, 140, (200, 240, 3)).astype(np.uint8)
    square = Rendered(
        box=tuple(SHOWN.astype(int).tolist()),
        colour=np.full((80, 80, 3), RED, np.uint8),
        alpha=np.full((80, 80), 255, np.uint8),
        bare=np.zeros((8, 8, 3), np.float32),
        core=np.zeros((8, 8), np.uint8),
        worn=np.zeros((8, 8), np.uint8),
        folds=np.ones((8, 8), np.float32),
    )
    cells = np.zeros((20, 20), bool)
    cells[:, 12:] = True
    hand = Front(cells, np.zeros_like(cells), (0,) * 18, np.zeros_like(cells), (0,) * 18)
    monkeypatch.setattr("ksame.render.render", lambda *_: square)
    monkeypatch.setattr(writing, "_places", lambda *_: {})
    monkeypatch.setattr(writing.FaceModel, "load", lambda: None)
    return picture, hand


@pytest.mark.parametrize("front", [False, True])
def test_a_drawn_face_lies_over_the_fill_beside_it(drawn, front):
    picture, hand = drawn
    fronts = SimpleNamespace(look=lambda *_: None, front=lambda *_: hand if front else None)
    order = SimpleNamespace(on_failure="fill", seed=1, store=None)
    tally = Tally(SimpleNamespace(order=order))
    made = UnfinishedFrame.of(0, picture, np.zeros((0, 4)))
    motion = SimpleNamespace(at=lambda frame: None)
    actors = [_actor(0, SHOWN, motion), _actor(1, BESIDE, None)]
    writing._shown(made, actors, fronts, tally)
    tally.tell_fronts(0, made.laid)
    # nothing of the photo is kept under a fill: what was a hand there is drawn
    assert (made.result[OVER_BOTH] == RED).all()
    assert not (made.result[90:130, 150:190] == picture[90:130, 150:190]).all(axis=2).any()
    told = [Front.from_json(told) for _, _, told in tally.fronts]
    assert [bool(one.cells.any()) for one in told] == ([False] if front else [])
    assert tally.hidden == 1


def test_a_late_fill_lies_under_the_drawn_face_it_reaches_over(drawn):
    picture, hand = drawn
    fronts = SimpleNamespace(look=lambda *_: None, front=lambda *_: hand)
    order = SimpleNamespace(on_failure="fill", seed=1, store=None)
    tally = Tally(SimpleNamespace(order=order))
    made = UnfinishedFrame.of(0, picture, np.zeros((0, 4)))
    motion = SimpleNamespace(at=lambda frame: None)
    writing._shown(made, [_actor(0, SHOWN, motion)], fronts, tally)
    made.fill(BESIDE, tally)
    tally.tell_fronts(0, made.laid)
    assert (made.result[OVER_BOTH] == RED).all()
    assert not (made.result[90:130, 150:190] == picture[90:130, 150:190]).all(axis=2).any()
    assert not any(Front.from_json(told).cells.any() for _, _, told in tally.fronts)
