"""A finished frame is searched again, and what is left is filled."""

from types import SimpleNamespace

import numpy as np
import pytest

from ksame.faces import Face, Faces
from ksame.release.clips import looking
from ksame.release.clips.tally import Tally
from ksame.release.listed import usual_points
from ksame.vision import faint


def test_among_several_faces_only_the_unprotected_one_is_filled(monkeypatch):
    boxes = (np.array([x, 60.0, x + 40, 110.0]) for x in (20.0, 140.0))
    safe, open_one = (Face(box, 0.9, usual_points(box)) for box in boxes)

    class Watch:
        asks = False

        def __init__(self, levels=(), detector="yunet"):
            assert detector == "own"  # whoever looked first looks again

        def look(self, rgb, fresh=False, changed=None):
            seen = [open_one] if rgb[80, 160].tolist() == [90, 120, 150] else []
            return [safe, *seen]

        def missed(self, face):
            return False

    monkeypatch.setattr(looking, "Watch", Watch)
    picture = np.full((200, 240, 3), (90, 120, 150), np.uint8)
    made = looking.UnfinishedFrame.of(7, picture, np.zeros((0, 4)))
    made.result[50:120, 10:70] = made.before[50:120, 10:70] + 1
    made.mask[50:120, 10:70] = True
    order = SimpleNamespace(on_failure="blackout", seed=1, detector="own")
    tally = Tally(SimpleNamespace(order=order))
    assert looking.look(made, Watch((), "own"), False, tally)
    ((frame, box, _),) = tally.late
    assert (frame, box) == (7, (140.0, 60.0, 180.0, 110.0))
    assert not made.result[80, 160].any()
    assert made.result[80, 40].tolist() == [91, 121, 151]
    assert len(tally.faces) == 1


@pytest.mark.parametrize("asks", [True, False])
def test_a_faint_face_is_filled_where_another_network_sees_it_too(monkeypatch, asks):
    """One on replaced pixels is a drawn face: nobody is asked about it."""
    drawn, there, thing = (np.array([x, 60.0, x + 40, 110.0]) for x in (20.0, 140.0, 260.0))
    faces = Faces.of([Face(box, 0.4, usual_points(box)) for box in (drawn, there, thing)])
    asked = []

    class Watch:
        def __init__(self, levels=(), detector="yunet"):
            self.asks = asks

        def look(self, rgb, fresh=False, changed=None):
            return faces

        def missed(self, face):
            return True

    def score(rgb, centre, size, wide, *rest):
        asked.append(float(centre[0]))
        return 0.9 if centre[0] == 160 and rgb[80, 160].any() else 0.0

    monkeypatch.setattr(looking, "Watch", Watch)
    monkeypatch.setattr(faint, "centre_score", score)
    made = looking.UnfinishedFrame.of(7, np.full((200, 400, 3), 90, np.uint8), np.zeros((0, 4)))
    made.mask[50:120, 10:70] = True
    order = SimpleNamespace(on_failure="blackout", seed=1, detector="yunet")
    tally = Tally(SimpleNamespace(order=order))
    assert looking.look(made, Watch(), False, tally)
    assert [box for _, box, _ in tally.late] == ([tuple(there.tolist())] if asks else [])
    assert tally.surprised is asks
    assert set(asked) == ({160.0, 280.0} if asks else set())


def test_points_before_a_drawn_profile_may_be_bare_and_no_others():
    """The detector guesses where the far eye and the far corner of the mouth are: on a wall."""
    box = np.array([60.0, 60.0, 120.0, 140.0])
    points = np.array([[64.0, 80], [100, 80], [66, 95], [68, 120], [98, 120]])
    face = Face(box, 0.9, points)
    made = looking.UnfinishedFrame.of(7, np.full((200, 200, 3), 90, np.uint8), np.zeros((0, 4)))
    made.result[50:150, 74:130] = 140
    made.mask[50:150, 74:130] = True
    assert not made.protects(face)  # nobody was drawn there
    made.replaced((74, 50, 130, 150), np.ones((100, 56), bool), box)
    assert made.protects(face)
    made.result[75:85, 95:105] = 90  # a fourth point: the near eye is the original's own
    made.result[90:100, 60:74] = 90
    assert not made.protects(face)
