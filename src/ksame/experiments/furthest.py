"""F: Figure 6: k-Same-furthest, as printed and as ksame has it, against k-Same-M."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping

import numpy as np

from ksame.arrays import Array, Bools, Floats
from ksame.errors import GuaranteeError, NoGuaranteeWarning
from ksame.experiments.drawn import train
from ksame.experiments.outcome import (
    Experiment,
    Outcome,
    Plot,
    Verdict,
    grid,
    matches,
    orders,
    told,
)
from ksame.experiments.stills import Stills
from ksame.methods import KSame, KSameFurthest, KSameM, KSameSelect
from ksame.metrics.cmc import Ranking, curve, pooled, ranking
from ksame.metrics.intervals import Rate
from ksame.metrics.tables import share
from ksame.recognition import CodeSpace, Eigenfaces, Recogniser

KS = (2, 3, 4, 5, 6, 8, 10)
_EXPRESSIONS = ("neutral", "smile", "joker")
_BELOW = 0.025  # F: k-Same-M stays 2 to 3% below 1/k in the AAM's space

Release = Callable[[Floats, Array, Array, int], Floats]


def _by_expression(make: Callable[[int], KSame]) -> Release:
    """F's way: the photos of each expression are a set of their own, one photo per person."""

    def release(codes: Floats, persons: Array, expression: Array, k: int) -> Floats:
        made = np.empty_like(codes)
        for shown in np.unique(expression):
            rows = np.flatnonzero(expression == shown)
            made[rows] = make(k).fit_transform(codes[rows], persons=persons[rows])
        return made

    return release


def _by_people(codes: Floats, persons: Array, expression: Array, k: int) -> Floats:
    """ksame's way: a person is in one group, which has a face for each expression."""
    method = KSameSelect(KSameFurthest(k, random_state=0))
    return np.asarray(method.fit_transform(codes, persons=persons, classes=expression))


METHODS: Mapping[str, Release] = {
    "k-same-m": _by_expression(lambda k: KSameM(k, random_state=0)),
    "furthest as printed": _by_expression(
        lambda k: KSame(k, grouping="furthest-literal", random_state=0)
    ),
    "furthest enforced": _by_expression(lambda k: KSameFurthest(k, random_state=0)),
    "furthest enforced, by people": _by_people,
}


def privacy(stills: Stills, splits: int = 10) -> Outcome:
    """Rank-1 of de-identified faces against all originals, ten random training sets."""
    near = stills.take(np.flatnonzero(np.isin(stills.expression, _EXPRESSIONS)))
    people = np.unique(near.persons)
    ks = [k for k in KS if 2 * k <= len(people)]
    rng = np.random.default_rng(0)
    found: dict[tuple[str, str, int], list[Ranking]] = {}
    for _ in range(splits):
        chosen = rng.choice(people, round(0.7 * len(people)), replace=False)
        for key, ranks in _one_split(near, np.isin(near.persons, chosen), ks).items():
            found.setdefault(key, []).append(ranks)
    # a k at which furthest refused some set is left out: what it would have released is not known
    complete = {key: ranks for key, ranks in found.items() if len(ranks) == splits}
    rates = {key: curve(pooled(ranks)).rank1 for key, ranks in complete.items()}
    rows = tuple(
        {"recogniser": r, "method": m, "level": k, "attack": "naive", "rank1": v.as_dict()}
        for (r, m, k), v in rates.items()
    )
    tables = tuple(
        grid(
            title,
            "k",
            [str(k) for k in ks],
            ["1/k", *METHODS],
            lambda k, method, s=space: (  # type: ignore[misc]
                share(1 / int(k)) if method == "1/k" else rates.get((s, method, int(k)), "refused")
            ),
            {
                (str(k), "furthest as printed"): "0" if space == "aam" else "slightly above 0"
                for k in ks
            },
        )
        for space, title in (("aam", "In the AAM's space"), ("eigenfaces", "Eigenfaces"))
    )
    return Outcome(
        rows,
        tables,
        tuple(_verdicts(rates, ks)),
        Plot(
            panels={space: _lines(rates, space) for space in ("aam", "eigenfaces")},
            xlabel="k",
            bound=(ks, [1 / k for k in ks]),
        ),
        len(people),
        len(near),
        f"70% of the people train the spaces, all originals are the gallery, {splits} random sets",
    )


def _lines(
    rates: Mapping[tuple[str, str, int], Rate], space: str
) -> dict[str, tuple[list[float], list[float]]]:
    return {
        method: (
            [float(k) for s, m, k in rates if (s, m) == (space, method)],
            [v.value for (s, m, _), v in rates.items() if (s, m) == (space, method)],
        )
        for method in METHODS
    }


def _one_split(
    stills: Stills, training: Bools, ks: list[int]
) -> dict[tuple[str, str, int], Ranking]:
    """All methods and k with spaces trained on some of the people."""
    drawn = train(stills, np.flatnonzero(training))
    pictures = drawn.draw(drawn.codes)
    pixels = Eigenfaces(0.98).fit(pictures[training])
    spaces: dict[str, tuple[Recogniser, Array]] = {
        "aam": (CodeSpace(), drawn.codes),
        "eigenfaces": (pixels, pixels.describe(pictures)),
    }
    made: dict[tuple[str, str, int], Ranking] = {}
    for method, release in METHODS.items():
        for k in ks:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", NoGuaranteeWarning)
                    codes = release(drawn.codes, stills.persons, stills.expression, k)
            except GuaranteeError:  # furthest refuses a k at which its zero cannot be reached
                continue
            probes = {"aam": codes, "eigenfaces": pixels.describe(drawn.draw(codes))}
            for name, (space, gallery) in spaces.items():
                distances = space.distances(probes[name], gallery)
                made[name, method, k] = ranking(distances, stills.persons, stills.persons)
    return made


def _verdicts(rates: Mapping[tuple[str, str, int], Rate], ks: list[int]) -> list[Verdict]:
    printed = {k: rates["aam", "furthest as printed", k] for k in ks}
    worst = max(printed, key=lambda k: printed[k].value)
    k = ks[0]
    model = {space: rates[space, "k-same-m", k] for space in ("aam", "eigenfaces")}
    return [
        Verdict(
            "F Figure 6, theorem 3",
            "F's own algorithm: always 0 under its own distance",
            f"at most {told(printed[worst])}, at k = {worst}",
            "agrees" if printed[worst].value == 0 else "differs",
        ),
        orders(
            "F Figure 6",
            f"PCA: F's algorithm stays far below k-Same-M (k = {k})",
            model["eigenfaces"],
            rates["eigenfaces", "furthest as printed", k],
        ),
        matches(
            "F Figure 6",
            f"AAM: k-Same-M is 2 to 3% below 1/k (k = {k})",
            1 / k - _BELOW,
            model["aam"],
        ),
        orders(
            "F Figure 6",
            f"k-Same-M is recognised less by PCA than in the AAM's space (k = {k})",
            model["aam"],
            model["eigenfaces"],
        ),
    ]


EXPERIMENTS = (
    Experiment(
        "furthest-privacy",
        "F Figure 6",
        "k-Same-furthest and k-Same-M",
        ("imm",),
        privacy,
        hand_marked=True,
    ),
)
