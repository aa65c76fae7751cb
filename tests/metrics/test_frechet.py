"""The Frechet distance of features, against the textbook's formula."""

import numpy as np
import pytest
from scipy.linalg import sqrtm

from ksame.errors import InputError
from ksame.metrics.frechet import frechet_distance


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_formula_with_a_matrix_root(seed):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(80, 6)) @ rng.normal(size=(6, 6))
    b = 1.5 + rng.normal(size=(60, 6)) @ rng.normal(size=(6, 6))
    c, d = np.cov(a, rowvar=False), np.cov(b, rowvar=False)
    gap = ((a.mean(axis=0) - b.mean(axis=0)) ** 2).sum()
    expected = gap + np.trace(c + d - 2 * np.real(sqrtm(c @ d)))
    assert frechet_distance(a, b) == pytest.approx(expected, rel=1e-6)
    assert frechet_distance(b, a) == pytest.approx(frechet_distance(a, b))


def test_equal_sets_have_none_and_fewer_rows_than_features_do_not_break_it():
    rows = np.random.default_rng(0).normal(size=(5, 40))
    assert frechet_distance(rows, rows[::-1]) == pytest.approx(0, abs=1e-9)
    assert frechet_distance(rows, rows + 2.0) == pytest.approx(4 * 40)


def test_a_population_that_collapsed_to_one_face_is_seen():
    rows = np.random.default_rng(0).normal(size=(50, 8))
    mean = np.repeat(rows.mean(axis=0)[None], 50, axis=0)
    spread = float(np.cov(rows, rowvar=False).trace())
    assert frechet_distance(rows, mean) == pytest.approx(spread)


def test_wrong_shapes():
    with pytest.raises(InputError, match="two rows or more"):
        frechet_distance(np.zeros((1, 3)), np.zeros((4, 3)))
    with pytest.raises(InputError, match="of equal length"):
        frechet_distance(np.zeros((4, 2)), np.zeros((4, 3)))
