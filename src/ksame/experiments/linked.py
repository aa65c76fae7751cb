"""Beyond the papers: what two releases of the same people give away together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ksame.attacks.intersection import candidates, fused_ranking, informed_rate
from ksame.experiments.outcome import Claim, Experiment, Outcome, Plot
from ksame.experiments.stills import Stills
from ksame.methods import KSamePixel
from ksame.metrics.cmc import curve
from ksame.recognition import Eigenfaces
from ksame.recognition.contract import Faces

KS = (2, 3, 5, 10, 20)


def intersection(stills: Stills) -> Outcome:
    """Two photos of each person: released independently, and as ksame does, by people."""
    first, second = stills.pairs("neutral", "smile")
    faces = [stills.newton[rows].astype(np.float64) for rows in (first, second)]
    flat = [f.reshape(len(f), -1) for f in faces]
    people = np.arange(len(first))
    ks = [k for k in KS if 2 * k <= len(people)]
    model = Eigenfaces(0.98).fit(flat[0])
    rows = []
    for k in ks:
        apart = [KSamePixel(k, random_state=seed) for seed in (1, 2)]
        made = [m.fit_transform(x) for m, x in zip(apart, flat, strict=True)]
        once = KSamePixel(k, random_state=1)
        both = once.fit_transform(np.concatenate(flat), persons=np.tile(people, 2))
        halves = [both[: len(people)], both[len(people) :]]
        labels = [m.labels_ for m in apart]
        kept = [once.labels_[: len(people)], once.labels_[len(people) :]]
        rows.append(
            {
                "k": k,
                "bound": 1 / k,
                "independent, informed": informed_rate(labels),
                "independent, eigenfaces": _fused(model, flat[0], made, k),
                "consistent, informed": informed_rate(kept),
                "consistent, eigenfaces": _fused(model, flat[0], halves, k),
                "fewest candidates, independent": int(candidates(labels).min()),
            }
        )
    names = [name for name in rows[0] if "ent, " in name and "fewest" not in name]
    lines = {name: (ks, [float(row[name]) for row in rows]) for name in names}
    broken = min(float(r["independent, informed"]) / r["bound"] for r in rows)
    held = max(float(r[n]) / r["bound"] for r in rows for n in names if n.startswith("consistent"))
    seen = max(float(r["independent, eigenfaces"]) / r["bound"] for r in rows)
    claims = (
        Claim("N section 8, intersection", "two independently made releases are broken",
              f"informed: at least {broken:.2f} times 1/k; Eigenfaces alone: up to {seen:.2f} "
              "times", broken > 1.0),
        Claim("ksame", "person-consistent releases keep 1/k", f"at most {held:.2f} times 1/k",
              held <= 1.0 + 1e-9),
    )  # fmt: skip
    return Outcome(
        tuple(rows),
        claims,
        Plot(panels={"two releases": lines}, xlabel="k", bound=(ks, [1 / k for k in ks])),
        len(people),
        2 * len(people),
        "neutral and smile photo of each person, linked; gallery neutral",
    )


def _fused(model: Eigenfaces, gallery: Faces, releases: Sequence[Faces], k: int) -> float:
    found = fused_ranking(model, gallery, releases, k=k)
    return curve(found).rank1.value


EXPERIMENTS = (
    Experiment(
        "intersection", "SPEC, N section 8", "Two releases of one person", "london", intersection
    ),
)
