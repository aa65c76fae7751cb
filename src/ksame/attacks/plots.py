"""Plots of attacks: CMC curves against the line 1/k, and rates against a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ksame.attacks.release import AttackResult

Series = Mapping[str, tuple[Sequence[float], Sequence[float]]]
_MARKS = "osD^vx+*<>ph"


def plot_attack(result: AttackResult, path: Path) -> None:
    """CMC curves of every attack, one panel per recogniser, as a PNG."""
    names = list(dict.fromkeys(row.recogniser for row in result.rows))
    figure, axes = _figure(len(names))
    for axis, name in zip(axes, names, strict=True):
        for i, row in enumerate(r for r in result.rows if r.recogniser == name):
            rates = row.cmc.rates
            axis.plot(range(1, len(rates) + 1), rates, label=row.attack, **_style(i))
        if result.k:
            axis.axhline(1 / result.k, color="black", linestyle="--", linewidth=1, label="1/k")
        axis.set(title=name, xlabel="rank", ylabel="share matched by rank", ylim=(0, 1.02))
        axis.set_xscale("log")
        axis.legend(fontsize=7, loc="lower right")
    _save(figure, path)


def plot_lines(
    path: Path,
    panels: Mapping[str, Series],
    xlabel: str,
    ylabel: str,
    bound: tuple[Sequence[float], Sequence[float]] | None = None,
) -> None:
    """Lines over a level, a panel for each group of them, in the form of the papers' figures."""
    figure, axes = _figure(len(panels))
    for axis, (title, series) in zip(axes, panels.items(), strict=True):
        for i, (name, (x, y)) in enumerate(series.items()):
            axis.plot(x, y, label=name, **_style(i))
        if bound is not None:
            axis.plot(*bound, "k--", linewidth=1, label="1/k")
        axis.set(title=title, xlabel=xlabel, ylabel=ylabel, ylim=(-0.02, 1.02))
        axis.legend(fontsize=7)
    _save(figure, path)


def plot_bars(path: Path, series: Mapping[str, Mapping[str, float]], ylabel: str) -> None:
    """Bars for named cases, one colour per series, in the form of a table of rates."""
    figure, (axis,) = _figure(1, wide=1.8)
    names = list(dict.fromkeys(name for values in series.values() for name in values))
    width = 0.8 / max(len(series), 1)
    for i, (label, values) in enumerate(series.items()):
        at = [j + (i - (len(series) - 1) / 2) * width for j in range(len(names))]
        axis.bar(at, [values.get(name, 0.0) for name in names], width, label=label)
    axis.set_xticks(range(len(names)), names, rotation=60, ha="right", fontsize=7)
    axis.set(ylabel=ylabel, ylim=(0, 1.02))
    axis.legend(fontsize=7)
    _save(figure, path)


def _figure(panels: int, wide: float = 1.0) -> tuple[Any, list[Any]]:
    # The object interface, not pyplot: no global state and no window system.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.4 * panels * wide, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, [figure.add_subplot(1, panels, i + 1) for i in range(panels)]


def _style(i: int) -> dict[str, Any]:
    return {"marker": _MARKS[i % len(_MARKS)], "markersize": 3, "linewidth": 1.2}


def _save(figure: Any, path: Path) -> None:
    figure.savefig(path, dpi=120, metadata={"Software": None})
