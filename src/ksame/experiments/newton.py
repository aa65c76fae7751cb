"""N: Table 1 and Figures 14, 15 and 16: ad hoc methods against Eigenfaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ksame.attacks.bench import Alter, BenchRow, Protocol, Universe, run, unaltered
from ksame.experiments.alterations import ad_hoc
from ksame.experiments.outcome import (
    Cells,
    Experiment,
    Outcome,
    Plot,
    Verdict,
    exceeds,
    grid,
    matches,
    told,
)
from ksame.experiments.stills import Stills
from ksame.methods import AD_HOC
from ksame.metrics.tables import Table
from ksame.recognition import Eigenfaces

PROTOCOL = "original and altered versions of the same neutral photos, training = gallery (N 5.2)"
SETS = ("london", "canada", "3dsk")
ATTACKS = ("naive", "reverse", "parrot")
_INNER = (slice(20, 125), slice(14, 85))  # rows and columns of the frame inside hair and background
_BLACK_WHITE = 65  # the threshold of N's black and white techniques (5.3)
_PEOPLE = 200  # N draws so many faces at random for each experiment


def universe_of(stills: Stills) -> Universe:
    """One neutral photo per person, as gallery and as probe."""
    seen: dict[Any, int] = {}
    for i, (person, expression) in enumerate(zip(stills.persons, stills.expression, strict=True)):
        if expression == "neutral":
            seen.setdefault(person, i)
    faces = stills.newton[list(seen.values())]
    return Universe(faces, faces)


def outcome_of(
    rows: Sequence[BenchRow],
    tables: Sequence[Table],
    verdicts: Sequence[Verdict],
    plot: Plot,
    universe: Universe,
) -> Outcome:
    """An outcome by N's protocol."""
    dicts = tuple(row.as_dict() for row in rows)
    count = len(universe)
    return Outcome(dicts, tuple(tables), tuple(verdicts), plot, count, count, PROTOCOL)


def _protocol(universe: Universe, splits: int = 1) -> Protocol:
    people = _PEOPLE if len(universe) > _PEOPLE else None
    return Protocol(training=0.0, splits=splits if people else 1, people=people)


def table1(stills: Stills) -> Outcome:
    """N Table 1 and Figure 14, with all ad hoc methods and the reverse attack."""
    universe = universe_of(stills)
    methods: dict[str, dict[float, Alter]] = {"original": {0.0: unaltered}}
    for name, (_, level) in AD_HOC.items():
        if name != "pixelate":
            methods[name] = {level: ad_hoc(name)}
    for block in (10, 15, 20, 30):
        methods[f"pixelate-{block}"] = {float(block): ad_hoc("pixelate", block)}
    rows = run(universe, methods, [Eigenfaces()], ATTACKS, _protocol(universe, 2))
    inner = Universe(*[faces[:, *_INNER] for faces in (universe.gallery, universe.probe)])
    masks = {f"{name}, inner face": {0.0: _inside(name, universe)} for name in ("bar", "t-mask")}
    rows += run(inner, masks, [Eigenfaces()], ["naive"], _protocol(universe, 2))
    cells = Cells(tuple(rows))
    names = [*methods, *masks]
    table = grid(
        "Rank-1 rates with 95% intervals; the paper's figures beside them",
        "method",
        names,
        ATTACKS,
        lambda method, attack: cells.find(method, attack),
        _TABLE_1,
    )
    alike = [m for m in methods if _overlap(cells, m)]
    verdicts = [
        matches("N Table 1", "bar mask, naive: 2%", 0.02, cells.rate("bar")),
        matches("N Table 1, Figure 14", "T mask, naive: 1%", 0.01, cells.rate("t-mask")),
        matches(
            "N Table 1",
            "pixelation, naive: 99% (block not stated; 15 here)",
            0.99,
            cells.rate("pixelate-15"),
        ),
        Verdict(
            "N 5.3",
            "reverse performs as naive on most methods",
            f"intervals overlap for {len(alike)} of {len(methods)}",
            "agrees" if 2 * len(alike) > len(methods) else "differs",
        ),
    ]
    bars = {a: {m: cells.rate(m, a).value for m in methods} for a in ATTACKS}
    figure14 = {name: cells.curve(name) for name in ("t-mask", "t-mask, inner face")}
    plot14 = Plot({"T mask, naive": figure14}, xlabel="rank", ylabel="share matched by rank")
    found = outcome_of(rows, [table], verdicts, Plot(bars=bars), universe)
    return replace(found, more_plots={"figure14": plot14})


_TABLE_1 = {
    ("original", "naive"): "1.00",
    ("original", "parrot"): "1.00",
    ("bar", "naive"): ".02",
    ("bar", "parrot"): "1.00",
    ("t-mask", "naive"): ".01",
    ("t-mask", "parrot"): "1.00",
    ("blackout", "naive"): ".00",
    ("blackout", "parrot"): ".00",
    **{(f"pixelate-{p}", "naive"): ".99, one of 15, 20, 30" for p in (15, 20, 30)},
    **{(f"pixelate-{p}", "parrot"): "1.00" for p in (15, 20, 30)},
}


