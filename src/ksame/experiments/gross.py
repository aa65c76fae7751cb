"""G: Figures 6 and 7: recognition after blur, pixelation, k-Same and k-Same-Select."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec

import numpy as np

from ksame.arrays import Array
from ksame.attacks.bench import Alter, BenchRow, Protocol, Universe, run, unaltered
from ksame.experiments.alterations import ad_hoc as filtered
from ksame.experiments.alterations import blur, k_same, k_same_with
from ksame.experiments.outcome import (
    Cells,
    Experiment,
    Line,
    Outcome,
    Plot,
    exceeds,
    grid,
    matches,
    orders,
)
from ksame.experiments.stills import Stills
from ksame.methods import KSamePixel, KSameSelect
from ksame.metrics.tables import Table, share
from ksame.recognition import Eigenfaces
from ksame.recognition.contract import FaceImages, Recogniser
from ksame.recognition.crops import POINTS
from ksame.recognition.deep import DlibResNet, SFace

# G varies the variance of blur from 1 to 37 and blocks from 1 to 21; its figures show steps of 4
# and of 2. "Five levels" are then 17 and 9.
BLUR = (1, 5, 9, 13, 17, 21, 25, 29, 33, 37)
PIXELATION = (1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21)
DEEP = ((5, 17, 37), (5, 9, 15))
KS = (2, 3, 5, 10, 20)
_FIFTH = {"blur": 17.0, "pixelate": 9.0}
_SEVENTY = {"blur": 25.0, "pixelate": 15.0}  # what G 6.1 calls 70% of de-identification
# Pixels of the deep recognisers' crops per pixel of G's frame: levels mean the same blur.
_SCALE = float(np.linalg.norm(POINTS[0] - POINTS[1])) / 33.0

Methods = dict[str, dict[float, Alter]]


def privacy(stills: Stills) -> Outcome:
    """G Figures 6 and 7: unaltered neutral gallery, altered smiling probes."""
    first, second = stills.pairs("neutral", "smile")
    gender = stills.gender[first]
    ks = [k for k in KS if 2 * k <= 0.8 * min(np.unique(gender, return_counts=True)[1])]
    flat = Universe(stills.gross[first], stills.gross[second])
    pca: list[Recogniser] = [Eigenfaces(0.98, "mahalanobis"), Eigenfaces(0.98)]
    rows = run(
        flat,
        _methods(flat.gallery, gender, BLUR, PIXELATION, ks),
        pca,
        protocol=Protocol(training=0.2, splits=5),
    )
    crops = Universe(stills.crops[first], stills.crops[second])
    once = Protocol(training=0.0, splits=1)
    rows += run(crops, _methods(crops.gallery, gender, *DEEP, ks, _SCALE), [SFace()], protocol=once)
    if find_spec("dlib"):
        # dlib takes three times as long per face: a few levels show the same
        few = _methods(crops.gallery, gender, (17,), (9,), ks[::2], _SCALE)
        rows += run(crops, few, [DlibResNet()], protocol=once)
    cells, names = Cells(tuple(rows)), list(dict.fromkeys(r.recogniser for r in rows))
    base = {name: cells.rate("original", recogniser=name) for name in names}
    verdicts = [
        exceeds(
            "G Figure 6",
            f"PCA stays above 90% for five levels of {method} (here {_FIFTH[method]:g})",
            cells.rate(method, level=_FIFTH[method], recogniser=names[0]),
            0.9,
        )
        for method in _FIFTH
    ]
    verdicts += [
        matches(
            "G 6.1",
            f"at 70% of de-identification ({method} {level:g}) PCA still recognises 70%",
            0.7,
            cells.rate(method, level=level, recogniser=names[0]),
        )
        for method, level in _SEVENTY.items()
        if cells.find(method, level=level, recogniser=names[0]) is not None
    ]
    verdicts += [
        matches(
            "G 6.1",
            f"k-Same at k = {ks[0]}: recognition is about 1/k",
            1 / ks[0],
            cells.rate("k-same", level=ks[0], recogniser=names[0]),
        )
    ]
    verdicts += [
        orders(
            "G 5.2",
            f"a recogniser that was not trained on the set ({name}, for FaceIt) is below PCA",
            base[names[0]],
            base[name],
        )
        for name in names[2:]
    ]
    return Outcome(
        tuple(row.as_dict() for row in rows),
        tuple(_tables(cells, rows, names)),
        tuple(verdicts),
        Plot(panels=_panels(cells, rows, names), xlabel="variance of blur, block or k"),
        len(first),
        2 * len(first),
        "gallery neutral, probe smile; Eigenfaces: 20% of the people for training, five splits; "
        "one photo of each person in the released set, as G 4.1 asks, unless a row says otherwise",
    )


def _methods(
    other: FaceImages,
    gender: Array,
    variances: Sequence[int],
    blocks: Sequence[int],
    ks: Sequence[int],
    scale: float = 1.0,
) -> Methods:
    """What G compares on a set of one photo per person; and sets of two, as collections have."""
    expression = np.repeat([["smile"], ["neutral"]], len(gender), axis=1)
    return {
        "original": {0.0: unaltered},
        "blur": {float(v): blur(v, scale) for v in variances},
        "pixelate": {float(p): filtered("pixelate", p, scale) for p in blocks},
        "k-same": {float(k): k_same(_pixel(k)) for k in ks},
        "select gender": {float(k): k_same(_select(k), gender) for k in ks},
        "two photos each, by people": {float(k): k_same_with(_pixel(k), other) for k in ks},
        "two photos each, select expression": {
            float(k): k_same_with(_select(k), other, expression) for k in ks
        },
        "two photos each, by images": {
            float(k): k_same_with(_pixel(k), other, by_images=True) for k in ks
        },
    }


def _pixel(k: int) -> Callable[[], KSamePixel]:
    return lambda: KSamePixel(k, random_state=0)


def _select(k: int) -> Callable[[], KSameSelect]:
    return lambda: KSameSelect(KSamePixel(k, random_state=0))


def _levels(rows: Sequence[BenchRow], method: str) -> list[float]:
    return sorted({row.level for row in rows if row.method == method})


def _tables(cells: Cells, rows: Sequence[BenchRow], names: Sequence[str]) -> list[Table]:
    found = []
    fifth = {f"{level:g}": method for method, level in _FIFTH.items()}
    for method, title in (("blur", "Blur, by variance"), ("pixelate", "Pixelation, by block")):
        levels = ["unaltered", *(f"{level:g}" for level in _levels(rows, method))]
        found.append(
            grid(
                title,
                "level",
                levels,
                names,
                lambda level, name, m=method: (  # type: ignore[misc]
                    cells.find("original", recogniser=name)
                    if level == "unaltered"
                    else cells.find(m, level=float(level), recogniser=name)
                ),
                {
                    **{(v, names[0]): "above .90" for v in levels if fifth.get(v) == method},
                    **{(v, names[0]): ".70" for v in levels if v == f"{_SEVENTY[method]:g}"},
                },
            )
        )
    ks = [f"{k:g}" for k in _levels(rows, "k-same")]
    variants = list(dict.fromkeys(r.method for r in rows if r.level in map(float, ks)))
    variants = [m for m in variants if m not in ("blur", "pixelate")]
    for name in names:
        found.append(
            grid(
                f"k-Same, {name}; the paper: below 1/k",
                "k",
                ks,
                ["1/k", *variants],
                lambda k, method, n=name: (  # type: ignore[misc]
                    share(1 / int(k))
                    if method == "1/k"
                    else cells.find(method, level=float(k), recogniser=n)
                ),
            )
        )
    return found


def _panels(
    cells: Cells, rows: Sequence[BenchRow], names: Sequence[str]
) -> dict[str, dict[str, Line]]:
    methods = [m for m in dict.fromkeys(row.method for row in rows) if m != "original"]
    panels: dict[str, dict[str, Line]] = {}
    for name in names:
        lines = {m: cells.line(m, recogniser=name) for m in methods}
        panels[name] = {m: line for m, line in lines.items() if len(line[0])}
        ks = lines["k-same"][0]
        panels[name]["1/k"] = (ks, [1 / k for k in ks])
    return panels


EXPERIMENTS = (
    Experiment("gross-privacy", "G Figures 6 and 7", "Recognition by level", ("london",), privacy),
)
