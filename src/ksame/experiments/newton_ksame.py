"""N: Figure 18: k-Same-Pixel and k-Same-Eigen against Eigenfaces, over 20 runs."""

from __future__ import annotations

import numpy as np

from ksame.attacks.bench import Alter, Protocol, run
from ksame.experiments.alterations import k_same
from ksame.experiments.newton import SETS, outcome_of, universe_of
from ksame.experiments.outcome import (
    Cells,
    Experiment,
    Outcome,
    Plot,
    Verdict,
    grid,
    matches,
)
from ksame.experiments.stills import Stills
from ksame.methods import KSameEigen, KSamePixel
from ksame.metrics.tables import share
from ksame.recognition import Eigenfaces

KS = (2, 3, 5, 10, 50, 100)
RUNS = 20  # N compares the two algorithms over so many
_BETWEEN_SETS = 0.0050  # N 5.4: the mean difference between two data sets, for one algorithm


# N 5.4 states how far naive recognition is below 1/k: 1.6% at k = 2, 63% and 81% at k = 100
_FIGURE_18 = {
    "pixel": {("2", "naive"): ".492", ("100", "naive"): ".0037"},
    "eigen": {("2", "naive"): ".492", ("100", "naive"): ".0019"},
}


def ksame(stills: Stills) -> Outcome:
    """N Figure 18: naive recognition over 20 random orders, the other attacks over one."""
    universe = universe_of(stills)
    ks = [k for k in KS if k <= len(universe) // 2]
    pixel = {float(k): [_pixel(k, seed) for seed in range(RUNS)] for k in ks}
    eigen = {float(k): [_eigen(k, seed) for seed in range(RUNS)] for k in ks}
    everybody = Protocol(training=0.0, splits=RUNS)
    rows = run(universe, {"pixel": pixel, "eigen": eigen}, [Eigenfaces()], ["naive"], everybody)
    first = {
        name: {level: alters[0] for level, alters in levels.items()}
        for name, levels in (("pixel", pixel), ("eigen", eigen))
    }
    others = ("reverse", "parrot", "informed", "furthest-original")
    rows += run(universe, first, [Eigenfaces()], others, Protocol(training=0.0, splits=1))
    cells = Cells(tuple(rows))
    tables = [
        grid(
            f"k-Same-{method.capitalize()}: rank-1 rates",
            "k",
            [str(k) for k in ks],
            ["1/k", "naive", *others],
            lambda k, attack, m=method: (  # type: ignore[misc]
                share(1 / int(k)) if attack == "1/k" else cells.rate(m, attack, float(k))
            ),
            paper,
        )
        for method, paper in _FIGURE_18.items()
    ]
    apart = float(
        np.mean(
            [
                abs(cells.rate("pixel", level=k).value - cells.rate("eigen", level=k).value)
                for k in ks
            ]
        )
    )
    verdicts = [
        matches("N 5.4", "pixel: 1.6% below 1/2 at k = 2", 0.492, cells.rate("pixel", level=2)),
        matches("N 5.4", "eigen: 1.6% below 1/2 at k = 2", 0.492, cells.rate("eigen", level=2)),
        Verdict(
            "N 5.4",
            "pixel and eigen differ by .0017 on average, less than two data sets do (.0050)",
            f"{apart:.4f} on average over k",
            "agrees" if apart < _BETWEEN_SETS else "differs",
        ),
    ]
    panels = {m: {a: cells.line(m, a) for a in ("naive", *others)} for m in ("pixel", "eigen")}
    plot = Plot(panels=panels, xlabel="k", bound=(ks, [1 / k for k in ks]))
    return outcome_of(rows, tables, verdicts, plot, universe)


def _pixel(k: int, seed: int) -> Alter:
    return k_same(lambda: KSamePixel(k, random_state=seed))


def _eigen(k: int, seed: int) -> Alter:
    return k_same(lambda: KSameEigen(k, random_state=seed))


EXPERIMENTS = (
    Experiment("newton-ksame", "N Figure 18", "k-Same-Pixel and k-Same-Eigen", SETS, ksame),
)
