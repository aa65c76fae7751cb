"""Methods side by side on one set of faces: what is still recognised, and what is kept.

Faces are the attacker's crops, so that every recogniser of `ksame attack` can take part. Methods
that change whole photos are compared by releasing the photos and attacking the folder.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ksame.attacks.arrays import ArrayCase
from ksame.attacks.bench import Alter, BenchRow, Protocol, Rows, Universe, run, unaltered
from ksame.attacks.looks import compare_images
from ksame.attacks.release import versions
from ksame.attacks.report import bench_table, write_table
from ksame.errors import InputError, NoGuaranteeWarning
from ksame.experiments.alterations import k_same
from ksame.experiments.stills import Stills
from ksame.grouping import k_diff_furthest
from ksame.methods import AD_HOC, KSame, KSameEigen, conceal
from ksame.methods.filters import Layout
from ksame.methods.recipes import GROUPINGS
from ksame.metrics.agreement import Agreement
from ksame.metrics.displays import line_style, new_figure, save
from ksame.metrics.tables import Table, share
from ksame.plugins import resolve
from ksame.recognition.contract import Faces, Recogniser
from ksame.recognition.crops import POINTS, SIDE

USUAL_K = 5
_PAIRS = 24  # original and released faces on which is measured what is kept
_APART = float(POINTS[1, 0] - POINTS[0, 0])
CROP = Layout(
    eyes=float(POINTS[:2, 1].mean()) / SIDE,
    nose=float(POINTS[2, 1]) / SIDE,
    mouth=float(POINTS[3:, 1].mean()) / SIDE,
    gap=_APART / SIDE,
)
_SCALE = _APART / 42.0  # pixels of a crop per pixel of N's frame, in which levels are stated
_IN_PIXELS = ("pixelate", "blur")


@dataclass(frozen=True)
class Named:
    """A method with its level: k, or the strength of an ad hoc method."""

    name: str
    level: float
    alter: Alter = field(repr=False)


@dataclass(frozen=True)
class Comparison:
    """What every method gives away (`rows`) and keeps."""

    rows: tuple[BenchRow, ...] = field(repr=False)
    kept: Mapping[tuple[str, float], Agreement] = field(repr=False)
    people: int
    faces: int

    def table(self) -> Table:
        """One row for each method, recogniser and attack, with what the method keeps."""
        plain = bench_table(self.rows)
        heads = ("still a face", "expression", "gaze", "SSIM")
        rows = []
        for row, cells in zip(self.rows, plain.rows, strict=True):
            kept = self.kept[row.method, row.level]
            found = kept.detected["yunet"].value if "yunet" in kept.detected else None
            values = (found, kept.expression, kept.gaze, kept.ssim)
            rows.append((*cells, *(share(value, 2) for value in values)))
        title = f"{self.people} people, {self.faces} faces"
        return Table((*plain.columns, *heads), tuple(rows), title)


def find_method(text: str) -> Named:
    """A method by `name[:level]`.

    Names are those of ad hoc methods (`pixelate:15`), `pixel`, `eigen` and every grouping with its
    k (`furthest:5`), `k-diff-furthest`, `none`, and `package.module:name` of your own function
    `(faces, people) -> faces`.
    """
    name, _, last = text.rpartition(":")
    try:
        level: float | None = float(last) if name else None
    except ValueError:
        level = None
    name = name if level is not None else text
    k = USUAL_K if level is None else int(level)
    if name == "none":
        return Named(name, 0.0, unaltered)
    if name in AD_HOC:
        strength = AD_HOC[name][1] if level is None else level
        return Named(name, strength, _on_crops(name, strength))
    if name in _K_SAME:
        return Named(name, float(k), k_same(lambda: _K_SAME[name](k)))
    if name == "k-diff-furthest":
        return Named(name, float(k), _k_diff(k))
    if ":" in name:
        own = resolve("method", name, {})
        return Named(name, 0.0 if level is None else level, own)
    known = ", ".join(["none", *_K_SAME, "k-diff-furthest", *AD_HOC])
    raise InputError(f"method {name!r} is not known; choose from {known}, or package.module:name.")


def _grouped(grouping: str) -> Callable[[int], KSame]:
    return lambda k: KSame(k, grouping=grouping, random_state=0)


_K_SAME: dict[str, Callable[[int], KSame]] = {
    "pixel": _grouped("closest"),
    "eigen": lambda k: KSameEigen(k, random_state=0),
    **{name: _grouped(name) for name in GROUPINGS if name != "closest"},
}


def _on_crops(name: str, level: float) -> Alter:
    """An ad hoc method in the frame of the crops; its level is in pixels of N's frame."""
    strength = max(round(level * _SCALE), 1) if name in _IN_PIXELS else level

    def alter(faces: Faces, people: Rows) -> Faces:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoGuaranteeWarning)
            made = conceal(faces, name, level=strength, layout=CROP, random_state=0)
        return np.asarray(made)

    return alter


