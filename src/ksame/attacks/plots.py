"""Plots of attacks as files: match curves against the line 1/k, and rates against a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ksame.attacks.release import AttackResult
from ksame.metrics.displays import CMCDisplay, ROCDisplay, line_style, new_figure, save

Series = Mapping[str, tuple[Sequence[float], Sequence[float]]]


def plot_attack(result: AttackResult, path: Path) -> None:
    """Match curves of every attack, one panel per recogniser."""
    names = list(dict.fromkeys(row.recogniser for row in result.rows))
    figure, axes = new_figure(len(names))
    for axis, name in zip(axes, names, strict=True):
        curves = {row.attack: row.cmc for row in result.rows if row.recogniser == name}
        CMCDisplay(curves, result.k).plot(axis, title=name)
    save(figure, path)


def plot_verification(result: AttackResult, path: Path) -> None:
    """ROC of every attack that has one, one panel per recogniser."""
    names = list(dict.fromkeys(row.recogniser for row in result.rows))
    figure, axes = new_figure(len(names))
    for axis, name in zip(axes, names, strict=True):
        rows = [row for row in (*result.baseline, *result.rows) if row.recogniser == name]
        curves = {row.attack: row.roc for row in rows if row.roc is not None}
        ROCDisplay(curves).plot(axis, title=name)
    save(figure, path)


def plot_lines(
    path: Path,
    panels: Mapping[str, Series],
    xlabel: str,
    ylabel: str,
    bound: tuple[Sequence[float], Sequence[float]] | None = None,
) -> None:
    """Lines over a level, a panel for each group of them, in the form of the papers' figures."""
    figure, axes = new_figure(len(panels))
    for axis, (title, series) in zip(axes, panels.items(), strict=True):
        for i, (name, (x, y)) in enumerate(series.items()):
            axis.plot(x, y, label=name, **line_style(i))
        if bound is not None:
            axis.plot(*bound, "k--", linewidth=1, label="1/k")
        axis.set(title=title, xlabel=xlabel, ylabel=ylabel, ylim=(-0.02, 1.02))
        axis.legend(fontsize=7)
    save(figure, path)


def plot_bars(path: Path, series: Mapping[str, Mapping[str, float]], ylabel: str) -> None:
    """Bars for named cases, one colour per series, in the form of a table of rates."""
    figure, (axis,) = new_figure(1, wide=1.8)
    names = list(dict.fromkeys(name for values in series.values() for name in values))
    width = 0.8 / max(len(series), 1)
    for i, (label, values) in enumerate(series.items()):
        at = [j + (i - (len(series) - 1) / 2) * width for j in range(len(names))]
        axis.bar(at, [values.get(name, 0.0) for name in names], width, label=label)
    axis.set_xticks(range(len(names)), names, rotation=60, ha="right", fontsize=7)
    axis.set(ylabel=ylabel, ylim=(0, 1.02))
    axis.legend(fontsize=7)
    save(figure, path)
