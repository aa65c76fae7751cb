"""The fitting part of `aam.py`: IMM's hand-marked faces, people never in both halves.

People 1 to 30 train, 31 to 40 test. A start is the mean shape in the true pose, then turned, scaled
and shifted at random until its error is within 0.03 of 0.15. Errors are mean point-to-point
distances over the distance between the eyes (points 13-20 and 21-28 averaged). Times are processor
time in one thread, for both sides: what else the machine does hardly changes them.
"""

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from ksame.codecs.aam import ActiveAppearanceModel, Fitting, Pose, ShapeModel
from ksame.datasets.known_sets import known_faces
from ksame.datasets.landmark_files import read_points
from ksame.media import read_photo
from ksame.threads import one_blas_thread

Floats = npt.NDArray[np.float64]

MENPOFIT = Path(__file__).parents[1] / ".venv-menpofit" / "bin" / "python"
COMPETITOR = Path(__file__).parent / "competitors" / "menpofit_imm.py"
INITIAL, FAILED = 0.15, 0.10


@dataclass(frozen=True)
class Marked:
    """Images with their points and the number of each one's person."""

    images: list[npt.NDArray[np.uint8]]
    shapes: Floats
    people: npt.NDArray[np.int64]

    def part(self, keep: npt.NDArray[np.bool_]) -> "Marked":
        """The faces for which ``keep`` is true."""
        images = [image for image, kept in zip(self.images, keep, strict=True) if kept]
        return Marked(images, self.shapes[keep], self.people[keep])


def read_imm(data: Path | None, turned: bool = False) -> Marked:
    """IMM's 160 near-frontal faces, or all 240 with the two that are turned by 30 degrees."""
    faces = known_faces("imm", root=data).where(
        lambda all_faces, i: turned or "yaw" not in all_faces.expression[i]
    )
    marks = [path for path in faces.landmarks if path is not None]
    return Marked(
        [read_photo(path).rgb for path in faces.images],
        np.stack([read_points(path) for path in marks]),
        np.array([int(person.removeprefix("imm")) for person in faces.persons]),
    )


def error_of(found: Floats, truth: Floats) -> float:
    """Mean point-to-point error over the distance between the eyes."""
    eyes = np.linalg.norm(truth[13:21].mean(axis=0) - truth[21:29].mean(axis=0))
    return float(np.linalg.norm(found - truth, axis=1).mean() / eyes)


def disturbed(model: ShapeModel, truth: Floats, rng: np.random.Generator) -> Floats:
    """A start of the stated error, or the nearest to it of many where the face is too unusual."""
    pose = model.align(truth)[1]
    eyes = np.linalg.norm(truth[13:21].mean(axis=0) - truth[21:29].mean(axis=0))
    best, least = model.mean, np.inf
    for _ in range(200):
        factor = pose.factor * np.exp(complex(rng.normal(0, 0.07), rng.normal(0, 0.08)))
        shift = pose.shift + eyes * complex(*rng.normal(0, 0.07, 2))
        start = Pose(factor, shift).apply(model.mean)
        apart = abs(error_of(start, truth) - INITIAL)
        if apart < least:
            best, least = start, apart
        if least < 0.03:
            break
    return best


def covered(
    image: npt.NDArray[np.uint8], truth: Floats, rng: np.random.Generator, kind: int
) -> npt.NDArray[np.uint8]:
    """A quarter of the face's box under a patch: noise, one colour, or soft blotches by turns."""
    out = image.copy()
    low, high = truth.min(axis=0), truth.max(axis=0)
    width, height = ((high - low) / 2).astype(int)
    x, y = (rng.uniform(low, high - [width, height])).astype(int)
    patch = rng.integers(0, 256, ((height, width, 3), (1, 1, 3), (8, 8, 3))[kind % 3], np.uint8)
    blotches = cv2.resize(patch, (int(width), int(height)), interpolation=cv2.INTER_CUBIC)
    out[y : y + height, x : x + width] = blotches
    return out


@dataclass(frozen=True)
class Run:
    """Errors and seconds of some fits, and which of them said that they had converged."""

    errors: Floats
    seconds: Floats
    converged: npt.NDArray[np.bool_]


def run(model: ActiveAppearanceModel, fitting: Fitting, faces: Marked, starts: Floats) -> Run:
    """Fit all faces in one thread; the search alone, as menpofit's is timed."""
    from ksame.codecs.aam.fit import fit_shape

    rows = []
    with one_blas_thread():
        for image, truth, start in zip(faces.images, faces.shapes, starts, strict=True):
            clock = time.process_time()
            found = fit_shape(model.templates_, fitting, image, start)
            seconds = time.process_time() - clock
            rows.append((error_of(found.shape, truth), seconds, found.converged))
    errors, times, converged = zip(*rows, strict=True)
    return Run(np.array(errors), np.array(times), np.array(converged))


