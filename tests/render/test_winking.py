"""A wink stays a wink in a clip, and eyes that differ a little by build tell nothing."""

import numpy as np
import pytest

from ksame.codecs.face import EXPRESSION_NAMES
from ksame.render.expression import _laid, read_expression
from ksame.render.winking import openings
from ksame.vision import Landmarks

RIGHT, LEFT = (EXPRESSION_NAMES.index(name) for name in ("blinkRight", "blinkLeft"))


def person(model, **blinks):
    """Landmarks of somebody who closes the eyes so far, 120 px between their corners."""
    weights = model.neutral
    for name, value in blinks.items():
        weights[EXPRESSION_NAMES.index(name)] = value
    points = model.shape(model.faces.codes[40], weights)[:478].astype(np.float64) * 120
    return Landmarks(points[:, :2] + 200, points[:, 2], 1.0)


def shown(model, identity, weights, marks):
    return openings(_laid(model.shape(identity, weights), marks.points))


@pytest.mark.parametrize("closed", ["blinkRight", "blinkLeft"])
@pytest.mark.parametrize("far", [0.3, 0.5])
def test_one_narrow_eye_is_as_narrow_on_another_face(model, identity, closed, far):
    marks = person(model, **{closed: far})
    right, left = openings(marks.points)
    weights = read_expression(model, marks, identity, still=False)
    drawn_right, drawn_left = shown(model, identity, weights, marks)
    assert abs(right - left) > 0.09
    assert drawn_right - drawn_left == pytest.approx(right - left, abs=0.03)


def test_both_eyes_closed_are_no_wink(model, identity):
    marks = person(model, blinkRight=0.8, blinkLeft=0.8)
    weights = read_expression(model, marks, identity, still=False)
    drawn = shown(model, identity, weights, marks)
    assert abs(drawn[0] - drawn[1]) < 0.05


def test_a_small_difference_of_the_eyes_tells_nothing(model, identity):
    """Build passes no number: the same weights as for a face with equal eyes."""
    even = person(model)
    points = even.points.copy()
    lid = [159, 158, 160]
    points[lid, 1] += 0.02 * abs(points[33, 0] - points[133, 0])
    uneven = Landmarks(points, even.depth, 1.0)
    told = read_expression(model, uneven, identity, still=False)[[RIGHT, LEFT]]
    plain = read_expression(model, even, identity, still=False)[[RIGHT, LEFT]]
    assert np.abs((told[0] - told[1]) - (plain[0] - plain[1])) < 0.12
