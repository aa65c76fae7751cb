"""Quick ways of measuring say what the plain ways say."""

import numpy as np
import pytest

from ksame.render.grain import _TILE, _tile, _window
from ksame.render.measure import _off_curve, colour_of


@pytest.mark.parametrize("shape", [(40, 60), (_TILE, _TILE), (_TILE + 9, 20), (3, 2 * _TILE + 1)])
@pytest.mark.parametrize("start", [(0, 0), (500, 3), (_TILE - 1, _TILE - 1)])
def test_a_window_is_the_tile_gone_on_at_its_edges(shape, start):
    rows, columns = (start[i] + np.arange(shape[i]) for i in range(2))
    wanted = _tile(1)[np.ix_(rows % _TILE, columns % _TILE)]
    np.testing.assert_array_equal(_window(1, start, shape), wanted)


@pytest.mark.parametrize("spread", [0, 3, 30])
def test_pixels_lie_as_far_off_the_curve_as_a_fit_of_all_of_them_says(spread):
    rng = np.random.default_rng(spread)
    green = rng.integers(20, 230, 4000).astype(np.uint8)
    bent = 0.002 * green.astype(np.float64) ** 2 + 0.3 * green + rng.normal(0, spread, green.size)
    channel = np.clip(np.round(bent), 0, 255).astype(np.uint8)
    curve = np.polynomial.Polynomial.fit(green.astype(float), channel.astype(float), 2)
    wanted = np.std(channel - curve(green.astype(float)))
    assert _off_curve(channel, green) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize(
    ("tint", "noise", "told"),
    [(0, 0, "grey"), (0, 0.5, "grey"), (0.2, 1, "toned"), (0, 25, "colour")],
)
def test_grey_toned_and_coloured_photos_are_told_apart(tint, noise, told):
    rng = np.random.default_rng(0)
    grey = rng.integers(30, 200, (60, 50)).astype(np.float64)
    channels = [grey * (1 + tint), grey, grey * (1 - tint)]
    view = np.stack([c + rng.normal(0, noise, grey.shape) for c in channels], axis=2)
    assert colour_of(np.clip(np.round(view), 0, 255).astype(np.uint8)) == told


def test_a_flat_view_is_grey():
    assert colour_of(np.full((20, 20, 3), 77, np.uint8)) == "grey"
