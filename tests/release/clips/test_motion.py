"""How a track moves: what two segments share is read once."""

from types import SimpleNamespace

import numpy as np
import pytest

from ksame.codecs.face import EXPRESSION_NAMES, FaceModel
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


@pytest.mark.parametrize(("measured", "drawn"), [(0, 0), (4, 0), (5, 0), (7, 5), (13, 12)])
def test_grain_that_coding_leaves_in_any_clip_is_not_drawn(measured, drawn):
    footage = SimpleNamespace(camera=np.array([np.nan, measured, 3, 2, 0, 50.0]))
    assert motion._camera(footage)[1] == (drawn, 0, 0)


def test_lids_are_filtered_least_and_every_weight_once():
    columns = [column for part in motion._PARTS for column in part]
    assert sorted(columns) == list(range(len(EXPRESSION_NAMES)))
    assert motion._LIDS < motion._SPEECH < motion._EXPRESSION < motion._CALM


@pytest.mark.parametrize(
    ("level", "measured", "used"),
    [((160, 120, 90), 8.0, 8.0), ((28, 11, 4), 8.0, 2.0), ((3, 1, 0), 8.0, 0.0), (None, 8.0, 8.0)],
)
def test_no_black_is_lighter_than_the_skin_on_it(level, measured, used):
    """Else a face in a dark room could not be drawn as dark as it is."""
    skin = np.zeros((16, 16, 3), np.uint8)
    if level is not None:
        skin[4:12, 4:12] = level
    assert motion.black_under(skin, measured) == used
