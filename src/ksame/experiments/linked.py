"""Beyond the papers: what two releases of the same people give away together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from ksame.attacks.intersection import candidates, fused_ranking, informed_rate
from ksame.experiments.outcome import Experiment, Outcome, Plot, grid, told
from ksame.experiments.stills import Stills
from ksame.methods import KSamePixel
from ksame.metrics.cmc import curve
from ksame.metrics.intervals import Rate
from ksame.metrics.tables import share
from ksame.recognition import Eigenfaces
from ksame.recognition.contract import FaceImages

KS = (2, 3, 5, 10, 20)
_COLUMNS = (
    "1/k",
    "independent, informed",
    "independent, Eigenfaces",
    "by people, informed",
    "by people, Eigenfaces",
    "fewest candidates, independent",
)


@dataclass(frozen=True)
class TwoReleases:
    """Two releases of the same people: the rate of one who knows all groups, and Eigenfaces'."""

    informed: float
    eigenfaces: Rate
    fewest: int


def intersection(stills: Stills) -> Outcome:
    """Two photos of each person: released independently, and as ksame does, by people."""
    first, second = stills.pairs("neutral", "smile")
    flat = [
        stills.newton[rows].astype(np.float64).reshape(len(rows), -1) for rows in (first, second)
    ]
    ks = [k for k in KS if 2 * k <= len(first)]
    model = Eigenfaces(0.98).fit(flat[0])
    apart = {k: _independent(model, flat, k) for k in ks}
    once = {k: _by_people(model, flat, k) for k in ks}

    def cell(k: str, column: str) -> str:
        one, other = apart[int(k)], once[int(k)]
        return {
            "1/k": share(1 / int(k)),
            "independent, informed": share(one.informed),
            "independent, Eigenfaces": told(one.eigenfaces),
            "by people, informed": share(other.informed),
            "by people, Eigenfaces": told(other.eigenfaces),
            "fewest candidates, independent": str(one.fewest),
        }[column]

    table = grid("Rank-1 rates of linked releases", "k", [str(k) for k in ks], _COLUMNS, cell)
    both = (("independent", apart), ("by people", once))
    lines = {f"{name}, informed": (ks, [found[k].informed for k in ks]) for name, found in both}
    lines |= {
        f"{name}, Eigenfaces": (ks, [found[k].eigenfaces.value for k in ks]) for name, found in both
    }
    return Outcome(
        tuple({"k": k, "grouping": name, **asdict(found[k])} for name, found in both for k in ks),
        (table,),
        (),
        Plot(panels={"two releases": lines}, xlabel="k", bound=(ks, [1 / k for k in ks])),
        len(first),
        2 * len(first),
        "neutral and smile photo of each person, linked; gallery neutral",
    )


def _independent(model: Eigenfaces, flat: Sequence[FaceImages], k: int) -> TwoReleases:
    methods = [KSamePixel(k, random_state=seed) for seed in (1, 2)]
    made = [method.fit_transform(x) for method, x in zip(methods, flat, strict=True)]
    return _measured(model, flat[0], made, [method.labels_ for method in methods], k)


def _by_people(model: Eigenfaces, flat: Sequence[FaceImages], k: int) -> TwoReleases:
    people = len(flat[0])
    method = KSamePixel(k, random_state=1)
    both = method.fit_transform(np.concatenate(flat), persons=np.tile(np.arange(people), 2))
    labels = [method.labels_[:people], method.labels_[people:]]
    return _measured(model, flat[0], [both[:people], both[people:]], labels, k)


def _measured(
    model: Eigenfaces,
    gallery: FaceImages,
    made: Sequence[FaceImages],
    labels: Sequence[FaceImages],
    k: int,
) -> TwoReleases:
    found = curve(fused_ranking(model, gallery, made, k=k)).rank1
    return TwoReleases(informed_rate(labels), found, int(candidates(labels).min()))


EXPERIMENTS = (
    Experiment(
        "intersection",
        "beyond the papers (N section 8)",
        "Two releases of one person",
        ("london",),
        intersection,
    ),
)