def _k_diff(k: int) -> Alter:
    def alter(faces: Faces, people: Rows) -> Faces:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoGuaranteeWarning)
            moved = k_diff_furthest(faces.reshape(len(faces), -1).astype(np.float64), k, 0)
        return np.clip(np.rint(moved), 0, 255).astype(np.uint8).reshape(faces.shape)

    return alter


def universe_of(stills: Stills) -> Universe:
    """The first photo of each person as gallery, the others as probes.

    Where nobody has two photos, the photos are gallery and probe (N section 5.2); where some have,
    the others are left out.
    """
    names, people, counts = np.unique(stills.persons, return_inverse=True, return_counts=True)
    order = np.lexsort((stills.expression != "neutral", people))
    first = np.zeros(len(people), bool)
    first[order[np.searchsorted(people[order], np.arange(len(names)))]] = True
    if counts.max() == 1:
        return Universe(stills.crops, stills.crops)
    several = counts[people] > 1
    numbers = np.cumsum(counts > 1) - 1
    gallery, probe = (np.flatnonzero(several & chosen) for chosen in (first, ~first))
    crops, owner = stills.crops, numbers[people].astype(np.intp)
    return Universe(crops[gallery], crops[probe], owner[gallery], owner[probe])


def compare_methods(
    universe: Universe,
    methods: Sequence[Named],
    recognisers: Sequence[Recogniser],
    attacks: Sequence[str],
    protocol: Protocol = Protocol(splits=1),  # noqa: B008
    step: Callable[[int], None] = lambda n: None,
) -> Comparison:
    """Every method against every recogniser and attack, and what it keeps of the faces."""
    wanted: dict[str, dict[float, Alter]] = {}
    for method in methods:
        wanted.setdefault(method.name, {})[method.level] = method.alter
    rows = run(universe, wanted, recognisers, attacks, protocol, step)
    kept = {(m.name, m.level): _kept(universe, m.alter) for m in methods}
    return Comparison(tuple(rows), kept, len(universe), len(universe.probe))


def _kept(universe: Universe, alter: Alter) -> Agreement:
    everybody = np.arange(len(universe))
    case = ArrayCase(universe, alter, everybody, everybody)
    some = np.unique(np.linspace(0, len(universe.probe) - 1, _PAIRS).astype(int))
    before, after = np.asarray(universe.probe)[some], case.release.faces[some]
    made = np.clip(np.rint(after), 0, 255).astype(np.uint8)
    return compare_images(list(before), list(made))


def write_comparison(found: Comparison, out: Path, extra: Mapping[str, Any]) -> Table:
    """Write bench.json, bench.csv, bench.tex and bench.png; returns the table."""
    out.mkdir(parents=True, exist_ok=True)
    table = found.table()
    content = {
        "people": found.people,
        "faces": found.faces,
        **extra,
        "results": [row.as_dict() for row in found.rows],
        "kept": [
            {"method": name, "level": level, **kept.as_dict()}
            for (name, level), kept in found.kept.items()
        ],
        "seed": 0,
        "versions": versions(),
    }
    text = json.dumps(content, indent=1) + "\n"
    (out / "bench.json").write_text(text, encoding="utf-8")
    write_table(table, out, "bench")
    _picture(found, out / "bench.png")
    return table


def _picture(found: Comparison, path: Path) -> None:
    """The worst attack of each recogniser over what is kept, one mark a method."""
    names = list(dict.fromkeys(row.recogniser for row in found.rows))
    figure, axes = new_figure(len(names))
    for axis, name in zip(axes, names, strict=True):
        for i, (method, level) in enumerate(found.kept):
            rates = [
                row.cmc.rank1.value
                for row in found.rows
                if (row.method, row.level, row.recogniser) == (method, level, name)
            ]
            kept = found.kept[method, level].ssim
            label = f"{method} {level:g}" if level else method
            axis.plot([kept], [max(rates)], label=label, **line_style(i), linestyle="none")
        axis.set(title=name, xlabel="SSIM kept", ylabel="rank-1, worst attack", ylim=(-0.02, 1.02))
        axis.legend(fontsize=6)
    save(figure, path)
