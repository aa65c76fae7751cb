"""M: Figures 5, 6, 8 and 9: k-Same-M, and how not to protect privacy: pixelation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from ksame.attacks.bench import Alter, BenchRow, Protocol, Rows, Universe, run, unaltered
from ksame.experiments.alterations import ad_hoc, k_same
from ksame.experiments.drawn import Drawn, train
from ksame.experiments.kept_classes import PROTOCOLS, Kept, Labelled, Method, classify
from ksame.experiments.outcome import (
    Cells,
    Experiment,
    Line,
    Outcome,
    Plot,
    Verdict,
    grid,
    matches,
    orders,
    stays,
)
from ksame.experiments.stills import Stills
from ksame.methods import KSameM, KSamePixel, KSameSelect
from ksame.metrics.tables import share
from ksame.recognition import Eigenfaces
from ksame.recognition.contract import FaceImages

KS = (2, 3, 5, 10, 20)
BLUR = (2, 5, 9, 17)  # standard deviations in pixels; M states none
BLOCKS = (2, 4, 8, 16)
_RANKS = 20  # of the match curves that are drawn
Methods = dict[str, dict[float, Alter]]

_PROTOCOL = "gallery neutral, probe smile, 30% of the people for training, five splits (M 5.2)"


def privacy(stills: Stills) -> Outcome:
    """M Figure 5: rank-1 of k-Same and k-Same-M on the smiling photos, one of each person."""
    first, second = stills.pairs("neutral", "smile")
    drawn = train(stills.take(np.concatenate([first, second])))
    codes = drawn.codes[len(first) :]
    pictures = Universe(drawn.draw(drawn.codes[: len(first)]), drawn.draw(codes))
    plain = Universe(stills.newton[first], stills.newton[second])
    ks = [k for k in KS if k <= 0.35 * len(first)]
    protocol, recogniser = Protocol(training=0.3, splits=5), Eigenfaces(0.98)
    whole: Methods = {
        "original": {0.0: unaltered},
        "k-same": {float(k): k_same(_pixel(k)) for k in ks},
    }
    inside: Methods = {
        "original, inside the mesh": {0.0: unaltered},
        "k-same, inside the mesh": {float(k): k_same(_pixel(k)) for k in ks},
        "k-same-m": {float(k): _k_same_m(drawn, codes, k) for k in ks},
    }
    rows = run(plain, whole, [recogniser], protocol=protocol)
    rows += run(pictures, inside, [recogniser], protocol=protocol)
    cells = Cells(tuple(rows))
    names = ("k-same", "k-same, inside the mesh", "k-same-m")
    table = grid(
        "Rank-1 rates; the paper: below 1/k",
        "k",
        ["unaltered", *map(str, ks)],
        ["1/k", *names],
        lambda k, method: (
            _unaltered(cells, method)
            if k == "unaltered"
            else share(1 / int(k))
            if method == "1/k"
            else cells.rate(method, level=float(k))
        ),
    )
    falling = [cells.rate("k-same-m", level=k).value for k in ks]
    verdicts = (
        orders(
            "M Figure 5a",
            "k-Same-M is recognised slightly more than k-Same (inside the same mesh, k = 2)",
            cells.rate("k-same-m", level=ks[0]),
            cells.rate("k-same, inside the mesh", level=ks[0]),
        ),
        Verdict(
            "M Figure 5b",
            "recognition of k-Same-M declines steadily with k",
            ", ".join(share(rate) for rate in falling),
            "agrees" if all(a > b for a, b in pairwise(falling)) else "differs",
        ),
    )
    return Outcome(
        tuple(row.as_dict() for row in rows),
        (table,),
        verdicts,
        Plot(
            panels={"rank-1": {m: cells.line(m) for m in names}},
            xlabel="k",
            bound=(ks, [1 / k for k in ks]),
        ),
        len(first),
        2 * len(first),
        _PROTOCOL,
    )


def _unaltered(cells: Cells, method: str) -> str:
    """The rate of unaltered faces, in the frame that a method works in."""
    if method == "1/k":
        return ""
    found = cells.rate("original" if method == "k-same" else "original, inside the mesh")
    return share(found.value)


def _pixel(k: int) -> Callable[[], KSamePixel]:
    return lambda: KSamePixel(k, random_state=0)


def _k_same_m(drawn: Drawn, codes: FaceImages, k: int) -> Alter:
    """k-Same-M on the probes' codes, drawn again (M algorithm 4.1)."""

    def alter(faces: FaceImages, people: Rows) -> FaceImages:
        return drawn.draw(KSameM(k, random_state=0).fit_transform(codes[people]))

    return alter


