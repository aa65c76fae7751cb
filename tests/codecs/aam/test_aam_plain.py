"""The loops in NumPy and the compiled ones give the same, to the last bit."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from ksame.codecs.aam import _kernels, _plain, triangulate
from ksame.compiled import has_numba

pytestmark = pytest.mark.skipif(not has_numba(), reason="there is nothing to compare with")

RNG = np.random.default_rng(7)
POINTS = np.concatenate([RNG.uniform(3, 40, (25, 2)), [[3, 3], [40, 3], [40, 40], [3, 40]]])
TRIANGLES = triangulate(POINTS)
SHAPE = (44, 43)


def mesh():
    owner, weights = _plain.rasterise(POINTS, TRIANGLES, *SHAPE)
    inside = owner >= 0
    return TRIANGLES[owner[inside]], weights[inside], inside


@pytest.mark.parametrize("points", [POINTS, np.round(POINTS), POINTS - 15, POINTS * [1, 0]])
def test_rasterising(points):
    ours = _plain.rasterise(points, TRIANGLES, *SHAPE)
    theirs = _kernels.rasterise(points, TRIANGLES, *SHAPE)
    for one, other in zip(ours, theirs, strict=True):
        assert_array_equal(one, other)


@pytest.mark.parametrize("kind", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("result", [np.float32, np.float64])
def test_sampling_inside_and_beyond_the_image(kind, result):
    image = (RNG.random((30, 35, 3)) * 255).astype(kind)
    vertices, weights, _ = mesh()
    ours, theirs = (np.empty((len(vertices), 3), result) for _ in range(2))
    _plain.sample(image, POINTS, vertices, weights, ours)
    _kernels.sample(image, POINTS, vertices, weights, theirs)
    assert_array_equal(ours, theirs)


def test_gradients_and_steepest_descent():
    _, _, inside = mesh()
    number = np.full((SHAPE[0] + 2, SHAPE[1] + 2), -1, np.int32)
    rows, columns = np.nonzero(inside.reshape(SHAPE))
    number[rows + 1, columns + 1] = np.arange(len(rows))
    steps = ((1, 0), (1, 2), (0, 1), (2, 1))
    neighbours = np.stack([number[rows + dy, columns + dx] for dy, dx in steps], axis=1)
    neighbours[5] = -1
    values = RNG.random((len(rows), 2)).astype(np.float32)
    motion = RNG.normal(size=(len(rows), 2, 6)).astype(np.float32)
    found = []
    for module in (_plain, _kernels):
        slopes = np.empty((len(rows), 2, 2), np.float32)
        module.gradient(values, neighbours, slopes)
        descent = np.empty((len(rows) * 2, 6), np.float32)
        module.steepest(slopes, motion, descent)
        found.append((slopes, descent))
    for one, other in zip(*found, strict=True):
        assert_array_equal(one, other)


def test_linear_parts():
    edges = RNG.normal(size=(len(TRIANGLES), 2, 2))
    degree = np.bincount(TRIANGLES.ravel(), minlength=len(POINTS) + 1)
    points = np.concatenate([POINTS, [[0.0, 0.0]]])  # one that no triangle has
    assert_array_equal(
        _plain.linear_parts(points, TRIANGLES, edges, degree),
        _kernels.linear_parts(points, TRIANGLES, edges, degree),
    )
