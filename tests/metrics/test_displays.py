"""Displays draw into axes of ours, or make a figure of their own."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from ksame.metrics.cmc import cmc
from ksame.metrics.displays import CMCDisplay, PrivacyUtilityDisplay, ROCDisplay
from ksame.metrics.intervals import rate
from ksame.metrics.roc import roc
from ksame.metrics.utility import OperatingPoint

DISTANCES = np.random.default_rng(0).random((10, 10))
CURVES = {"naive": cmc(DISTANCES, np.arange(10), np.arange(10))}
ROCS = {"naive": roc([0.1, 0.4], [0.3, 0.5, 0.9])}
POINTS = {"closest": [OperatingPoint(k, 1 / k, rate(1, 10 * k), 0.9, 3.0) for k in (2, 5)]}


@pytest.mark.parametrize(
    "display",
    [CMCDisplay(CURVES, 5), ROCDisplay(ROCS), PrivacyUtilityDisplay(POINTS)],
    ids=lambda display: type(display).__name__,
)
def test_displays_draw_into_given_axes(display, tmp_path):
    figure = Figure()
    left, right = figure.subplots(1, 2)
    drawn = display.plot(right, title="attack")
    assert drawn is display
    assert drawn.ax_ is right
    assert drawn.figure_ is figure
    assert right.get_title() == "attack"
    assert right.get_legend() is not None
    assert not left.has_data()
    own = display.plot()
    assert own.ax_ is not right
    own.figure_.savefig(tmp_path / "own.png")
    assert (tmp_path / "own.png").stat().st_size > 3000


def test_the_promise_is_a_line_in_the_match_curve():
    axes = CMCDisplay(CURVES, 5).plot().ax_
    assert [line.get_label() for line in axes.get_lines()] == ["naive", "1/k"]
    assert axes.get_lines()[1].get_ydata()[0] == 0.2
    assert len(CMCDisplay(CURVES).plot().ax_.get_lines()) == 1
