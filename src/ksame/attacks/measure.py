"""From distances to the figures that an attack is reported with."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ksame.attacks.case import Trial
from ksame.attacks.inside import Inside, inside_groups
from ksame.attacks.many import rows_of
from ksame.attacks.outcomes import SHARES, Outcome, Reference, outcome_of, rank1_of, rate_of
from ksame.metrics.cmc import Cmc, curve, pooled
from ksame.metrics.intervals import Rate, rate
from ksame.metrics.roc import Roc, verification

RATES = (
    "rank1_other",
    "without_donors",
    "tar_10pct",
    "tar_1pct",
    "tar_01pct",
    "open_1pct",
    "top_is_donor",
    "single_donor",
)
SCORES = ("equal_error", "area")


@dataclass(frozen=True)
class Measured:
    """One attack by one recogniser.

    `rank1` counts the very photo that was altered as part of the gallery; `rank1_other` leaves it
    out, so that another photo of the person has to be found. `tar_10pct`, `tar_1pct` and
    `tar_01pct` accept at the threshold that lets 10%, 1% and 0.1% of different people pass on
    unaltered photos. `open_1pct` is the share found among people of whom most are not enrolled, at
    the threshold that gives 1% of unaltered strangers a name. `equal_error` and `area` are those
    of the attack's own ROC; an attack that knows nothing has 0.5 of both. `without_donors` takes
    the people whose faces the surrogate shows out of the gallery, unless they are the person.
    `top_is_donor` is the share of probes whose best match is a donor, and `single_donor` the share
    of surrogates whose faces all have one and the same donor as best match and accept nobody else
    at 0.1% false accepts. `inside` are the rates among the people of the probe's own group.
    Intervals take people, not photos, for independent.
    """

    recogniser: str
    attack: str
    probes: int
    people: int
    cmc: Cmc = field(repr=False)
    roc: Roc | None = field(default=None, repr=False)
    equal_error: float | None = None
    area: float | None = None
    rank1_other: Rate | None = None
    without_donors: Rate | None = None
    tar_10pct: Rate | None = None
    tar_1pct: Rate | None = None
    tar_01pct: Rate | None = None
    open_1pct: Rate | None = None
    top_is_donor: Rate | None = None
    single_donor: Rate | None = None
    inside: Inside | None = None
    note: str = ""

    @property
    def rank1(self) -> Rate:
        """The share of probes whose person is matched first."""
        return self.cmc.rank1

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON; figures that could not be measured are null."""
        found: dict[str, Any] = {
            "recogniser": self.recogniser,
            "attack": self.attack,
            "probes": self.probes,
            "people": self.people,
            "chance": self.cmc.chance,
            "rank1": self.cmc.rank1.as_dict(),
        }
        for name in RATES:
            value = getattr(self, name)
            found[name] = None if value is None else value.as_dict()
        for name in SCORES:
            found[name] = getattr(self, name)
        found["inside_groups"] = None if self.inside is None else self.inside.as_dict()
        found["cmc"] = [round(float(r), 6) for r in self.cmc.rates]
        return {**found, "note": self.note}


def measure(
    recogniser: str,
    attack: str,
    trials: Sequence[Trial],
    references: Sequence[Reference] = (),
    groups: Sequence[Hashable | None] = (),
) -> Measured:
    """All figures of one attack; the trials of several splits are pooled.

    `references` holds one for each trial; without them there is no fair threshold, and what needs
    one is left out. `groups` are the surrogates of the probes of a single trial.
    """
    told = [t if any(t.donors) else replace(t, donors=()) for t in trials]
    fair: Sequence[Reference | None] = references if len(references) else [None] * len(told)
    found = figures(
        recogniser,
        attack,
        [outcome_of(trial, reference) for trial, reference in zip(told, fair, strict=True)],
        [verification(t.distances, t.gallery, t.probes) for t in told if _both_kinds(t)],
        groups if len(told) == 1 else None,
    )
    inside = inside_groups(told[0], groups) if len(told) == 1 else None
    return replace(found, inside=inside, note=told[0].note)


def _both_kinds(trial: Trial) -> bool:
    """Whether there are pairs of one person and pairs of two."""
    return len(np.unique(trial.gallery)) > 1


def figures(
    recogniser: str,
    attack: str,
    outcomes: Sequence[Outcome],
    curves: Sequence[Roc],
    groups: Sequence[Hashable | None] | None,
) -> Measured:
    """The figures of splits, or of the blocks of one trial, from what was told of their probes.

    `groups` are the surrogates of all probes of one release, None where the outcomes are of several
    releases: what is told of surrogates needs one.
    """
    accepted = [[o.accepted.get(share) for o in outcomes] for share in SHARES]
    donors = _donor_figures(outcomes, groups) if groups is not None else (None, None)
    return Measured(
        recogniser=recogniser,
        attack=attack,
        probes=sum(len(o.ranked) for o in outcomes),
        people=outcomes[0].people,
        cmc=curve(pooled([o.ranked for o in outcomes])),
        roc=curves[0] if len(curves) == 1 else None,
        equal_error=float(np.mean([c.equal_error for c in curves])) if curves else None,
        area=float(np.mean([c.area for c in curves])) if curves else None,
        rank1_other=rank1_of([o.other for o in outcomes]),
        without_donors=rank1_of([o.without_donors for o in outcomes]),
        tar_10pct=rate_of(accepted[0], outcomes),
        tar_1pct=rate_of(accepted[1], outcomes),
        tar_01pct=rate_of(accepted[2], outcomes),
        open_1pct=rate_of([o.named for o in outcomes], outcomes),
        top_is_donor=donors[0],
        single_donor=donors[1],
    )


def _donor_figures(
    outcomes: Sequence[Outcome], groups: Sequence[Hashable | None]
) -> tuple[Rate | None, Rate | None]:
    """Share of probes whose best match is a donor, and of surrogates that single one out."""
    shown = [o.is_donor for o in outcomes if o.is_donor is not None]
    alone = [o.alone for o in outcomes if o.alone is not None]
    if len(shown) < len(outcomes):
        return None, None
    is_donor = np.concatenate(shown)
    share = rate_of([hit.astype(np.float64) for hit in shown], outcomes)
    if len(alone) < len(outcomes) or len(groups) != len(is_donor):
        return share, None
    best = np.concatenate([o.best for o in outcomes])
    by_itself = is_donor & np.concatenate(alone)
    surrogates = rows_of(groups).values()
    singled = sum(by_itself[rows].all() and len(set(best[rows])) == 1 for rows in surrogates)
    return share, rate(int(singled), len(surrogates)) if surrogates else None
