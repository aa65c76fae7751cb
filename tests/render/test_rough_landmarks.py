"""Five points are enough to pose a face."""

import numpy as np
import pytest

from ksame.render import rough_landmarks
from ksame.render.rough import FIVE
from ksame.vision import Face


@pytest.mark.parametrize(("yaw", "roll"), [(0, 0), (0.6, 0), (-1.0, 0.3), (1.2, 0), (0, 2.5)])
def test_five_points_turn_the_average_face(model, pose, yaw, roll):
    average = np.zeros(model.identity_size, np.float32)
    true = pose(average, yaw=yaw, roll=roll, size=100.0)
    box = np.concatenate([true.points.min(axis=0), true.points.max(axis=0)])
    found = rough_landmarks(model, Face(box, 0.9, true.points[list(FIVE)]))
    assert found.score == 0
    eyes = 100 / 2.2
    assert np.hypot(*(found.points - true.points).T).mean() < 0.12 * eyes
