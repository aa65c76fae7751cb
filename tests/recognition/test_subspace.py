"""Leading eigenpairs against LAPACK in double precision, on spectra that are hard in some way."""

import numpy as np
import pytest

from ksame.recognition import subspace
from ksame.recognition.subspace import leading_eigenpairs

SIZE, COUNT = 1000, 100
OVER_ROWS, OVER_GRAM = 580, 1000  # pixels with which the matrix is not, and is, made
i = np.arange(1.0, SIZE + 1)
SPECTRA = {
    "like faces": i**-1.3,
    "slow": i**-0.5,
    "flat": 2.0 - i / SIZE,
    "all equal": np.ones(SIZE),
    "fast": np.exp(-i / 10),
    "faster than rounding": np.exp(-i / 3),
    "one giant": np.r_[1e5, i[1:] ** -1.0],
    "rank below count": i[:70] ** -1.0,
    "rank below block": i[:30] ** -0.5,
    "equal, then nothing": np.ones(90),
    "more equal than a block, on top": np.r_[np.full(90, 10.0), i[90:] ** -1.0],
    "more equal than a block, amid": np.r_[
        np.full(10, 50.0), np.full(80, 1.5), (i[90:] / 90) ** -1.0
    ],
    "close together": np.r_[
        np.full(10, 50.0), 1.1 + 1e-4 * np.linspace(1, 0, 80), (i[90:] / 90) ** -1.0
    ],
    "two levels": np.r_[np.full(90, 100.0), np.ones(SIZE - 90)],
}


@pytest.fixture(scope="module")
def turns():
    rng = np.random.default_rng(1)
    return {
        size: np.linalg.qr(rng.standard_normal((size, size)))[0]
        for size in {SIZE, OVER_ROWS, OVER_GRAM}
    }


def with_spectrum(turns, spectrum, pixels, dtype):
    """Rows whose inner products have these eigenvalues, as many as there are pixels."""
    rank = min(len(spectrum), pixels)
    rows = (turns[SIZE][:, :rank] * np.sqrt(spectrum[:rank])) @ turns[pixels][:, :rank].T
    return rows.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("pixels", [OVER_ROWS, OVER_GRAM])
@pytest.mark.parametrize("name", SPECTRA)
def test_equals_lapack(turns, name, pixels, dtype):
    rows = with_spectrum(turns, SPECTRA[name], pixels, dtype)
    values, mix, images = leading_eigenpairs(rows, COUNT)
    exact = rows.astype(np.float64)
    truth = np.linalg.eigvalsh(exact @ exact.T)[: -COUNT - 1 : -1]
    rounding = 10 * np.finfo(dtype).eps * truth[0]
    np.testing.assert_allclose(values, truth, rtol=1e-7, atol=rounding)
    real = truth > 1e3 * rounding
    directions = (mix[:, real] / np.sqrt(values[real])).T @ images
    directions = directions.astype(np.float64)
    np.testing.assert_allclose(directions @ directions.T, np.eye(real.sum()), atol=1e-3)
    turned = directions @ exact.T
    np.testing.assert_allclose(np.sum(turned**2), np.sum(truth[real]), rtol=1e-6)
    residual = np.linalg.norm(turned @ exact - directions * truth[real, None], axis=1)
    # Rounding error of a snapshot vector grows on its way to the pixels, as with LAPACK's.
    grown = rounding * np.sqrt(truth[0] / truth[real])
    assert np.all(residual <= 2e-4 * truth[real] + grown)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("pixels", [OVER_ROWS, OVER_GRAM])
@pytest.mark.parametrize("name", ["like faces", "fast", "rank below count", "rank below block"])
def test_decaying_spectra_do_without_lapack(turns, name, pixels, dtype, monkeypatch):
    monkeypatch.setattr(subspace, "_by_lapack", None)
    rows = with_spectrum(turns, SPECTRA[name], pixels, dtype)
    _, _, images = leading_eigenpairs(rows, COUNT)
    assert (images is rows) == (pixels == OVER_GRAM)


def test_what_a_block_cannot_see_is_noticed(turns, monkeypatch):
    rows = with_spectrum(turns, SPECTRA["more equal than a block, amid"], OVER_ROWS, np.float64)
    monkeypatch.setattr(subspace, "_missed", lambda *_: 0.0)
    blind = leading_eigenpairs(rows, COUNT)[0]
    monkeypatch.undo()
    assert blind[80] < 1.4
    np.testing.assert_allclose(leading_eigenpairs(rows, COUNT)[0][10:90], 1.5)


def test_tolerance_is_met(turns):
    rows = with_spectrum(turns, SPECTRA["like faces"], OVER_ROWS, np.float64)
    values, mix, images = leading_eigenpairs(rows, COUNT, tolerance=1e-10)
    vectors = mix.T @ images
    residual = np.linalg.norm(vectors @ rows.T @ rows - vectors * values[:, None], axis=1)
    assert np.all(residual <= 2e-10 * values * np.sqrt(values))


def test_depends_on_no_random_state(turns):
    rows = with_spectrum(turns, SPECTRA["like faces"], OVER_ROWS, np.float32)
    first = leading_eigenpairs(rows, COUNT)
    np.random.seed(7)  # noqa: NPY002  what a caller may do
    for a, b in zip(first, leading_eigenpairs(rows, COUNT), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("count", [1, 20, 59, 60, 80])
def test_small_matrices_are_exact(count):
    rows = np.random.default_rng(3).standard_normal((60, 200))
    values, mix, images = leading_eigenpairs(rows, count)
    truth = np.linalg.svd(rows, compute_uv=False)[:count] ** 2
    np.testing.assert_allclose(values, truth)
    np.testing.assert_allclose(np.linalg.norm(mix.T @ images, axis=1) ** 2, truth)
