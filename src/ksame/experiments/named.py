"""The experiments by name."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ksame.attacks.release import versions
from ksame.errors import InputError
from ksame.experiments import furthest, gross, linked, model, newton
from ksame.experiments.outcome import Experiment, Outcome, write_outcome
from ksame.experiments.stills import Stills, load

EXPERIMENTS: dict[str, Experiment] = {
    e.name: e for part in (newton, gross, model, furthest, linked) for e in part.EXPERIMENTS
}


def find_experiments(name: str) -> list[Experiment]:
    """One experiment, or all of them for "all"."""
    if name == "all":
        return list(EXPERIMENTS.values())
    if name not in EXPERIMENTS:
        raise InputError(
            f"experiment {name!r} is not known; choose from {', '.join(EXPERIMENTS)}, or all."
        )
    return [EXPERIMENTS[name]]


def run_experiments(
    experiments: Sequence[Experiment],
    root: Path | None,
    out: Path,
    done: Callable[[Experiment, Outcome, float], None] = lambda e, o, s: None,
) -> None:
    """Run experiments one after the other, each into its own folder where there are several.

    Faces are read and registered once per set of data; `root` None takes the built-in people.
    """
    kept: dict[str, Stills] = {}
    for experiment in experiments:
        start = time.perf_counter()
        if experiment.data not in kept:
            kept = {experiment.data: _stills(experiment, root)}
        outcome = experiment.run(kept[experiment.data])
        seconds = time.perf_counter() - start
        folder = out / experiment.name if len(experiments) > 1 else out
        extra = {
            "data": "built-in synthetic people" if root is None else experiment.data.split(),
            "seconds": round(seconds, 1),
            "seed": 0,
            "versions": versions(),
        }
        write_outcome(experiment, outcome, folder, extra)
        done(experiment, outcome, seconds)


def _stills(experiment: Experiment, root: Path | None) -> Stills:
    return load(experiment.data.split(), root, hand_marked=experiment.data == "imm")
