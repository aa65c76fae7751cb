"""Confidence intervals for measured rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ksame.arrays import AnyFloats, Floats, Indices, Labels
from ksame.errors import InputError


@dataclass(frozen=True)
class Rate:
    """A share of trials with its confidence interval.

    `hits` may be fractional: a probe that ties with t impostors counts 1 / (t + 1). `people` says
    how many people the trials are of, where the interval takes them for what is independent.
    """

    hits: float
    trials: int
    low: float
    high: float
    people: int | None = None

    @property
    def value(self) -> float:
        """The measured rate."""
        return self.hits / self.trials

    def within(self, bound: float) -> bool:
        """Whether the interval does not contradict `rate <= bound`."""
        return self.low <= bound

    def as_dict(self) -> dict[str, float | int]:
        """The rate as plain numbers, for JSON."""
        found = {
            "rate": self.value,
            "hits": self.hits,
            "trials": self.trials,
            "low": self.low,
            "high": self.high,
        }
        return found if self.people is None else {**found, "people": self.people}


def clopper_pearson(hits: float, trials: float, level: float = 0.95) -> tuple[float, float]:
    """Exact two-sided binomial interval (Clopper & Pearson 1934).

    Guarantee: for independent trials the interval covers the true rate with probability of at
    least `level`, whatever that rate is. Fractional hits and trials interpolate between the integer
    cases.
    """
    if trials < 1:
        raise InputError(f"trials={trials} must be at least 1. Attack at least one probe.")
    if not 0 <= hits <= trials:
        raise InputError(f"hits={hits} must lie between 0 and trials={trials}.")
    if not 0 < level < 1:
        raise InputError(f"level={level} must lie strictly between 0 and 1, for example 0.95.")
    from scipy.special import betaincinv  # slow to import: workers of a release never need it

    tail = (1 - level) / 2
    low = 0.0 if hits <= 0 else float(betaincinv(hits, trials - hits + 1, tail))
    high = 1.0 if hits >= trials else float(betaincinv(hits + 1, trials - hits, 1 - tail))
    return low, high


def rate(hits: float, trials: int, level: float = 0.95) -> Rate:
    """The share `hits / trials` with its Clopper-Pearson interval: trials are independent."""
    low, high = clopper_pearson(hits, trials, level)
    return Rate(float(hits), int(trials), low, high)


def clustered_rate(
    hits: AnyFloats | Sequence[float],
    people: Labels,
    level: float = 0.95,
) -> Rate:
    """The share of hits, with an interval in which people, not trials, are independent.

    Several photos of a person, and the same person in several random splits, succeed and fail
    together: counted one by one they would make the interval too narrow. As many independent trials
    as would give the variance between people take the place of the trials (Korn & Graubard 1998).
    Where all trials have the same outcome that variance is not known, and people are counted.

    Parameters
    ----------
    hits
        The outcome of each trial, in [0, 1].
    people
        Whose trial it is.
    """
    outcome = np.asarray(hits, dtype=np.float64)
    if len(outcome) != len(people):
        raise InputError(f"{len(outcome)} hits need one person each; there are {len(people)}.")
    names, member = np.unique(np.asarray(people), return_inverse=True)
    share = float(outcome.mean()) if len(outcome) else 0.0
    count = _independent(outcome - share, member, len(names), share * (1 - share), level)
    low, high = clopper_pearson(share * count, count, level)
    return Rate(float(outcome.sum()), len(outcome), low, high, people=len(names))


def _independent(
    rest: Floats,
    member: Indices,
    people: int,
    binomial: float,
    level: float,
) -> float:
    """How many independent trials tell as much as these."""
    totals = np.bincount(member, rest, minlength=people)
    variance = float((totals**2).sum()) / max(len(rest), 1) ** 2
    if people < 2 or binomial <= 0 or variance <= 1e-12 * binomial:
        return float(people)
    from scipy.special import stdtrit

    variance *= people / (people - 1)
    upper = 1 - (1 - level) / 2
    # fewer people make the variance itself less certain
    wider = (stdtrit(len(rest) - 1, upper) / stdtrit(people - 1, upper)) ** 2
    return float(np.clip(binomial / variance * wider, 1.0, len(rest)))
