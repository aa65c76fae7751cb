"""The report's two plots, as data URLs; the same figures always give the same bytes.

They are drawn by hand: Matplotlib takes longer to load than many a release takes to write its
photos.
"""

import base64
from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_WIDTH = 792  # pixels
_INK, _BAR, _LINE = "#1c2430", "#3b6ea5", "#a3341f"
_CURVES = ("#3b6ea5", "#c77f1b", "#3d8055", "#7a559c")  # one recogniser's each, then again
_RANKS = 50  # that a curve shows


def draw_sizes(people: Sequence[int], k: int) -> str:
    """How many groups have how many people, against k."""
    counts = Counter(people)
    sizes = range(min(k, *counts), max(2 * k - 1, *counts) + 1)
    left, top, bottom = 60, 44, 220
    step, high = (_WIDTH - left - 20) / len(sizes), max(counts.values())
    labelled = max(len(sizes) // 12, 1)
    parts = [
        f'<text x="{left}" y="12" fill="{_INK}">groups</text>',
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
    return _as_url(parts)


def draw_cmc(attacks: Sequence[Mapping[str, Any]], k: int) -> str:
    """Cumulative match curves of the recognisers against the 1/k line."""
    curves = [(attack["recogniser"], attack["cmc"][:_RANKS]) for attack in attacks]
    ranks = max(len(rates) for _, rates in curves)
    left, right, top, bottom = 60, _WIDTH - 110, 24, 220

    def place(rank: float, share: float) -> str:
        x = left + (right - left) * (rank - 1) / max(ranks - 1, 1)
        return f"{x:.1f} {bottom - (bottom - top) * share:.1f}"

    parts = [
        f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="{_INK}"/>',
        f'<text x="{left}" y="14" fill="{_INK}">person among the first r matches</text>',
        _text((left + right) / 2, bottom + 42, "rank r"),
    ]
    for tenths in range(0, 11, 2):
        y = bottom - (bottom - top) * tenths / 10
        at = f'x="{left - 8}" y="{y + 5:.1f}" text-anchor="end"'
        parts.append(f'<text {at} fill="{_INK}">{tenths / 10:.1f}</text>')
    for rank in range(1, ranks + 1, max(ranks // 10, 1)):
        parts.append(_text(float(place(rank, 0).split()[0]), bottom + 20, str(rank)))
    bound = f'M{place(1, 1 / k)}H{right}" stroke="{_LINE}" stroke-dasharray="6 4"'
    parts.append(f'<path d="{bound} stroke-width="1.5"/>')
    named = [(f"1/k = {1 / k:.2f}", _LINE)]
    for number, (name, rates) in enumerate(curves):
        colour = _CURVES[number % len(_CURVES)]
        line = "L".join(place(rank, rate) for rank, rate in enumerate(rates, 1))
        parts.append(f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        named.append((escape(name), colour))
    for number, (name, colour) in enumerate(named):
        at = f'x="{right + 8}" y="{top + 18 * (number + 1)}"'
        parts.append(f'<text {at} fill="{colour}">{name}</text>')
    return _as_url(parts)


def _text(x: float, y: float, words: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle" fill="{_INK}">{words}</text>'


def _as_url(parts: Sequence[str]) -> str:
    """The parts as one picture of a height that both plots have."""
    frame = f'viewBox="0 0 {_WIDTH} 270" width="{_WIDTH}" height="270"'
    font = 'font-family="system-ui, sans-serif" font-size="14"'
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" {frame} {font}>{"".join(parts)}</svg>'
    return "data:image/svg+xml;base64," + base64.b64encode(picture.encode()).decode()
