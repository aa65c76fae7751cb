"""The report's two plots, as data URLs; the same figures always give the same bytes.

Every report has the first; it is drawn by hand, for Matplotlib takes longer to load than many a
release takes to write its photos.
"""

import base64
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

_WIDTH = 792  # pixels
_INK, _BAR, _LINE = "#1c2430", "#3b6ea5", "#a3341f"


def draw_sizes(people: Sequence[int], k: int) -> str:
    """How many groups have how many people, against k."""
    counts = Counter(people)
    sizes = range(min(k, *counts), max(2 * k - 1, *counts) + 1)
    left, top, bottom = 60, 30, 220
    step, high = (_WIDTH - left - 20) / len(sizes), max(counts.values())
    labelled = max(len(sizes) // 12, 1)
    parts = [
        f'<text x="{left}" y="18" fill="{_INK}">groups</text>',
        f'<path d="M{left} {top}V{bottom}H{_WIDTH - 20}" fill="none" stroke="{_INK}"/>',
        f'<text x="{left - 8}" y="{top + 5}" text-anchor="end" fill="{_INK}">{high}</text>',
        f'<text x="{left - 8}" y="{bottom}" text-anchor="end" fill="{_INK}">0</text>',
        _text(left + (_WIDTH - left - 20) / 2, bottom + 42, "people who share a face"),
    ]
    for number, size in enumerate(sizes):
        x, tall = left + number * step, (bottom - top) * counts[size] / high
        bar = f'x="{x + 0.15 * step:.1f}" y="{bottom - tall:.1f}" width="{0.7 * step:.1f}"'
        parts.append(f'<rect {bar} height="{tall:.1f}" fill="{_BAR}"/>')
        if number % labelled == 0:
            parts.append(_text(x + step / 2, bottom + 20, str(size)))
    line = left + (k - sizes[0]) * step
    dashes = f'stroke="{_LINE}" stroke-width="1.5" stroke-dasharray="6 4"'
    parts.append(f'<path d="M{line:.1f} {top - 6}V{bottom}" {dashes}/>')
    parts.append(f'<text x="{line + 6:.1f}" y="{top - 8}" fill="{_LINE}">k = {k}</text>')
    frame = f'viewBox="0 0 {_WIDTH} 270" width="{_WIDTH}" height="270"'
    font = 'font-family="system-ui, sans-serif" font-size="14"'
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" {frame} {font}>{"".join(parts)}</svg>'
    return "data:image/svg+xml;base64," + base64.b64encode(picture.encode()).decode()


def _text(x: float, y: float, words: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" fill="{_INK}">{words}</text>'


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
