"""G: Figure 8: gender and expression that blur, pixelation, k-Same and k-Same-Select keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ksame.experiments.alterations import ad_hoc, blur
from ksame.experiments.kept_classes import APART, PROTOCOLS, Kept, Labelled, Method, classify
from ksame.experiments.outcome import (
    Experiment,
    Outcome,
    Plot,
    Verdict,
    grid,
    orders,
    stays,
)
from ksame.experiments.stills import Stills
from ksame.methods import KSamePixel, KSameSelect
from ksame.metrics.tables import Table
from ksame.recognition.contract import FaceImages

BLUR = (5, 17, 37)
PIXELATION = (5, 9, 15, 21)
KS = (2, 3, 5, 10)


def utility(stills: Stills) -> Outcome:
    """G Figure 8: a linear support vector machine, five folds."""
    first, second = stills.pairs("neutral", "smile")
    both = np.concatenate([first, second])
    kept = {
        "gender": classify(_gender(stills, first), "linear"),
        "expression": classify(_expression(stills, both), "linear"),
    }
    return Outcome(
        tuple(row for task, found in kept.items() for row in found.rows(task)),
        tuple(_table(task, found) for task, found in kept.items()),
        tuple(v for task, found in kept.items() for v in _verdicts(task, found)),
        Plot(
            panels={
                task: {m: found.line(m) for m in dict.fromkeys(name for name, _ in found.methods)}
                for task, found in kept.items()
            },
            xlabel="variance of blur, block or k",
            ylabel="classification accuracy",
        ),
        len(first),
        len(both),
        "gender on one neutral photo of each person, expression on neutral and smile; five folds, "
        "or as many as released faces allow, no person in two of them",
    )


def _gender(stills: Stills, rows: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Labelled:
    faces = stills.gross[rows].astype(np.float64)
    labels, persons = stills.gender[rows], stills.persons[rows]
    flat = faces.reshape(len(faces), -1)
    made = _filtered(faces)
    for k in KS:
        if 2 * k <= min(np.unique(labels, return_counts=True)[1]):
            made["k-same", float(k)] = _pixel(k)().fit_transform(flat)
            made["select", float(k)] = KSameSelect(_pixel(k)()).fit_transform(flat, classes=labels)
    return Labelled(faces, labels, persons, made)


def _expression(stills: Stills, rows: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Labelled:
    faces = stills.gross[rows].astype(np.float64)
    labels, persons = stills.expression[rows], stills.persons[rows]
    flat = faces.reshape(len(faces), -1)
    made = _filtered(faces)
    for k in KS:
        if 4 * k <= len(rows):
            made["k-same", float(k)] = _pixel(k)().fit_transform(flat, persons=persons)
            made["k-same by images", float(k)] = _pixel(k)().fit_transform(flat)
            made["select", float(k)] = KSameSelect(_pixel(k)()).fit_transform(
                flat, persons=persons, classes=labels
            )
    return Labelled(faces, labels, persons, made)


def _filtered(faces: FaceImages) -> dict[Method, FaceImages]:
    everyone = np.arange(len(faces))
    made: dict[Method, FaceImages] = {("original", 0.0): faces}
    for variance in BLUR:
        made["blur", float(variance)] = blur(variance)(faces, everyone)
    for block in PIXELATION:
        made["pixelate", float(block)] = ad_hoc("pixelate", block)(faces, everyone)
    return made


def _pixel(k: int) -> Callable[[], KSamePixel]:
    return lambda: KSamePixel(k, random_state=0)


def _table(task: str, kept: Kept) -> Table:
    names: dict[str, Method] = {
        f"{method} {level:g}" if level else method: (method, level)
        for method, level in kept.methods
    }
    return grid(
        f"{task.capitalize()}: accuracy",
        "method",
        list(names),
        PROTOCOLS,
        lambda name, protocol: kept.rate(names[name], protocol),
    )


def _verdicts(task: str, kept: Kept) -> Sequence[Verdict]:
    """G's statements, on released faces of which none is in two folds.

    They are judged at the smallest k, where most groups can be told apart.
    """
    base, k = kept.rate(("original", 0.0)), float(KS[0])
    if base is None or kept.rate(("select", k)) is None:
        return ()
    wanted = {
        "blur": kept.rate(("blur", float(max(BLUR)))),
        "pixelate": kept.rate(("pixelate", float(max(PIXELATION)))),
        "k-same": kept.rate(("k-same", k)),
        "select": kept.rate(("select", k)),
    }
    rates = {name: rate for name, rate in wanted.items() if rate is not None}
    found = []
    if "blur" in rates:
        says = f"{task}: essentially constant under blur (variance {max(BLUR)})"
        found.append(stays("G Figure 8a", says, base, rates["blur"]))
    if "pixelate" in rates:
        says = f"{task}: falls under pixelation (block {max(PIXELATION)})"
        found.append(orders("G Figure 8b", says, base, rates["pixelate"]))
    if "k-same" in rates:
        says = f"{task}: plain k-Same lowers it (k = {k:g})"
        found.append(orders("G Figure 8c", says, base, rates["k-same"]))
    says = f"{task}: Select raises it above the original's (k = {k:g}; {APART})"
    return [*found, orders("G Figure 8c", says, rates["select"], base)]


EXPERIMENTS = (
    Experiment("gross-utility", "G Figure 8", "Gender and expression kept", ("london",), utility),
)
