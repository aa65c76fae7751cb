"""Medians, and arrays that nobody changes."""

import numpy as np
import pytest

from ksame.arrays import frozen, medians, percentile, percentiles, quantile


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1,), (2,), (7,), (5, 4), (3, 101), (2, 3, 256)])
def test_medians_are_numpys(kind, shape):
    rows = np.random.default_rng(0).normal(size=shape).astype(kind)
    found = medians(rows)
    assert found.dtype == kind
    np.testing.assert_array_equal(found, np.median(rows, axis=-1))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 2, 3, 10, 101, 1000])
def test_percentiles_are_numpys(kind, size):
    row = np.random.default_rng(size).normal(size=size).astype(kind)
    for at in (0, 1, 25, 30.0, 50, 75, 94, 99, 100):
        found = percentile(row, at)
        assert found.dtype == kind
        assert found == np.percentile(row, at)
        assert quantile(row, at / 100) == np.quantile(row, at / 100)
    several = [0, 5, 25, 50, 90, 99, 100]
    found = percentiles(row, several)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, np.percentile(row, several))


def test_a_frozen_copy_stays_as_it_is():
    values = np.arange(3)
    kept = frozen(values)
    values[0] = 9
    assert kept[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 9
