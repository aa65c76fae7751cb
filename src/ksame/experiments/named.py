"""The experiments by name."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ksame.attacks.release import versions
from ksame.errors import InputError
from ksame.experiments import (
    furthest,
    gross,
    gross_utility,
    linked,
    model,
    newton,
    newton_ksame,
)
from ksame.experiments.outcome import Experiment, Outcome, write_outcome
from ksame.experiments.stills import Stills, load
from ksame.threads import one_blas_thread

_PARTS = (newton, newton_ksame, gross, gross_utility, model, furthest, linked)
EXPERIMENTS: dict[str, Experiment] = {e.name: e for part in _PARTS for e in part.EXPERIMENTS}


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
) -> dict[str, Outcome]:
    """Run experiments one after the other, each into its own folder where there are several.

    Faces are read and registered once per set of data; `root` None takes the built-in people.

    Guarantee: two runs of one version on one machine write the same results.json, byte by byte, on
    any number of processors: seeds are fixed, matrix products run in one thread, and no time or
    path is written. `faces_digest` tells whether two versions saw the same faces: a detector or
    landmark model that moves them by a fraction of a pixel changes rates in the second digit.
    """
    kept: dict[tuple[str, ...], Stills] = {}
    found: dict[str, Outcome] = {}
    for experiment in experiments:
        start = time.perf_counter()
        with one_blas_thread():
            if experiment.data not in kept:
                kept = {experiment.data: _stills(experiment, root)}
            stills = kept[experiment.data]
            outcome = experiment.run(stills)
        found[experiment.name] = outcome
        folder = out / experiment.name if len(experiments) > 1 else out
        extra = {
            "data": "built-in synthetic people" if root is None else list(experiment.data),
            "faces_digest": stills.digest(),
            "seed": 0,
            "versions": versions(),
        }
        write_outcome(experiment, outcome, folder, extra)
        done(experiment, outcome, time.perf_counter() - start)
    return found


def _stills(experiment: Experiment, root: Path | None) -> Stills:
    return load(experiment.data, root, hand_marked=experiment.hand_marked)
