"""Principal components against NumPy's singular values."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ksame.pca import SINGLE_PRECISION, count_for_share, eigenpairs, principal


def rows(n, d, seed=0):
    made = np.random.default_rng(seed).normal(size=(n, d)) * np.linspace(4, 0.5, d)
    return made - made.mean(axis=0)


@pytest.mark.parametrize("shape", [(8, 30), (30, 8), (12, 12)])
def test_components_are_those_of_the_singular_value_decomposition(shape):
    A = rows(*shape)
    found = principal(A)
    _, singular, axes = np.linalg.svd(A, full_matrices=False)
    assert_allclose(found.squares, singular[: len(found)] ** 2, rtol=1e-9)
    assert_allclose(np.abs(found.axes @ axes[: len(found)].T), np.eye(len(found)), atol=1e-7)
    assert_allclose(((A @ found.axes.T) ** 2).sum(axis=0), found.squares, rtol=1e-9)


def test_centred_rows_have_one_direction_less_than_rows():
    assert len(principal(rows(8, 30))) == 7


def test_rows_that_are_all_alike_have_no_component():
    assert len(principal(np.zeros((5, 9)))) == 0


def test_the_largest_number_of_an_axis_is_positive():
    axes = principal(rows(20, 50, seed=3)).axes
    assert (axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)] > 0).all()


@pytest.mark.parametrize("count", [3, 15])
def test_a_few_leading_components_are_the_first_of_all(count):
    A = rows(40, 60)
    few, every = principal(A, count), principal(A)
    assert len(few) == count
    assert_allclose(few.squares, every.squares[:count], rtol=1e-9)
    assert_allclose(few.axes, every.axes[:count], atol=1e-7)


def test_single_precision_stays_single_and_its_rounding_is_left_out():
    A = rows(6, 40).astype(np.float32)
    A[5] = A[0]
    A -= A.mean(axis=0)
    found = principal(A, negligible=SINGLE_PRECISION)
    assert found.axes.dtype == np.float32
    assert len(found) == 4


def test_eigenpairs_solve_their_matrix():
    gram = rows(10, 30) @ rows(10, 30).T
    values, vectors = eigenpairs(gram, 2)
    assert_allclose(gram @ vectors, vectors * values, atol=1e-9)
    assert values[0] > values[1]


@pytest.mark.parametrize(("share", "count"), [(0.3, 1), (0.5, 1), (0.51, 2), (0.8, 2), (1.0, 3)])
def test_how_many_hold_a_share(share, count):
    assert count_for_share(np.array([5.0, 3.0, 2.0]), share) == count


def test_where_nothing_varies_all_are_kept():
    assert count_for_share(np.zeros(3), 0.9) == 3
    assert count_for_share(np.zeros(1), 0.9) == 1
