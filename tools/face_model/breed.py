"""Candidates for the pool: mixtures of a few training people of like looks, at full length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats32 = npt.NDArray[np.float32]

PARENTS = 4
_AGE_REACH, _TONE_REACH = 0.22, 10.0
# a mixture is implausible where it is longer than any parent or one number is out of all measure
_LONGEST, _FURTHEST = 1.12, 3.4


@dataclass(frozen=True)
class Parents:
    """Codes (n, c) of the training people and their looks."""

    codes: Floats32
    female: Floats32
    age: Floats32
    tone: Floats32


def breed(
    parents: Parents, rng: np.random.Generator, female: bool, age: float, tone: float
) -> Floats32 | None:
    """A new person of these looks, or None where the mixture is implausible.

    Deviations of parents from what people of their looks have in common are mixed, and scaled to
    the length that individuals' deviations have, so that the mixture is no mean face.
    """
    log = np.log(np.clip(parents.female if female else 1 - parents.female, 1e-4, 1)) * 4
    log -= ((np.log1p(parents.age) - np.log1p(age)) / _AGE_REACH) ** 2 / 2
    log -= ((parents.tone - tone) / _TONE_REACH) ** 2 / 2
    likely = np.exp(log - log.max())
    likely /= likely.sum()
    if 1 / (likely**2).sum() < 2 * PARENTS:  # too few people have these looks
        likely = (likely + 1e-3 * np.exp((log - log.max()) / 4) / len(log)) ** 0.6
        likely /= likely.sum()
    chosen = rng.choice(len(likely), PARENTS, replace=False, p=likely)
    share = rng.dirichlet(np.full(PARENTS, 4.0))
    centre = likely @ parents.codes
    mixed = share @ (parents.codes[chosen] - centre) / np.linalg.norm(share)
    code = centre + mixed
    longest = np.linalg.norm(parents.codes, axis=1)
    if np.linalg.norm(code) > _LONGEST * np.quantile(longest, 0.8):
        return None
    return np.clip(code, -_FURTHEST, _FURTHEST).astype(np.float32)
