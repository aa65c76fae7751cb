"""The report's two plots, as PNG data URLs; the same figures always give the same bytes."""

import base64
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

_INK, _BAR, _LINE = "#1c2430", "#3b6ea5", "#a3341f"


def draw_sizes(people: Sequence[int], k: int) -> str:
    """How many groups have how many people, against k."""
    figure, axes = _figure()
    counts = Counter(people)
    sizes = list(range(min(k, *counts), max(2 * k - 1, *counts) + 1))
    axes.bar(sizes, [counts[size] for size in sizes], color=_BAR, width=0.7)
    axes.axvline(k - 0.5, color=_LINE, linestyle="--", linewidth=1.2, label=f"k = {k}")
    axes.set_xlabel("people who share a face")
    axes.set_ylabel("groups")
    axes.set_xticks(sizes if len(sizes) < 25 else sizes[:: len(sizes) // 12])
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.legend(frameon=False)
    return _as_url(figure)


def draw_cmc(attacks: Sequence[Mapping[str, Any]], k: int) -> str:
    """Cumulative match curves of the recognisers against the 1/k line."""
    figure, axes = _figure()
    for attack in attacks:
        rates = attack["cmc"][:50]
        axes.plot(range(1, len(rates) + 1), rates, label=attack["recogniser"], linewidth=1.6)
    axes.axhline(1 / k, color=_LINE, linestyle="--", linewidth=1.2, label=f"1/k = {1 / k:.2f}")
    axes.set_ylim(0, 1)
    axes.set_xlim(left=1)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_xlabel("rank r")
    axes.set_ylabel("person among the first r matches")
    axes.legend(frameon=False)
    return _as_url(figure)


def _figure() -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 2.7), dpi=110, layout="constrained")
    axes = figure.subplots()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.tick_params(colors=_INK)
    return figure, axes


def _as_url(figure: Any) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
