"""Fitting on IMM by cross-validation over people, with nothing chosen in view of the tested ones.

    python benchmarks/aam_crossed.py --json FILE [--data DIR] [--quick]

Four times ten people are held out. What the fitting compares, how strong its prior is and how many
levels it has is chosen anew each time, by fitting ten of the other thirty people with a model of
the remaining twenty; the chosen one is then trained on all thirty and tested once. menpofit fits
the same faces from the same starts, trained on the same thirty people, with Wiberg's algorithm,
which is its best. --quick tests one fold.
"""

import argparse
import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import cv2
import numpy as np

from aam_imm import FAILED, Marked, Run, disturbed, error_of, menpofit, read_imm, run
from ksame.codecs.aam import ActiveAppearanceModel, Fitting

FOLD = 10  # people
LEVELS = {
    2: {},
    3: {
        "sizes": (20, 40, 80),
        "shape_modes": (4, 6, 30),
        "appearance_modes": (15, 30, 40),
        "iterations": (10, 15, 15),
    },
}
CANDIDATES = [
    replace(Fitting(), features=features, prior=prior, **LEVELS[levels])
    for features, prior, levels in product(("gradient", "intensity"), (20.0, 80.0, 320.0), LEVELS)
]


def trained(faces: Marked, fitting: Fitting) -> ActiveAppearanceModel:
    """A model of some faces."""
    return ActiveAppearanceModel(colour=False, fitting=fitting).fit(faces.images, faces.shapes)


def starts_of(model: ActiveAppearanceModel, faces: Marked) -> np.ndarray:
    """One disturbed start for each face."""
    rng = np.random.default_rng(0)
    return np.stack([disturbed(model.shape_, truth, rng) for truth in faces.shapes])


def choose(faces: Marked, people: np.ndarray) -> Fitting:
    """The candidate with the least error on the first ten of some people, trained on the others."""
    inner = np.isin(faces.people, people[:FOLD])
    outer = np.isin(faces.people, people[FOLD:])
    test, train = faces.part(inner), faces.part(outer)
    found = []
    for fitting in CANDIDATES:
        model = trained(train, fitting)
        starts = starts_of(model, test)
        found.append(float(run(model, fitting, test, starts).errors.mean()))
    return CANDIDATES[int(np.argmin(found))]


def fold(faces: Marked, held: np.ndarray) -> tuple[Run, Run | None, Fitting, np.ndarray]:
    """Ours and menpofit's fits of the people held out, what was chosen, and the starts' errors."""
    others = np.setdiff1d(np.unique(faces.people), held)
    fitting = choose(faces, others)
    train, test = faces.part(np.isin(faces.people, others)), faces.part(np.isin(faces.people, held))
    model = trained(train, fitting)
    starts = starts_of(model, test)
    run(model, fitting, test.part(np.arange(len(test.images)) < 3), starts[:3])  # compile first
    ours = run(model, fitting, test, starts)
    theirs = menpofit(train.images + test.images, train, test, starts, ["wiberg"])
    before = np.array([error_of(*pair) for pair in zip(starts, test.shapes, strict=True)])
    return ours, None if theirs is None else theirs["wiberg"], fitting, before


def measure(data: Path | None, quick: bool) -> dict[str, object]:
    """Errors and times over all folds."""
    cv2.setNumThreads(1)
    faces = read_imm(data)
    people = np.unique(faces.people)
    folds = [people[i : i + FOLD] for i in range(0, len(people), FOLD)][: 1 if quick else None]
    parts = [fold(faces, held) for held in folds]
    ours = np.concatenate([part[0].errors for part in parts])
    out: dict[str, object] = {
        "crossed_people": int(sum(map(len, folds))),
        "crossed_fits": len(ours),
        "crossed_initial_error": float(np.concatenate([part[3] for part in parts]).mean()),
        "crossed_error": float(ours.mean()),
        "crossed_median_error": float(np.median(ours)),
        "crossed_failure_rate": float((ours > FAILED).mean()),
        "crossed_ms_per_face": 1e3 * float(np.concatenate([p[0].seconds for p in parts]).mean()),
        "crossed_error_by_fold": [float(part[0].errors.mean()) for part in parts],
        "crossed_chosen": [f"{p[2].features} {p[2].prior:g} {len(p[2].sizes)}" for p in parts],
    }
    theirs = [part[1] for part in parts if part[1] is not None]
    if len(theirs) == len(parts):
        errors = np.concatenate([found.errors for found in theirs])
        seconds = np.concatenate([found.seconds for found in theirs])
        out |= {
            "crossed_menpofit_error": float(errors.mean()),
            "crossed_menpofit_median_error": float(np.median(errors)),
            "crossed_menpofit_failure_rate": float((errors > FAILED).mean()),
            "crossed_menpofit_ms_per_face": 1e3 * float(seconds.mean()),
            "crossed_menpofit_error_by_fold": [float(found.errors.mean()) for found in theirs],
        }
    return out


def main() -> None:
    """Print a table and write the same figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--data", type=Path, help="folder of the research sets")
    parser.add_argument("--quick", action="store_true", help="one fold")
    given = parser.parse_args()
    found = measure(given.data, given.quick)
    for name, value in found.items():
        print(f"{name:<34} {value}")
    if "crossed_menpofit_error" not in found:
        print("menpofit was not measured: its environment is missing. Run: make bench")
    given.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