def _overlap(cells: Cells, method: str) -> bool:
    naive, reverse = cells.rate(method), cells.rate(method, "reverse")
    return naive.low <= reverse.high and reverse.low <= naive.high


def _inside(name: str, universe: Universe) -> Alter:
    """A mask that was put on the whole frame, seen through the window of the inner face."""
    masked = ad_hoc(name)(universe.gallery, np.arange(len(universe)))[:, *_INNER]
    return lambda faces, people: masked[people]


def threshold(stills: Stills) -> Outcome:
    """N Figure 15: black and white by a threshold, all three attacks."""
    universe = universe_of(stills)
    levels = [5, 25, 45, 65, 85, 100, 118, 120, 135, 155, 175, 200, 225, 250]
    methods = {"threshold": {float(t): ad_hoc("threshold", t) for t in levels}}
    rows = run(universe, methods, [Eigenfaces()], ATTACKS, _protocol(universe))
    cells = Cells(tuple(rows))
    table = grid(
        "Rank-1 rates by threshold",
        "threshold",
        [str(t) for t in levels],
        ATTACKS,
        lambda level, attack: cells.rate("threshold", attack, float(level)),
        {("118", "naive"): ".30", ("120", "reverse"): ".29", ("65", "parrot"): "1.00"},
    )
    ends = {t: cells.rate("threshold", "parrot", t) for t in (5, 250)}
    worst = min(ends, key=lambda t: ends[t].value)
    verdicts = [
        matches("N Figure 15", "naive: 30% at 118", 0.30, cells.rate("threshold", level=118)),
        matches(
            "N Figure 15", "reverse: 29% at 120", 0.29, cells.rate("threshold", "reverse", 120)
        ),
        exceeds("N 5.3", f"parrot above 10% from 5 to 250 (here at {worst})", ends[worst], 0.1),
    ]
    lines = {a: cells.line("threshold", a) for a in ATTACKS}
    plot = Plot(panels={"threshold": lines}, xlabel="threshold")
    return outcome_of(rows, [table], verdicts, plot, universe)


def noise(stills: Stills) -> Outcome:
    """N Figure 16: random noise on the same pixels of every face, grey and black and white.

    Black and white noise flips pixels of black and white images, so that those are the originals,
    divided at the threshold that N states for its black and white techniques.
    """
    universe = universe_of(stills)
    shares = [0.1, 0.25, 0.45, 0.55, 0.68, 0.8, 0.9]
    methods = {name: {s: ad_hoc(name, s) for s in shares} for name in ("noise", "noise-bw")}
    divided = ad_hoc("threshold", _BLACK_WHITE)(universe.gallery, np.arange(len(universe)))
    rows = []
    for name, faces in (("noise", universe.gallery), ("noise-bw", divided)):
        case = Universe(faces, faces)
        rows += run(case, {name: methods[name]}, [Eigenfaces()], ATTACKS, _protocol(universe))
    cells = Cells(tuple(rows))
    tables = [
        grid(
            title,
            "noisy pixels",
            [f"{s:.0%}" for s in shares],
            ATTACKS,
            lambda level, attack, m=method: cells.rate(m, attack, float(level[:-1]) / 100),  # type: ignore[misc]
            paper,
        )
        for method, title, paper in (
            ("noise", "Grey", _FIGURE_16),
            ("noise-bw", "Black and white images", {}),
        )
    ]
    half = cells.rate("noise-bw", level=0.25), cells.rate("noise-bw", level=0.68)
    verdicts = [
        matches("N Figure 16", "naive: 23% at 45%", 0.23, cells.rate("noise", level=0.45)),
        matches("N Figure 16", "naive: 1% at 68%", 0.01, cells.rate("noise", level=0.68)),
        matches("N Figure 16", "reverse: 70% at 68%", 0.70, cells.rate("noise", "reverse", 0.68)),
        Verdict(
            "N 5.3",
            "black and white: recognition falls beyond about half of the pixels",
            f"naive {told(half[0])} at 25%, {told(half[1])} at 68%",
            "agrees" if half[0].low > half[1].high else "differs",
        ),
    ]
    panels = {m: {a: cells.line(m, a) for a in ATTACKS} for m in methods}
    plot = Plot(panels=panels, xlabel="share of noisy pixels")
    return outcome_of(rows, tables, verdicts, plot, universe)


_FIGURE_16 = {("45%", "naive"): ".23", ("68%", "naive"): ".01", ("68%", "reverse"): ".70"}

EXPERIMENTS = (
    Experiment("newton-table1", "N Table 1, Figure 14", "Ad hoc methods", SETS, table1),
    Experiment("newton-threshold", "N Figure 15", "Threshold images", SETS, threshold),
    Experiment("newton-noise", "N Figure 16", "Random noise", SETS, noise),
)
