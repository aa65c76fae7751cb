"""G: Figures 6, 7 and 8: privacy and utility of blur, pixelation, k-Same and k-Same-Select."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from ksame.attacks.bench import Alter, BenchRow, Protocol, Universe, run, unaltered
from ksame.experiments.alterations import ad_hoc, k_same_pairs
from ksame.experiments.outcome import Claim, Experiment, Line, Outcome, Plot
from ksame.experiments.stills import Stills
from ksame.methods import KSamePixel, KSameSelect
from ksame.metrics.utility import classification_accuracy
from ksame.recognition import Eigenfaces
from ksame.recognition.contract import Faces
from ksame.recognition.crops import POINTS
from ksame.recognition.deep import DlibResNet, SFace

BLUR = (1, 3, 5, 9, 13, 17, 25, 37)
PIXELATION = (1, 3, 5, 7, 9, 13, 15, 21)
KS = (2, 3, 5, 10, 20)
DEEP = ((5, 9, 17), (5, 9, 15))
# Pixels of the deep recognisers' crops per pixel of G's frame: levels mean the same blur.
_SCALE = float(np.linalg.norm(POINTS[0] - POINTS[1])) / 33.0

Methods = dict[str, dict[float, Alter]]


def privacy(stills: Stills) -> Outcome:
    """G Figures 6 and 7: unaltered neutral gallery, altered smiling probes."""
    first, second = stills.pairs("neutral", "smile")
    gender = stills.gender[first]
    grey = stills.gross
    flat = Universe(grey[first], grey[second])
    ks = [k for k in KS if 2 * k <= 0.8 * min(np.unique(gender, return_counts=True)[1])]
    rows = run(
        flat,
        _methods(flat.gallery, gender, BLUR, PIXELATION, ks),
        [Eigenfaces(0.98)],
        protocol=Protocol(training=0.2, splits=5),
    )
    crops = Universe(stills.crops[first], stills.crops[second])
    once = Protocol(training=0.0, splits=1)
    rows += run(
        crops,
        _methods(crops.gallery, gender, *DEEP, ks, _SCALE),
        [SFace()],
        protocol=once,
    )
    if find_spec("dlib"):
        # dlib takes three times as long per face: a few levels show the same.
        few = _methods(crops.gallery, gender, (5, 17), (9,), ks[::2], _SCALE)
        some = {m: few[m] for m in ("original", "blur", "pixelate", "k-same", "select gender")}
        rows += run(crops, some, [DlibResNet()], protocol=once)
    return Outcome(
        tuple(row.as_dict() for row in rows),
        tuple(_privacy_claims(rows)),
        Plot(panels=_panels(rows), xlabel="blur sigma, block or k"),
        len(first),
        2 * len(first),
        "gallery neutral, probe smile; Eigenfaces: 20% of the people for training, five splits",
    )


def _methods(
    other: Faces,
    gender: npt.NDArray[Any],
    blur: Sequence[int],
    blocks: Sequence[int],
    ks: Sequence[int],
    scale: float = 1.0,
) -> Methods:
    """Everything that G compares; k-Same as G has it (by images) and as ksame has it (people)."""
    expression = np.repeat([["smile"], ["neutral"]], len(gender), axis=1)
    return {
        "original": {0.0: unaltered},
        "blur": {float(s): ad_hoc("blur", s, scale) for s in blur},
        "pixelate": {float(p): ad_hoc("pixelate", p, scale) for p in blocks},
        "k-same": {float(k): k_same_pairs(_pixel(k), other) for k in ks},
        "k-same by images": {float(k): k_same_pairs(_pixel(k), other, by="images") for k in ks},
        "select gender": {
            float(k): k_same_pairs(_select(k), other, np.stack([gender, gender])) for k in ks
        },
        "select expression": {float(k): k_same_pairs(_select(k), other, expression) for k in ks},
    }


def _pixel(k: int) -> Callable[[], KSamePixel]:
    return lambda: KSamePixel(k, random_state=0)


def _select(k: int) -> Callable[[], KSameSelect]:
    return lambda: KSameSelect(KSamePixel(k, random_state=0))


def _rates(rows: Sequence[BenchRow], recogniser: str, method: str) -> dict[float, float]:
    return {
        r.level: r.cmc.rank1.value for r in rows if (r.recogniser, r.method) == (recogniser, method)
    }


def _privacy_claims(rows: Sequence[BenchRow]) -> list[Claim]:
    claims = []
    base = {name: _rates(rows, name, "original")[0.0] for name in _names(rows)}
    for method in ("blur", "pixelate"):
        at = _rates(rows, "eigenfaces", method)[5.0]
        claims.append(
            Claim(
                "G Fig. 6",
                f"PCA: above 90% for {method} up to level 5",
                f"{at:.3f}",
                at > 0.9,
                f"unaltered neutral to smile is {base['eigenfaces']:.3f} here (102 people, smiles "
                f"with teeth); level 5 keeps {at / base['eigenfaces']:.0%} of it",
            )
        )
    for name in _names(rows):
        people = [r for r in rows if r.recogniser == name and _is_k_same(r.method)]
        worst = max(people, key=lambda r: r.cmc.rank1.low * r.level)
        claims.append(
            Claim(
                "G Fig. 6c, 7c",
                f"{name}: all k-Same variants stay below 1/k",
                f"{worst.cmc.rank1.value:.3f} at k={worst.level:g} ({worst.method})",
                worst.cmc.rank1.low <= 1 / worst.level,
                "the worst cell against its 95% interval; k counts people",
            )
        )
    for name in _names(rows)[1:]:
        level = max(_rates(rows, name, "blur"))
        weak = _rates(rows, name, "blur")[min(_rates(rows, name, "blur"))]
        claims.append(
            Claim(
                "G Fig. 7",
                f"{name} in FaceIt's place: high levels of blur are needed to protect",
                f"{weak:.3f} at the lowest level, {_rates(rows, name, 'blur')[level]:.3f} at "
                f"sigma {level:g}",
                weak > 0.5,
            )
        )
        claims.append(
            Claim(
                "G Fig. 7",
                f"{name} recognises less than PCA, not being trained on the set",
                f"{base[name]:.3f} against {base['eigenfaces']:.3f} unaltered",
                base[name] < base["eigenfaces"],
                "today's deep recognisers generalise where FaceIt of 2005 did not",
            )
        )
    return claims


def _is_k_same(method: str) -> bool:
    """The variants whose k counts people, for which the bound is claimed."""
    return method in ("k-same", "select gender", "select expression")


def _names(rows: Sequence[BenchRow]) -> list[str]:
    return list(dict.fromkeys(row.recogniser for row in rows))


def _panels(rows: Sequence[BenchRow]) -> dict[str, dict[str, Line]]:
    panels: dict[str, dict[str, Line]] = {}
    for name in _names(rows):
        panels[name] = {}
        for method in dict.fromkeys(r.method for r in rows):
            rates = _rates(rows, name, method)
            if rates and method != "original":
                panels[name][method] = (list(rates), list(rates.values()))
        ks = list(_rates(rows, name, "k-same"))
        panels[name]["1/k"] = (ks, [1 / k for k in ks])
    return panels


def utility(stills: Stills) -> Outcome:
    """G Figure 8: gender and expression by a linear support vector machine, five folds."""
    first, second = stills.pairs("neutral", "smile")
    rows = np.concatenate([first, second])
    faces = stills.gross[rows].astype(np.float64)
    labels = {"gender": stills.gender[rows], "expression": stills.expression[rows]}
    persons = stills.persons[rows]
    fewest = min(np.unique(labels["gender"][: len(first)], return_counts=True)[1])
    ks = [k for k in KS if k <= fewest // 2]
    made = _altered(faces, persons, labels, ks)
    found, folds = [], min(5, int(fewest))
    for (method, level), altered in made.items():
        for task, truth in labels.items():
            got = classification_accuracy(altered, truth, persons, "linear", folds)
            found.append(
                {"method": method, "level": level, "task": task, "accuracy": got.value}
                | {"interval": [got.overall.low, got.overall.high]}
            )
    return Outcome(
        tuple(found),
        tuple(_utility_claims(found)),
        Plot(
            panels=_utility_panels(found),
            xlabel="blur sigma, block or k",
            ylabel="classification accuracy",
        ),
        len(first),
        len(rows),
        "neutral and smile, 5-fold cross-validation, no person in two folds",
    )


def _altered(
    faces: npt.NDArray[np.float64],
    persons: npt.NDArray[Any],
    labels: Mapping[str, npt.NDArray[Any]],
    ks: Sequence[int],
) -> dict[tuple[str, float], Faces]:
    """The whole set under every method and level."""
    everyone = np.arange(len(faces))
    made: dict[tuple[str, float], Faces] = {("original", 0.0): faces}
    for sigma in (5, 13, 25, 37):
        made["blur", float(sigma)] = ad_hoc("blur", sigma)(faces, everyone)
    for block in (5, 9, 15, 21):
        made["pixelate", float(block)] = ad_hoc("pixelate", block)(faces, everyone)
    flat = faces.reshape(len(faces), -1)
    for k in ks:
        level = float(k)
        made["k-same by images", level] = _pixel(k)().fit_transform(flat)
        made["k-same", level] = _pixel(k)().fit_transform(flat, persons=persons)
        for task, classes in labels.items():
            made[f"select {task}", level] = _select(k)().fit_transform(
                flat, persons=persons, classes=classes
            )
    return made


def _utility_claims(found: Sequence[dict[str, Any]]) -> list[Claim]:
    claims = []
    for task in ("gender", "expression"):
        base = _accuracies(found, "original", task)[0.0]
        plain = _accuracies(found, "k-same by images", task)
        select = _accuracies(found, f"select {task}", task)
        blur, blocks = (_accuracies(found, m, task) for m in ("blur", "pixelate"))
        claims += [
            Claim("G Fig. 8a", f"{task}: essentially constant under blur",
                  f"{blur[5.0]:.3f} at a standard deviation of 5; original {base:.3f}",
                  blur[5.0] > base - 0.08,
                  "G 5.2 calls its sigma of 1 to 37 a variance, so that 25 is a deviation of 5; "
                  f"as a deviation, 13 leaves {blur[13.0]:.3f} and 37 leaves {blur[37.0]:.3f}"),
            Claim("G Fig. 8b", f"{task}: falls under pixelation",
                  f"{blocks[max(blocks)]:.3f} at block {max(blocks):g}; original {base:.3f}",
                  blocks[max(blocks)] < base),
            Claim("G Fig. 8c", f"{task}: plain k-Same lowers it",
                  f"{plain[max(plain)]:.3f} at k={max(plain):g}; original {base:.3f}",
                  plain[max(plain)] < base),
            Claim("G Fig. 8c", f"{task}: Select raises it above the original's",
                  f"{select[max(select)]:.3f} at k={max(select):g}; original {base:.3f}",
                  select[max(select)] > base or select[max(select)] == 1.0,
                  "groups of one class share one face, which is easier than its members"),
        ]  # fmt: skip
    return claims


def _accuracies(found: Sequence[dict[str, Any]], method: str, task: str) -> dict[float, float]:
    return {f["level"]: f["accuracy"] for f in found if (f["method"], f["task"]) == (method, task)}


def _utility_panels(found: Sequence[dict[str, Any]]) -> dict[str, dict[str, Line]]:
    panels: dict[str, dict[str, Line]] = {}
    for task in ("gender", "expression"):
        panels[task] = {}
        for method in dict.fromkeys(f["method"] for f in found):
            values = _accuracies(found, method, task)
            panels[task][method] = (list(values), list(values.values()))
    return panels


EXPERIMENTS = (
    Experiment("gross-privacy", "G Figures 6 and 7", "Recognition by level", "london", privacy),
    Experiment("gross-utility", "G Figure 8", "Gender and expression kept", "london", utility),
)
