"""The last resort: no pixel of the region is used, and no black box is left."""

import numpy as np
import pytest

from ksame.render import fill_region
from ksame.render.filling import WIDER

BOX = np.array([110.0, 90.0, 190.0, 190.0])


@pytest.fixture
def scene():
    rng = np.random.default_rng(0)
    rows = np.linspace(60, 200, 300)[:, None, None]
    return np.clip(rows + rng.normal(0, 3, (300, 300, 3)), 0, 255).astype(np.uint8)


def oval(shape):
    y, x = np.ogrid[: shape[0], : shape[1]]
    half = (BOX[2:] - BOX[:2]) / 2 * WIDER
    centre = (BOX[2:] + BOX[:2]) / 2
    return np.hypot((x - centre[0]) / half[0], (y - centre[1]) / half[1]) <= 1


def test_no_pixel_of_the_region_is_used(scene):
    other = scene.copy()
    inside = oval(scene.shape)
    other[inside] = np.random.default_rng(1).integers(0, 256, (int(inside.sum()), 3))
    fill_region(scene, BOX)
    fill_region(other, BOX)
    assert np.array_equal(scene, other)


def test_the_fill_goes_on_with_the_surroundings(scene):
    before = scene.copy()
    scene[oval(scene.shape)] = 0
    fill_region(scene, BOX)
    inside = oval(scene.shape)
    assert np.abs(scene[inside].astype(int) - before[inside]).mean() < 12
    assert scene[inside].std(axis=0).mean() > 3


def test_what_lies_further_off_is_untouched(scene):
    before = scene.copy()
    fill_region(scene, BOX)
    assert np.array_equal(scene[:, :60], before[:, :60])
    assert np.array_equal(scene[240:], before[240:])


@pytest.mark.parametrize("box", [(-50, -50, 20, 20), (290, 290, 400, 400), (0, 0, 300, 300)])
def test_regions_at_the_border_are_filled(scene, box):
    fill_region(scene, np.array(box, float))
    assert scene.shape == (300, 300, 3)


def test_a_photo_that_is_all_region_becomes_grey():
    tiny = np.random.default_rng(0).integers(0, 256, (12, 12, 3)).astype(np.uint8)
    fill_region(tiny, np.array([-20.0, -20, 32, 32]))
    assert np.ptp(tiny.astype(int).mean(axis=2)) < 40
