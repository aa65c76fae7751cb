"""Methods side by side on one set of faces: what is still recognised, and what is kept.

Faces are the attacker's crops, so that every recogniser of `ksame attack` can take part. Tools that
change photos get the crops as photos.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ksame.arrays import Floats
from ksame.attacks.arrays import ArrayCase, once
from ksame.attacks.bench import Alter, BenchRow, Protocol, Universe, run
from ksame.attacks.looks import compare_crops
from ksame.attacks.report import bench_table, write_table
from ksame.attacks.table import ATTACKS
from ksame.experiments.bench_methods import Named
from ksame.experiments.stills import Stills
from ksame.metrics.agreement import Agreement
from ksame.metrics.displays import (
    CMCDisplay,
    PrivacyUtilityDisplay,
    ROCDisplay,
    line_style,
    new_figure,
    save,
)
from ksame.metrics.tables import Table, share
from ksame.metrics.utility import OperatingPoint
from ksame.recognition.contract import Recogniser

_BY_PIXELS = "informed"  # the same figure, whatever the recogniser
_PAIRS = 24  # original and released faces on which is measured what is kept


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
        rows = [
            (*cells, *_kept_cells(self.kept[row.method, row.level]))
            for row, cells in zip(self.rows, plain.rows, strict=True)
        ]
        return Table((*plain.columns, *_KEPT), tuple(rows), self.title)

    def overview(self) -> Table:
        """One row for each method: rank-1 by attack, a figure for each recogniser."""
        tried = {row.attack for row in self.rows}
        attacks = [name for name in ATTACKS if name in tried]
        heads = [f"{name}: {' / '.join(self.recognisers)}" for name in attacks[:1]] + attacks[1:]
        rows = []
        for method, level in self.kept:
            cells = [self._cell(method, level, attack) for attack in attacks]
            rows.append((_label(method, level), *cells, *_kept_cells(self.kept[method, level])))
        return Table(("method", *heads, *_KEPT), tuple(rows), self.title)

    def summary(self) -> Table:
        """One row for each method: the worst attack by each recogniser, and what is kept."""
        rows = []
        for method, level in self.kept:
            found = [r for r in self._of(method, level) if r.attack != _BY_PIXELS]
            worst = [
                max((r for r in found if r.recogniser == name), key=lambda r: r.cmc.rank1.value)
                for name in self.recognisers
            ]
            cells = [f"{share(row.cmc.rank1.value, 2)} {row.attack}" for row in worst]
            rows.append((_label(method, level), *cells, *_kept_cells(self.kept[method, level])))
        return Table(("method", *self.recognisers, *_KEPT), tuple(rows), self.title)

    def _cell(self, method: str, level: float, attack: str) -> str:
        """Rank-1 of one attack by every recogniser."""
        by = {
            row.recogniser: share(row.cmc.rank1.value)
            for row in self._of(method, level)
            if row.attack == attack
        }
        if attack == _BY_PIXELS:
            return next(iter(by.values()), "")
        return " / ".join(by.get(name, "-") for name in self.recognisers) if by else ""

    @property
    def title(self) -> str:
        """How many people and faces were compared."""
        return f"{self.people} people, {self.faces} faces"

    @property
    def recognisers(self) -> list[str]:
        """Their names, in order."""
        return list(dict.fromkeys(row.recogniser for row in self.rows))

    def _of(self, method: str, level: float) -> list[BenchRow]:
        return [row for row in self.rows if (row.method, row.level) == (method, level)]


_KEPT = (
    "still a face",
    "expression",
    "gaze",
    "pose (degrees)",
    "sex",
    "age (years)",
    "SSIM",
    "Frechet SFace",
)


def _kept_cells(kept: Agreement) -> tuple[str, ...]:
    """What is kept: shares and correlations, degrees and years, and a distance."""
    found = kept.detected.get("yunet")
    return (
        share(None if found is None else found.value, 2),
        share(kept.expression, 2),
        share(kept.gaze, 2),
        "" if kept.pose is None else f"{kept.pose:.1f}",
        share(None if kept.sex is None else kept.sex.value, 2),
        "" if kept.age is None else f"{kept.age:.0f}",
        share(kept.ssim, 2),
        "" if kept.frechet_sface is None else f"{kept.frechet_sface:.2f}",
    )


def _label(method: str, level: float) -> str:
    return f"{method} {level:g}" if level else method


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
    rows: list[BenchRow] = []
    kept: dict[tuple[str, float], Agreement] = {}
    known: dict[bytes, Floats] = {}
    for method in methods:
        alter = once(method.alter)  # what is attacked is what is looked at, and made once
        wanted = {method.name: {method.level: alter}}
        rows += run(universe, wanted, recognisers, attacks, protocol, step)
        kept[method.name, method.level] = _kept(universe, alter, protocol, known)
    return Comparison(tuple(rows), kept, len(universe), len(universe.probe))


def _kept(
    universe: Universe, alter: Alter, protocol: Protocol, known: dict[bytes, Floats]
) -> Agreement:
    """What is kept of the faces that are attacked in the first split."""
    training, people = next(protocol.divisions(len(universe)))
    case = ArrayCase(universe, alter, training, people)
    before = np.asarray(universe.probe)[np.isin(universe.shown, people)]
    made = np.clip(np.rint(case.release.faces), 0, 255).astype(np.uint8)
    return compare_crops(before, made, _PAIRS, known)


def write_comparison(found: Comparison, out: Path, content: Mapping[str, Any]) -> Table:
    """Write bench.json, bench.csv, bench.tex, bench.png and curves; returns the table."""
    out.mkdir(parents=True, exist_ok=True)
    table = found.table()
    text = json.dumps(content, indent=1) + "\n"
    (out / "bench.json").write_text(text, encoding="utf-8")
    write_table(table, out, "bench")
    _picture(found, out / "bench.png")
    _curves(found, out)
    _privacy_utility(found, out / "privacy-utility.png")
    return table


def bench_blocks(found: Comparison, command: str) -> dict[str, str]:
    """What `--docs` writes into a page: every attack, and the worst one alone."""
    told = f"{found.title}. Written by `{command}`.\n\n"
    return {
        "bench": told + found.overview().markdown(),
        "bench-summary": f"{found.title}.\n\n" + found.summary().markdown(),
    }


def _curves(found: Comparison, out: Path) -> None:
    """Match curves and verification of the first attack, a panel for each recogniser."""
    first = found.rows[0].attack
    cmc, roc = new_figure(len(found.recognisers)), new_figure(len(found.recognisers))
    for name, left, right in zip(found.recognisers, cmc[1], roc[1], strict=True):
        rows = [r for r in found.rows if (r.recogniser, r.attack) == (name, first)]
        cells = {_label(r.method, r.level): r.measured for r in rows}
        title = f"{name}, {first}"
        CMCDisplay({label: cell.cmc for label, cell in cells.items()}).plot(left, title=title)
        curves = {label: cell.roc for label, cell in cells.items() if cell.roc is not None}
        ROCDisplay(curves).plot(right, title=title)
    save(cmc[0], out / "cmc.png")
    save(roc[0], out / "roc.png")


def _privacy_utility(found: Comparison, path: Path) -> None:
    """The worst attack of each recogniser over the expression that is kept, level by level."""
    figure, axes = new_figure(len(found.recognisers))
    for axis, name in zip(axes, found.recognisers, strict=True):
        points: dict[str, list[OperatingPoint]] = {}
        for (method, level), kept in found.kept.items():
            rows = [r for r in found._of(method, level) if r.recogniser == name]
            rates = [r.cmc.rank1 for r in rows if r.attack != _BY_PIXELS]
            if rates and kept.expression is not None:
                worst = max(rates, key=lambda rate: rate.value)
                point = OperatingPoint(round(level), 1.0, worst, kept.expression, float("nan"))
                points.setdefault(method, []).append(point)
        PrivacyUtilityDisplay(points, word="level").plot(axis, title=name)
    save(figure, path)


def _picture(found: Comparison, path: Path) -> None:
    """The worst attack of each recogniser over what is kept, one mark a method."""
    names = found.recognisers
    figure, axes = new_figure(len(names))
    for axis, name in zip(axes, names, strict=True):
        for i, (method, level) in enumerate(found.kept):
            rates = [
                row.cmc.rank1.value
                for row in found.rows
                if (row.method, row.level, row.recogniser) == (method, level, name)
            ]
            kept = found.kept[method, level].ssim
            axis.plot(
                [kept], [max(rates)], label=_label(method, level), **line_style(i), linestyle="none"
            )
        axis.set(title=name, xlabel="SSIM kept", ylabel="rank-1, worst attack", ylim=(-0.02, 1.02))
        axis.legend(fontsize=6)
    save(figure, path)
