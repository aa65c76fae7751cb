"""What an experiment found, beside what the paper found.

An experiment reports figures with intervals. It passes a verdict only on statements that could have
come out otherwise, by four rules that are the same for all experiments; what follows from a theorem
is left to the property tests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from ksame.attacks.bench import BenchRow
from ksame.attacks.plots import plot_bars, plot_lines
from ksame.errors import InputError
from ksame.metrics.intervals import Rate
from ksame.metrics.tables import Table, interval, share

Line = tuple[Sequence[float], Sequence[float]]
Judged = Literal["agrees", "differs", "open"]

ROOM = 0.05  # other people, other photos: how far a figure may lie outside of an interval


@dataclass(frozen=True)
class Verdict:
    """A statement of a paper and what these faces say about it.

    "open" is neither: the intervals do not decide.
    """

    source: str
    says: str
    ours: str
    verdict: Judged


def matches(source: str, says: str, paper: float, ours: Rate) -> Verdict:
    """The paper's figure lies in our 95% interval, or within `ROOM` of it."""
    fits = ours.low - ROOM <= paper <= ours.high + ROOM
    return Verdict(source, says, told(ours), "agrees" if fits else "differs")


def orders(source: str, says: str, larger: Rate, smaller: Rate) -> Verdict:
    """One rate is above the other: decided where the intervals do not overlap."""
    found: Judged = "open"
    if larger.low > smaller.high:
        found = "agrees"
    elif larger.high < smaller.low:
        found = "differs"
    return Verdict(source, says, f"{told(larger)} against {told(smaller)}", found)


def exceeds(source: str, says: str, ours: Rate, limit: float) -> Verdict:
    """A rate is above a figure: decided where the interval does not hold the figure."""
    found: Judged = "open"
    if ours.low > limit:
        found = "agrees"
    elif ours.high < limit:
        found = "differs"
    return Verdict(source, says, told(ours), found)


def stays(source: str, says: str, before: Rate, after: Rate) -> Verdict:
    """A rate stays as it was: contradicted where the intervals do not overlap."""
    apart = after.high < before.low or after.low > before.high
    return Verdict(
        source, says, f"{told(after)}; before {told(before)}", "differs" if apart else "agrees"
    )


def told(found: Rate) -> str:
    """A rate with its interval: `.573 (.49-.65)`."""
    return f"{share(found.value)} ({interval(found)})"


def grid(
    title: str,
    corner: str,
    rows: Sequence[str],
    columns: Sequence[str],
    cell: Callable[[str, str], Rate | str | None],
    paper: Mapping[tuple[str, str], str] | None = None,
) -> Table:
    """A table of rates with intervals (text stays); where the paper has figures, these beside."""
    given = paper or {}
    shown = [c for c in columns if any((row, c) in given for row in rows)]
    head = [name for c in columns for name in ([c, f"{c}: paper"] if c in shown else [c])]
    body = []
    for row in rows:
        cells = [row]
        for column in columns:
            found = cell(row, column)
            cells.append(told(found) if isinstance(found, Rate) else found or "")
            if column in shown:
                cells.append(given.get((row, column), ""))
        body.append(tuple(cells))
    return Table((corner, *head), tuple(body), title)


@dataclass(frozen=True)
class Cells:
    """The rows of a bench, looked up by what they are."""

    rows: tuple[BenchRow, ...] = field(repr=False)

    def rate(
        self,
        method: str,
        attack: str = "naive",
        level: float | None = None,
        recogniser: str | None = None,
    ) -> Rate:
        """The rank-1 rate of one cell."""
        found = self.find(method, attack, level, recogniser)
        if found is None:
            raise InputError(f"{method} {level} was not attacked by {attack}.")
        return found

    def find(
        self,
        method: str,
        attack: str = "naive",
        level: float | None = None,
        recogniser: str | None = None,
    ) -> Rate | None:
        """The rank-1 rate of one cell, or None where it was not measured."""
        for row in self.rows:
            if (
                (row.method, row.attack) == (method, attack)
                and level in (None, row.level)
                and recogniser in (None, row.recogniser)
            ):
                return row.cmc.rank1
        return None

    def curve(self, method: str, attack: str = "naive", ranks: int = 50) -> Line:
        """The first ranks of a match curve."""
        found = [r for r in self.rows if (r.method, r.attack) == (method, attack)]
        rates = [float(rate) for rate in found[0].cmc.rates[:ranks]] if found else []
        return list(range(1, len(rates) + 1)), rates

    def line(self, method: str, attack: str = "naive", recogniser: str | None = None) -> Line:
        """Rank-1 over the levels of a method."""
        found = [
            (row.level, row.cmc.rank1.value)
            for row in self.rows
            if (row.method, row.attack) == (method, attack) and recogniser in (None, row.recogniser)
        ]
        return [level for level, _ in found], [value for _, value in found]


@dataclass(frozen=True)
class Plot:
    """Lines over a level, by panel, or bars by case, in the form of the paper's figure."""

    panels: Mapping[str, Mapping[str, Line]] = field(default_factory=dict)
    bars: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    xlabel: str = ""
    ylabel: str = "rank-1 recognition rate"
    bound: Line | None = None

    def draw(self, path: Path) -> None:
        """Draw as a PNG."""
        if self.bars:
            plot_bars(path, self.bars, self.ylabel)
        else:
            plot_lines(path, self.panels, self.xlabel, self.ylabel, self.bound)


@dataclass(frozen=True)
class Outcome:
    """The figures, tables, verdicts and plot of one experiment."""

    rows: tuple[dict[str, Any], ...] = field(repr=False)
    tables: tuple[Table, ...]
    verdicts: tuple[Verdict, ...]
    plot: Plot = field(repr=False)
    people: int
    faces: int
    protocol: str
    more_plots: Mapping[str, Plot] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper that can be run again."""

    name: str
    source: str
    title: str
    data: tuple[str, ...]
    run: Callable[[Any], Outcome] = field(repr=False)
    hand_marked: bool = False


def write_outcome(experiment: Experiment, outcome: Outcome, out: Path, extra: Any) -> Path:
    """Write `results.json`, the tables as CSV and LaTeX and plots; returns the results' path."""
    out.mkdir(parents=True, exist_ok=True)
    found = {
        "experiment": experiment.name,
        "source": experiment.source,
        "title": experiment.title,
        "people": outcome.people,
        "faces": outcome.faces,
        "protocol": outcome.protocol,
        "verdicts": [asdict(verdict) for verdict in outcome.verdicts],
        "tables": [asdict(table) for table in outcome.tables],
        "results": list(outcome.rows),
        **extra,
    }
    path = out / "results.json"
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for number, table in enumerate(outcome.tables, start=1):
        (out / f"table{number}.csv").write_text(table.csv(), encoding="utf-8")
        (out / f"table{number}.tex").write_text(table.latex(), encoding="utf-8")
    outcome.plot.draw(out / "plot.png")
    for name, plot in outcome.more_plots.items():
        plot.draw(out / f"{name}.png")
    return path
