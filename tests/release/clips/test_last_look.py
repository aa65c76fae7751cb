"""A finished frame is searched again, and what is left is filled."""

from types import SimpleNamespace

import numpy as np

from ksame.faces import Face
from ksame.release.clips import looking
from ksame.release.clips.tally import Tally
from ksame.release.listed import usual_points


def test_among_several_faces_only_the_unprotected_one_is_filled(monkeypatch):
    boxes = (np.array([x, 60.0, x + 40, 110.0]) for x in (20.0, 140.0))
    safe, open_one = (Face(box, 0.9, usual_points(box)) for box in boxes)

    class Watch:
        def __init__(self, levels=(), detector="yunet"):
            assert detector == "own"  # whoever looked first looks again

        def look(self, rgb, fresh=False):
            seen = [open_one] if rgb[80, 160].tolist() == [90, 120, 150] else []
            return [safe, *seen]

        def missed(self, face):
            return False

    monkeypatch.setattr(looking, "Watch", Watch)
    picture = np.full((200, 240, 3), (90, 120, 150), np.uint8)
    made = looking.Made.of(7, picture, np.zeros((0, 4)))
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
