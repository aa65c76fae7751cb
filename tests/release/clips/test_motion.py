"""How a track moves: what two segments share is read once."""

import numpy as np

from ksame.codecs.face import FaceModel
from ksame.release.clips import motion


def test_the_expression_of_a_frame_that_two_segments_look_at_is_read_once(monkeypatch):
    asked = []

    def read(model, marks, identity, still):
        asked.append(float(marks.points[0, 0]))
        return np.full(24, marks.score, np.float32)

    monkeypatch.setattr(motion, "read_expression", read)
    motion._expression.cache_clear()
    model, mesh = FaceModel.load(), np.zeros((478, 3), np.float32)
    other = mesh + 1
    code = np.zeros(model.identity_size, np.float32).tobytes()
    for one in (mesh, other, mesh):
        assert motion._expression(model, one.tobytes(), 0.75, code).tolist() == [0.75] * 24
    assert asked == [0.0, 1.0]
    motion._expression.cache_clear()
