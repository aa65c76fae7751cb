import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame.composite.blend import multiband, smooth, smoothstep
from ksame.composite.fill import mirror, push_pull


@settings(deadline=None, max_examples=25)
@given(
    height=st.integers(3, 60),
    width=st.integers(3, 60),
    seed=st.integers(0, 9),
    share=st.floats(0.02, 1),
)
def test_fill_stays_between_what_is_known(height: int, width: int, seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    image = rng.uniform(10, 200, (height, width, 2)).astype(np.float32)
    known = rng.random((height, width)) < share
    known[height // 2, width // 2] = True
    filled = push_pull(image, known.astype(np.float32))
    assert filled.shape == image.shape
    assert filled.min() >= image[known].min() - 1e-2
    assert filled.max() <= image[known].max() + 1e-2
    np.testing.assert_allclose(filled[known], image[known], rtol=1e-4)


def test_unknown_pixels_do_not_matter() -> None:
    rng = np.random.default_rng(0)
    image = rng.uniform(0, 255, (40, 50, 3)).astype(np.float32)
    known = np.ones((40, 50), np.float32)
    known[10:30, 15:35] = 0
    other = image.copy()
    other[10:30, 15:35] = 255 - other[10:30, 15:35]
    np.testing.assert_array_equal(push_pull(image, known), push_pull(other, known))


def test_a_mask_of_yes_and_no_is_a_weight_of_one_and_nought() -> None:
    rng = np.random.default_rng(2)
    image = rng.uniform(0, 255, (61, 50, 3)).astype(np.float32)
    known = rng.random((61, 50)) < 0.3
    for finest in (0, 2):
        weighted = push_pull(image, known.astype(np.float32), finest)
        np.testing.assert_array_equal(push_pull(image, known, finest), weighted)


def test_mirror_takes_the_other_side_of_the_nearest_known_pixel() -> None:
    rng = np.random.default_rng(3)
    height, width = 40, 50
    known = rng.random((height, width)) < 0.01
    y, x = np.indices(known.shape, np.float32)
    missing = ~known
    copied = mirror(np.dstack([x, y, x]), known, missing)[missing]
    # nothing is known on the other side of so few: the nearest itself is taken
    assert known[copied[:, 1].astype(int), copied[:, 0].astype(int)].all()
    spots = np.argwhere(known)[:, ::-1]
    here = np.stack([x[missing], y[missing]], axis=1)
    far = np.linalg.norm(here[:, None] - spots, axis=2)
    taken = np.linalg.norm(here - copied[:, :2], axis=1)
    assert (taken <= 2 * 1.1 * far.min(axis=1) + 1e-3).all()


def test_mirror_continues_a_pattern() -> None:
    stripes = np.tile(np.arange(40, dtype=np.float32) % 2, (30, 1))[..., None]
    known = np.ones((30, 40), bool)
    known[:, 30:] = False
    everywhere = np.ones_like(known)
    copied = mirror(np.where(known[..., None], stripes, 9), known, everywhere)
    assert set(np.unique(copied)) <= {0.0, 1.0}
    np.testing.assert_array_equal(copied[:, 30, 0], stripes[:, 28, 0])


def test_mirror_without_anything_to_do() -> None:
    image = np.ones((4, 4, 1), np.float32)
    everywhere, nowhere = np.ones((4, 4), bool), np.zeros((4, 4), bool)
    assert mirror(image, everywhere, everywhere) is image
    assert mirror(image, nowhere, everywhere) is image
    assert mirror(image, everywhere & (np.arange(4) > 1), nowhere) is image


@pytest.mark.parametrize("size", [(64, 64), (61, 47), (9, 8)])
def test_multiband_keeps_either_side(size: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    above, below = (rng.uniform(0, 255, (*size, 3)).astype(np.float32) for _ in range(2))
    np.testing.assert_allclose(multiband(above, below, np.ones(size, np.float32)), above, atol=1e-2)
    np.testing.assert_allclose(
        multiband(above, below, np.zeros(size, np.float32)), below, atol=1e-2
    )


def test_smooth_ignores_what_has_no_weight() -> None:
    image = np.full((60, 60, 3), 80, np.float32)
    image[:, 30:] = 250
    weight = np.zeros((60, 60), np.float32)
    weight[:, :28] = 1
    np.testing.assert_allclose(smooth(image, 12, weight)[:, :28], 80, atol=1)


def test_smoothstep_ends() -> None:
    np.testing.assert_allclose(smoothstep(np.array([-1, 0, 0.5, 1, 2]), 0, 1), [0, 0, 0.5, 1, 1])