def utility(stills: Stills) -> Outcome:
    """M Figure 6: expression by an RBF support vector machine, after k-Same, k-Same-M and blur."""
    first, second = stills.pairs("neutral", "smile")
    both = stills.take(np.concatenate([first, second]))
    drawn, faces = train(both), both.newton.astype(np.float64)
    pictures = np.asarray(drawn.draw(drawn.codes), dtype=np.float64)
    flat, everyone = faces.reshape(len(faces), -1), np.arange(len(faces))
    ks = [k for k in KS if 2 * k <= len(first)]
    whole: dict[Method, FaceImages] = {("original", 0.0): faces}
    inside: dict[Method, FaceImages] = {("original, inside the mesh", 0.0): pictures}
    for sigma in BLUR:
        whole["blur", float(sigma)] = ad_hoc("blur", sigma)(faces, everyone)
    for k in ks:
        columns = {"persons": both.persons, "classes": both.expression}
        pixel = KSameSelect(KSamePixel(k, random_state=0)).fit_transform(flat, **columns)
        codes = KSameSelect(KSameM(k, random_state=0)).fit_transform(drawn.codes, **columns)
        whole["k-same", float(k)] = pixel
        inside["k-same-m", float(k)] = drawn.draw(codes)
    tasks = [
        Labelled(shown, both.expression, both.persons, made)
        for shown, made in ((faces, whole), (pictures, inside))
    ]
    parts = [classify(task, "rbf") for task in tasks]
    kept = Kept({key: rate for part in parts for key, rate in part.rates.items()})
    names = {f"{m} {lv:g}" if lv else m: (m, lv) for m, lv in kept.methods}
    table = grid(
        "Expression: accuracy; blur by its standard deviation",
        "method",
        list(names),
        PROTOCOLS,
        lambda name, protocol: kept.rate(names[name], protocol),
    )
    lines = {m: kept.line(m) for m in ("k-same", "k-same-m", "blur")}
    return Outcome(
        tuple(kept.rows("expression")),
        (table,),
        tuple(_utility_verdicts(kept, ks)),
        Plot(panels={"expression": lines}, xlabel="k or deviation", ylabel="accuracy"),
        len(first),
        len(faces),
        "expression, RBF kernel, groups within each expression (M, footnote), no person in two "
        "folds",
    )


def _utility_verdicts(kept: Kept, ks: Sequence[int]) -> list[Verdict]:
    """M's statements, at the middle levels and on faces of which none is in two folds."""
    k = ks[min(2, len(ks) - 1)]
    pixel, model = kept.rate(("k-same", float(k))), kept.rate(("k-same-m", float(k)))
    middle, last = (kept.rate(("blur", float(sigma))) for sigma in (BLUR[2], BLUR[-1]))
    base = kept.rate(("original", 0.0))
    if pixel is None or model is None or middle is None or last is None or base is None:
        return []
    return [
        orders("M Figure 6", f"k-Same (k = {k}) is above blur ({BLUR[2]})", pixel, middle),
        orders("M Figure 6", f"k-Same-M (k = {k}) is above blur ({BLUR[2]})", model, middle),
        orders("M Figure 6a", f"k-Same-M is slightly above k-Same (k = {k})", model, pixel),
        orders("M Figure 6b", f"blur loses utility (deviation {BLUR[-1]})", base, last),
    ]


def pixelation(stills: Stills) -> Outcome:
    """M Figures 8 and 9: pixelated probes, automatic parrot, resolution enhancement."""
    first, second = stills.pairs("neutral", "smile")
    universe = Universe(stills.newton[first], stills.newton[second])
    methods: Methods = {
        "original": {0.0: unaltered},
        "pixelate": {float(p): ad_hoc("pixelate", p) for p in BLOCKS},
    }
    attacks = ("naive", "auto-parrot", "enhance")
    rows = run(universe, methods, [Eigenfaces(0.98)], attacks, Protocol(training=0.3, splits=5))
    cells, base = Cells(tuple(rows)), Cells(tuple(rows)).rate("original")
    at = {a: {p: cells.rate("pixelate", a, p) for p in BLOCKS} for a in attacks}
    table = grid(
        "Rank-1 rates by block",
        "block",
        ["unaltered", *map(str, BLOCKS)],
        attacks,
        lambda block, attack: (
            (base if attack == "naive" else None)
            if block == "unaltered"
            else at[attack][int(block)]
        ),
        {("8", "naive"): ".40"},
    )
    verdicts = (
        stays("M Figure 8a", "p = 2 leaves recognition virtually unchanged", base, at["naive"][2]),
        stays("M Figure 8a", "p = 4 leaves recognition virtually unchanged", base, at["naive"][4]),
        matches("M Figure 8a", "p = 8 gives 40%", 0.40, at["naive"][8]),
        *(
            orders(
                "M Figure 8b",
                f"automatic parrot at p = {p} is above the unaltered rate",
                at["auto-parrot"][p],
                base,
            )
            for p in BLOCKS[:3]
        ),
        *(
            orders("M Figure 9", f"enhancement helps at p = {p}", at["enhance"][p], at["naive"][p])
            for p in BLOCKS[:2]
        ),
        orders("M Figure 9", "enhancement harms at p = 8", at["naive"][8], at["enhance"][8]),
    )
    curves = {
        attack: {f"{r.method} {r.level:g}": _curve(r) for r in rows if r.attack == attack}
        for attack in attacks
    }
    return Outcome(
        tuple(row.as_dict() for row in rows),
        (table,),
        verdicts,
        Plot(panels=curves, xlabel="rank", ylabel="cumulative recognition rate"),
        len(first),
        2 * len(first),
        _PROTOCOL,
    )


def _curve(row: BenchRow) -> Line:
    """The first ranks of a match curve."""
    rates = [float(rate) for rate in row.cmc.rates[:_RANKS]]
    return list(range(1, len(rates) + 1)), rates


LONDON = ("london",)
EXPERIMENTS = (
    Experiment("model-privacy", "M Figure 5", "k-Same-M against Eigenfaces", LONDON, privacy),
    Experiment("model-utility", "M Figure 6", "Expression kept by k-Same-M", LONDON, utility),
    Experiment(
        "model-pixelation", "M Figures 8 and 9", "Attacks on pixelation", LONDON, pixelation
    ),
)
