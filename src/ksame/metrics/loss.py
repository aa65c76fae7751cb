"""How much of a face a release changes, and N's definitions that build on it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ksame.arrays import Floats
from ksame.checks import check_vectors, to_safe_scale
from ksame.errors import InputError
from ksame.metrics.anonymity import check_k_anonymity

_BINS = 32


def _both(original: Any, released: Any) -> tuple[Floats, Floats]:
    """Return both sets as rows of one shape."""
    before, after = check_vectors(original, "original"), check_vectors(released, "released")
    if before.shape != after.shape:
        raise InputError(
            f"original has {before.shape[0]} rows of {before.shape[1]} values and released "
            f"{after.shape[0]} of {after.shape[1]}; they must be equal. Pass the same rows."
        )
    return before, after


def euclid(original: Any, released: Any) -> Floats:
    """Return the Euclidean distance of each face to its released face (N equation 2), (n,)."""
    before, after = _both(original, released)
    small, scale = to_safe_scale(np.concatenate([before, after]))
    differences = small[: len(before)] - small[len(before) :]
    lengths: Floats = np.sqrt((differences**2).sum(axis=1)) * scale
    return lengths


def changed_pixels(original: Any, released: Any) -> Floats:
    """Return the share of values of each face that differ in its released face, (n,)."""
    before, after = _both(original, released)
    share: Floats = (before != after).mean(axis=1)
    return share


def entropy(original: Any, released: Any) -> Floats:
    """Return the bits per pixel about each face that its released face leaves open, (n,).

    The conditional entropy H(original | released) of the grey levels, in 32 bins over the range of
    both: zero where the released face determines the original, H(original) where it says nothing.
    """
    before, after = _both(original, released)
    low, high = min(before.min(), after.min()), max(before.max(), after.max())
    width = (high - low) / _BINS or 1.0
    a = np.minimum((before - low) // width, _BINS - 1).astype(np.int64)
    b = np.minimum((after - low) // width, _BINS - 1).astype(np.int64)
    bits = np.empty(len(a))
    for row in range(len(a)):
        joint = np.bincount(b[row] * _BINS + a[row], minlength=_BINS**2) / a.shape[1]
        bits[row] = _shannon(joint) - _shannon(joint.reshape(_BINS, _BINS).sum(axis=1))
    return np.maximum(bits, 0.0)


def _shannon(shares: Floats) -> float:
    """Return the entropy of a distribution in bits."""
    used = shares[shares > 0]
    return float(-(used * np.log2(used)).sum())


LOSSES: dict[str, Callable[[Any, Any], Floats]] = {
    "euclid": euclid,
    "changed-pixels": changed_pixels,
    "entropy": entropy,
}


def loss(original: Any, released: Any, metric: str = "euclid") -> float:
    """Return the mean loss over the faces; 0 where nothing was changed.

    Parameters
    ----------
    original, released : array-like (n, ...)
    metric : 'euclid', 'changed-pixels' or 'entropy'
    """
    if metric not in LOSSES:
        raise InputError(f"metric={metric!r} is not known; it must be one of {', '.join(LOSSES)}.")
    return float(LOSSES[metric](original, released).mean())


def is_effective(original: Any, released: Any, persons: Any, k: int) -> bool:
    """Say whether a release is effective with respect to the claim of k-anonymity (N def. 2.8).

    The claim: no recogniser links a released face to its person with better than 1/k probability.
    It is proven where every released face is shared by k people (N theorem 2).
    """
    return bool(check_k_anonymity(original, released, persons, k))


def is_preserved(original: Any, released: Any, other: Any, metric: str = "euclid") -> bool:
    """Say whether a release loses strictly less than another one for every single face (T).

    N definition 2.9 calls a de-identification preserved where none of the equally effective ones
    loses less; T asks for it face by face. k-Same-Pixel is *not* preserved over the mean in this
    sense: a face near the mean of all may lose more to the mean of its group.
    """
    if metric not in LOSSES:
        raise InputError(f"metric={metric!r} is not known; it must be one of {', '.join(LOSSES)}.")
    mine, theirs = LOSSES[metric](original, released), LOSSES[metric](original, other)
    return bool((mine < theirs).all())


def is_k_same(
    original: Any, released: Any, persons: Any, k: int, others: list[Any], metric: str = "euclid"
) -> bool:
    """Say whether a release is a k-Same de-identification among the given ones (N def. 2.11).

    It must be effective at k, and none of the others that are effective at k as well may have a
    smaller mean loss (N definition 2.9 over the set).
    """
    if not is_effective(original, released, persons, k):
        return False
    rivals = [other for other in others if is_effective(original, other, persons, k)]
    own = loss(original, released, metric)
    return all(own <= loss(original, other, metric) for other in rivals)
