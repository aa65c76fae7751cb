"""How strong a photo's grain is: noise, and not the face's own detail."""

import numpy as np
import pytest

from ksame.render.grain import measure_grain
from ksame.render.numbers import GRAIN_STEP


def skin(side, noise, seed=3):
    rng = np.random.default_rng(seed)
    patch = 150 + rng.normal(0, noise, (side, side, 1)).repeat(3, axis=2)
    return patch.astype(np.float32), np.ones((side, side), np.float32)


@pytest.mark.parametrize("noise", [1.0, 2.0, 3.0])
def test_noise_on_a_large_patch_is_told(noise):
    fine, _, _ = measure_grain(*skin(60, noise))
    assert fine * GRAIN_STEP == pytest.approx(noise, rel=0.35)


def test_what_is_fine_on_a_few_pixels_is_no_noise():
    """Of a face of 50 px a cheek has ten: its detail, enlarged to grain, would be a rash."""
    few, more, many = (measure_grain(*skin(side, 4.0))[0] for side in (10, 18, 40))
    assert few * GRAIN_STEP <= 1.2
    assert few < more < many


def test_a_calm_patch_has_none():
    assert measure_grain(*skin(60, 0.0)) == (0, 0, 0)