def menpofit(
    images: list[npt.NDArray[np.uint8]],
    train: Marked,
    test: Marked,
    starts: Floats,
    names: list[str],
) -> dict[str, Run] | None:
    """menpofit's holistic AAM on the same faces and starts, or None without its environment."""
    if not MENPOFIT.exists():
        return None
    grey = [cv2.cvtColor(image, cv2.COLOR_RGB2GRAY) for image in images]
    one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory() as folder:
        given, result = Path(folder) / "faces.npz", Path(folder) / "result.npz"
        np.savez(
            given, images=np.stack(grey), shapes=np.concatenate([train.shapes, test.shapes]),
            train=np.arange(len(grey)) < len(train.images), start=starts, algorithms=names,
        )  # fmt: skip
        subprocess.run(
            [str(MENPOFIT), str(COMPETITOR), str(given), str(result)], check=True,
            env=os.environ | one, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        found = dict(np.load(result).items())
    runs = {}
    for name in names:
        shapes = zip(found[f"{name}_shapes"], test.shapes, strict=True)
        errors = np.array([error_of(shape, truth) for shape, truth in shapes])
        runs[name] = Run(errors, found[f"{name}_seconds"], np.ones(len(errors), dtype=bool))
    return runs


def measure_fitting(data: Path | None, quick: bool) -> dict[str, float]:
    """Errors and times of all algorithms, with and without occlusion, beside menpofit's."""
    faces = read_imm(data)
    train, test = faces.part(faces.people <= 30), faces.part(faces.people > 30)
    model = ActiveAppearanceModel().fit(train.images, train.shapes)
    rng = np.random.default_rng(0)
    draws = 1 if quick else 3
    many = Marked(
        test.images * draws, np.tile(test.shapes, (draws, 1, 1)), np.tile(test.people, draws)
    )
    starts = np.stack([disturbed(model.shape_, truth, rng) for truth in many.shapes])
    hidden = [covered(*face, rng, i) for i, face in enumerate(zip(many.images, many.shapes))]  # noqa: B905
    occluded = Marked(hidden, many.shapes, many.people)
    plain, robust = model.fitting, replace(model.fitting, robust=True)
    run(model, robust, many.part(np.arange(len(many.images)) < 3), starts[:3])  # compile first
    out = {"initial_error": float(np.mean([error_of(*p) for p in zip(starts, many.shapes)]))}  # noqa: B905
    best = run(model, plain, many, starts)
    out |= {
        "error": float(best.errors.mean()),
        "median_error": float(np.median(best.errors)),
        "ms_per_face": 1e3 * float(best.seconds.mean()),
        "failure_rate": float(np.mean(best.errors > FAILED)),
        "not_converged": float(np.mean(~best.converged)),
    }
    for name in ("simultaneous", "project-out"):
        other = run(model, replace(plain, algorithm=name), many, starts)
        key = name.replace("-", "_")
        out[f"{key}_error"] = float(other.errors.mean())
        out[f"{key}_ms_per_face"] = 1e3 * float(other.seconds.mean())
    whole = run(model, robust, many, starts)
    out["robust_error"] = float(whole.errors.mean())
    out["robust_ms_per_face"] = 1e3 * float(whole.seconds.mean())
    out["occluded_error"] = float(run(model, robust, occluded, starts).errors.mean())
    out["occluded_over_robust"] = out["occluded_error"] / out["robust_error"]
    out["plain_occluded_error"] = float(run(model, plain, occluded, starts).errors.mean())
    return out | _beside_menpofit(train, test, starts[: len(test.images)], quick, out)


def _beside_menpofit(
    train: Marked, test: Marked, starts: Floats, quick: bool, ours: dict[str, float]
) -> dict[str, float]:
    """menpofit's figures: its algorithm of least error, and each one's own."""
    names = ["wiberg"] if quick else ["wiberg", "simultaneous", "project_out"]
    runs = menpofit(train.images + test.images, train, test, starts, names)
    if runs is None:
        return {}
    out = {}
    for name, found in runs.items():
        out[f"menpofit_{name}_error"] = float(found.errors.mean())
        out[f"menpofit_{name}_ms_per_face"] = 1e3 * float(found.seconds.mean())
    best = min(runs, key=lambda name: runs[name].errors.mean())
    out["menpofit_error"] = out[f"menpofit_{best}_error"]
    out["menpofit_ms_per_face"] = out[f"menpofit_{best}_ms_per_face"]
    out["speedup_vs_menpofit"] = out["menpofit_ms_per_face"] / ours["ms_per_face"]
    return out


def measure_turned(data: Path | None) -> dict[str, float]:
    """All 240 images, heads turned by 30 degrees included, same people and starts as above."""
    faces = read_imm(data, turned=True)
    train, test = faces.part(faces.people <= 30), faces.part(faces.people > 30)
    model = ActiveAppearanceModel().fit(train.images, train.shapes)
    rng = np.random.default_rng(0)
    starts = np.stack([disturbed(model.shape_, truth, rng) for truth in test.shapes])
    found = run(model, model.fitting, test, starts)
    return {
        "all240_error": float(found.errors.mean()),
        "all240_median_error": float(np.median(found.errors)),
        "all240_failure_rate": float(np.mean(found.errors > FAILED)),
        "all240_not_converged": float(np.mean(~found.converged)),
    }
