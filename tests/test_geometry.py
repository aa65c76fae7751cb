"""Maps of the plane and boxes, against OpenCV and against figures done by hand."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from ksame import geometry
from ksame.errors import InputError

NUMBERS = st.floats(-100, 100)


def matrix_of(scale, angle, x, y):
    cos, sin = scale * np.cos(angle), scale * np.sin(angle)
    return np.array([[cos, -sin, x], [sin, cos, y]])


@given(scale=st.floats(0.05, 20), angle=st.floats(-3, 3), x=NUMBERS, y=NUMBERS)
def test_a_similarity_is_found_again_and_undone(scale, angle, x, y):
    matrix = matrix_of(scale, angle, x, y)
    points = np.array([[0.0, 0], [3, 1], [-2, 5], [7, -4]])
    moved = geometry.apply(matrix, points)
    assert_allclose(geometry.similarity(points, moved), matrix, atol=1e-9)
    assert_allclose(geometry.affine(points, moved), matrix, atol=1e-9)
    assert_allclose(geometry.apply(geometry.inverse(matrix), moved), points, atol=1e-9)
    assert_allclose(geometry.inverse(matrix), cv2.invertAffineTransform(matrix), rtol=1e-12)
    assert geometry.scale(matrix) == pytest.approx(scale)


def test_then_applies_the_first_map_first():
    first, second = matrix_of(2, 0.3, 5, -1), matrix_of(0.5, -1.2, 0, 9)
    points = np.array([[1.0, 2], [-3, 4]])
    stepwise = geometry.apply(second, geometry.apply(first, points))
    assert_allclose(geometry.apply(geometry.then(first, second), points), stepwise)


def test_a_map_onto_a_line_cannot_be_undone():
    with pytest.raises(InputError, match="flattens"):
        geometry.inverse(np.array([[1.0, 2, 0], [2, 4, 0]]))


def test_a_reflection_is_no_similarity():
    points = np.array([[0.0, 0], [4, 0], [0, 1]])
    found = geometry.similarity(points, points * (-1, 1))
    assert np.linalg.det(found[:, :2]) > 0


def test_one_box_is_compared_with_many():
    box = np.array([0.0, 0, 10, 10])
    others = np.array([[5.0, 5, 15, 15], [0, 0, 10, 10], [2, 2, 4, 4], [20, 20, 30, 30]])
    assert_allclose(geometry.intersection(box, others), [25, 100, 4, 0])
    assert_allclose(geometry.iou(box, others), [25 / 175, 1, 0.04, 0])
    assert_allclose(geometry.share_inside(others, box), [0.25, 1, 1, 0])
    assert_allclose(geometry.area(others), [100, 100, 4, 100])
    assert_allclose(geometry.centre(others[0]), [10, 10])


def test_boxes_that_touch_share_nothing_and_empty_ones_divide_nothing():
    assert geometry.iou(np.array([0.0, 0, 5, 5]), np.array([5.0, 0, 9, 5])) == 0
    empty = np.array([3.0, 3, 3, 3])
    assert geometry.iou(empty, empty) == 0
    assert geometry.share_inside(empty, np.array([0.0, 0, 9, 9])) == 0


def test_corners_go_around_and_bounds_bring_them_back():
    box = np.array([1.0, 2, 5, 9])
    around = geometry.corners(box)
    assert_allclose(np.hypot(*(around - np.roll(around, -1, axis=0)).T), [4, 7, 4, 7])
    assert_allclose(geometry.bounds(around), box)
