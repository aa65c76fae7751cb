"""Confidence intervals for measured rates."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.special import betaincinv

from ksame.errors import InputError


@dataclass(frozen=True)
class Rate:
    """A share of trials with its exact confidence interval.

    `hits` may be fractional: a probe that ties with t impostors counts 1 / (t + 1).
    """

    hits: float
    trials: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The measured rate."""
        return self.hits / self.trials

    def within(self, bound: float) -> bool:
        """Whether the interval does not contradict `rate <= bound`."""
        return self.low <= bound

    def as_dict(self) -> dict[str, float | int]:
        """The rate as plain numbers, for JSON."""
        return {
            "rate": self.value,
            "hits": self.hits,
            "trials": self.trials,
            "low": self.low,
            "high": self.high,
        }


def clopper_pearson(hits: float, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Exact two-sided binomial interval (Clopper & Pearson 1934).

    Guarantee: for independent trials the interval covers the true rate with probability of at
    least `level`, whatever that rate is. Fractional hits interpolate between the integer cases.
    """
    if trials < 1:
        raise InputError(f"trials={trials} must be at least 1. Attack at least one probe.")
    if not 0 <= hits <= trials:
        raise InputError(f"hits={hits} must lie between 0 and trials={trials}.")
    if not 0 < level < 1:
        raise InputError(f"level={level} must lie strictly between 0 and 1, for example 0.95.")
    tail = (1 - level) / 2
    low = 0.0 if hits <= 0 else float(betaincinv(hits, trials - hits + 1, tail))
    high = 1.0 if hits >= trials else float(betaincinv(hits + 1, trials - hits, 1 - tail))
    return low, high


def rate(hits: float, trials: int, level: float = 0.95) -> Rate:
    """The share `hits / trials` with its Clopper-Pearson interval."""
    low, high = clopper_pearson(hits, trials, level)
    return Rate(float(hits), int(trials), low, high)
