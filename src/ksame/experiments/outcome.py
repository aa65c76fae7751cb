"""What an experiment found, beside what the paper found or claims."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ksame.attacks.plots import plot_bars, plot_lines

Line = tuple[Sequence[float], Sequence[float]]


@dataclass(frozen=True)
class Claim:
    """A statement of a paper and whether these faces agree with it.

    `why` gives the evidence where they do not, and may add to it where they do.
    """

    paper: str
    says: str
    ours: str
    agrees: bool
    why: str = ""


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
    """The figures, the claims and the plot of one experiment."""

    rows: tuple[dict[str, Any], ...]
    claims: tuple[Claim, ...]
    plot: Plot
    people: int
    faces: int
    protocol: str

    @property
    def agrees(self) -> bool:
        """Whether all claims hold on these faces."""
        return all(claim.agrees for claim in self.claims)


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper that can be run again."""

    name: str
    source: str
    title: str
    data: str
    run: Callable[[Any], Outcome] = field(repr=False)


def write_outcome(experiment: Experiment, outcome: Outcome, out: Path, extra: Any) -> Path:
    """Write `results.json` and a plot into a folder; returns the path of the results."""
    out.mkdir(parents=True, exist_ok=True)
    found = {
        "experiment": experiment.name,
        "source": experiment.source,
        "title": experiment.title,
        "people": outcome.people,
        "faces": outcome.faces,
        "protocol": outcome.protocol,
        "agrees": outcome.agrees,
        "claims": [asdict(claim) for claim in outcome.claims],
        "results": list(outcome.rows),
        **extra,
    }
    path = out / "results.json"
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    outcome.plot.draw(out / "plot.png")
    return path
