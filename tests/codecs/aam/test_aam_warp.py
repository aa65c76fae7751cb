"""The piecewise-affine warp against oracles."""

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.ndimage import map_coordinates

from ksame.codecs.aam import PiecewiseAffine, triangulate
from ksame.codecs.aam.warp import frame, pad_rim
from ksame.errors import InputError

RNG = np.random.default_rng(5)
POINTS = np.array([[1.5, 2], [38, 1], [40.2, 44], [3, 47], [20, 20], [12, 33], [30.5, 30]])
MESH = PiecewiseAffine(POINTS, triangulate(POINTS), (50, 44))
IMAGE = cv2.GaussianBlur(RNG.uniform(0, 255, (90, 100, 3)), (0, 0), 2)

coefficient = st.floats(-0.3, 0.3)


@given(st.tuples(coefficient, coefficient, coefficient, coefficient), st.floats(5, 25))
@settings(max_examples=25)
def test_an_affine_motion_is_exact_against_direct_interpolation(linear, shift):
    A = np.eye(2) + np.reshape(linear, (2, 2)) * 0.5
    moved = POINTS @ A.T + shift
    rows, columns = np.divmod(MESH.pixels, MESH.shape[1])
    source = np.stack([columns, rows], axis=1) @ A.T + shift
    assert_allclose(MESH.source(moved), source, atol=1e-9)
    expected = [
        map_coordinates(IMAGE[:, :, c], source.T[::-1], order=1, mode="nearest") for c in range(3)
    ]
    assert_allclose(MESH.sample(IMAGE, moved), np.stack(expected, axis=1), atol=1e-9)


def test_the_template_itself_is_copied():
    grid = RNG.uniform(0, 1, MESH.shape)
    assert_allclose(MESH.warp(grid, POINTS)[MESH.mask], grid[MESH.mask], atol=1e-12)


def test_outside_the_mesh_is_empty_and_types_are_kept():
    grey = IMAGE[:, :, 0].astype(np.uint8)
    drawn = MESH.warp(grey, POINTS + 10)
    assert drawn.dtype == np.uint8
    assert drawn.shape == MESH.shape
    assert not drawn[~MESH.mask].any()
    assert MESH.warp(IMAGE.astype(np.float32), POINTS).dtype == np.float32


def test_rasterising_agrees_with_opencv_polygons_inside():
    for triangle in MESH.triangles:
        inside = np.zeros(MESH.shape, np.uint8)
        corners = np.rint(POINTS[triangle] * 256).astype(np.int32)
        cv2.fillConvexPoly(inside, corners, 1, shift=8)
        # OpenCV also fills pixels that the edge touches; its eroded interior is certain
        certain = cv2.erode(inside, np.ones((3, 3), np.uint8), borderValue=0) > 0
        assert MESH.mask[certain].all()


def test_weights_are_barycentric():
    assert_allclose(MESH.weights.sum(axis=1), 1, atol=1e-12)
    assert MESH.weights.min() >= -1e-8


def test_rendering_inverts_warping():
    smooth = cv2.GaussianBlur(RNG.uniform(0, 255, (90, 100)), (0, 0), 4)
    moved = POINTS * 1.6 + [8, 6]
    texture = MESH.warp(smooth, moved)
    back, mask = MESH.render(texture, moved, smooth.shape)
    assert mask.sum() > 2000
    inner = cv2.erode(mask.astype(np.uint8), np.ones((7, 7))) > 0
    assert np.abs(back - smooth)[inner].mean() < 1.0


def test_the_rim_does_not_darken():
    texture = np.where(MESH.mask, 200.0, 0.0)
    back, mask = MESH.render(texture, POINTS * 1.5, (80, 70))
    assert back[mask].min() > 199
    assert_array_equal(pad_rim(texture, MESH.mask)[MESH.mask], texture[MESH.mask])


def test_points_outside_the_image_take_the_border():
    values = MESH.sample(IMAGE, POINTS - 1000)
    assert_allclose(values, np.broadcast_to(IMAGE[0, 0], values.shape))


def test_gradient_is_exact_on_a_plane_and_reads_mesh_pixels_only():
    rows, columns = np.divmod(MESH.pixels, MESH.shape[1])
    plane = np.stack([3.0 * columns - 2.0 * rows, rows + 0.5 * columns], axis=1)
    slopes = MESH.gradient(plane)
    inner = (MESH.neighbours >= 0).all(axis=1)
    assert_allclose(slopes[inner], np.broadcast_to([[3, -2], [0.5, 1]], slopes[inner].shape))


def test_jacobian_against_finite_differences():
    basis = RNG.normal(0, 1, (5, len(POINTS), 2))
    exact = MESH.motion(basis)
    step = 1e-4
    for d in range(5):
        apart = MESH.source(POINTS + step * basis[d]) - MESH.source(POINTS - step * basis[d])
        assert_allclose(exact[:, :, d], apart / (2 * step), atol=1e-8)


def test_frame_holds_the_points():
    points, (height, width) = frame(POINTS - 100, 64)
    assert np.ptp(points, axis=0).max() == pytest.approx(63)
    assert points.min() > 0
    assert (points.max(axis=0) < [width - 1, height - 1]).all()


@pytest.mark.parametrize(
    ("points", "triangles", "message"),
    [
        (POINTS[:, :1], [[0, 1, 2]], r"\(n, 2\)"),
        (POINTS * np.nan, [[0, 1, 2]], "not finite"),
        (POINTS, [[0, 1, 7]], "7 points"),
        (POINTS, [[0, 1]], r"\(t, 3\)"),
    ],
)
def test_wrong_meshes_are_refused(points, triangles, message):
    with pytest.raises(InputError, match=message):
        PiecewiseAffine(points, np.asarray(triangles, np.int32), (10, 10))


def test_another_number_of_points_is_refused():
    with pytest.raises(InputError, match="6 points given; this mesh has 7"):
        MESH.sample(IMAGE, POINTS[:-1])


def test_flat_meshes_have_no_frame():
    with pytest.raises(InputError, match="no area"):
        frame(np.array([[0.0, 1], [5, 1], [9, 1]]), 50)
