"""Curves that draw themselves into axes of yours, or into a figure of their own.

Nothing here uses pyplot: a figure that is made is an object, without a window and without global
state. `figure_.savefig(path)` writes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ksame.metrics.cmc import Cmc
from ksame.metrics.roc import Roc
from ksame.metrics.utility import OperatingPoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_MARKS = "osD^vx+*<>ph"


def new_figure(panels: int = 1, wide: float = 1.0) -> tuple[Figure, list[Axes]]:
    """A figure with panels side by side; `wide` stretches them."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.4 * panels * wide, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, [figure.add_subplot(1, panels, i + 1) for i in range(panels)]


def save(figure: Figure, path: Path) -> None:
    """Write a figure, without the name of the program in it."""
    figure.savefig(path, dpi=120, metadata={"Software": None})


def line_style(i: int) -> dict[str, Any]:
    """Marks that tell lines apart without colours."""
    return {"marker": _MARKS[i % len(_MARKS)], "markersize": 3, "linewidth": 1.2}


@dataclass
class _Display:
    """What all displays have: the axes and the figure that they were drawn into."""

    ax_: Axes = field(init=False, repr=False)
    figure_: Figure | SubFigure = field(init=False, repr=False)

    def _axes(self, ax: Axes | None) -> Axes:
        self.ax_ = new_figure()[1][0] if ax is None else ax
        self.figure_ = self.ax_.figure
        return self.ax_


@dataclass
class CMCDisplay(_Display):
    """Match curves: the share of probes whose person is among the first r matches.

    Parameters
    ----------
    curves
        `Cmc` by name.
    k
        Draws the line 1/k that a release promises.
    """

    curves: Mapping[str, Cmc] = field(default_factory=dict, repr=False)
    k: int | None = None

    def plot(self, ax: Axes | None = None, *, title: str = "") -> CMCDisplay:
        """Draw into `ax`, or into a new figure; `ax_` and `figure_` are then set."""
        axes = self._axes(ax)
        for i, (name, found) in enumerate(self.curves.items()):
            axes.plot(range(1, len(found.rates) + 1), found.rates, label=name, **line_style(i))
        if self.k:
            axes.axhline(1 / self.k, color="black", linestyle="--", linewidth=1, label="1/k")
        axes.set(title=title, xlabel="rank", ylabel="share matched by rank", ylim=(0, 1.02))
        axes.set_xscale("log")
        axes.legend(fontsize=7, loc="lower right")
        return self


@dataclass
class ROCDisplay(_Display):
    """Verification: true accepts over false accepts, on a logarithmic axis as usual for faces.

    Parameters
    ----------
    curves
        `Roc` by name.
    """

    curves: Mapping[str, Roc] = field(default_factory=dict, repr=False)

    def plot(self, ax: Axes | None = None, *, title: str = "") -> ROCDisplay:
        """Draw into `ax`, or into a new figure; `ax_` and `figure_` are then set."""
        axes = self._axes(ax)
        lowest = 1.0 / max((found.impostor for found in self.curves.values()), default=1)
        for name, found in self.curves.items():
            label = f"{name} (EER {found.equal_error:.3f})"
            axes.step(found.far, found.tar, where="post", label=label, linewidth=1.2)
        axes.plot([lowest, 1], [lowest, 1], color="black", linestyle="--", linewidth=1)
        axes.set(
            title=title,
            xlabel="false accepts",
            ylabel="true accepts",
            ylim=(0, 1.02),
            xscale="log",
            xlim=(lowest, 1),
        )
        axes.legend(fontsize=7, loc="upper left")
        return self


@dataclass
class PrivacyUtilityDisplay(_Display):
    """The privacy operating characteristic: what is recognised over what is kept, k by k.

    Parameters
    ----------
    points
        Operating points by method; a method's points are joined by a line.
    word
        What a point's number is called: k, or the level of methods that have no k.
    """

    points: Mapping[str, Sequence[OperatingPoint]] = field(default_factory=dict, repr=False)
    word: str = "k"

    def plot(self, ax: Axes | None = None, *, title: str = "") -> PrivacyUtilityDisplay:
        """Draw into `ax`, or into a new figure; `ax_` and `figure_` are then set."""
        axes = self._axes(ax)
        for i, (name, points) in enumerate(self.points.items()):
            kept = [point.utility for point in points]
            rates = [point.recognition.value for point in points]
            axes.plot(kept, rates, label=name, **line_style(i))
            for point in points:
                at = (point.utility, point.recognition.value)
                axes.annotate(
                    f"{self.word}={point.k}",
                    at,
                    fontsize=6,
                    xytext=(3, 3),
                    textcoords="offset points",
                )
        axes.set(title=title, xlabel="utility kept", ylabel="recognised", ylim=(-0.02, 1.02))
        axes.legend(fontsize=7)
        return self
