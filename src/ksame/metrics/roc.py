"""One-to-one verification: how many true pairs are accepted at a fixed rate of false accepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ksame.arrays import AnyFloats, Floats, Labels
from ksame.errors import InputError
from ksame.metrics.intervals import Rate, rate


@dataclass(frozen=True)
class Roc:
    """Receiver operating characteristic over all distance thresholds.

    `far[i]` and `tar[i]` are the shares of impostor and genuine pairs at a distance of at most
    `thresholds[i]`; both rise with i, from (0, 0) to (1, 1).
    """

    far: Floats
    tar: Floats
    thresholds: Floats
    genuine: int
    impostor: int

    def tar_at(self, far: float) -> Rate:
        """True accepts at the loosest threshold whose false accepts stay at or below `far`.

        With fewer than 1 / far impostor pairs this is the threshold that accepts none of them.
        """
        allowed = np.flatnonzero(self.far <= far + 1e-12)
        share = float(self.tar[allowed[-1]])
        return rate(round(share * self.genuine), self.genuine)

    def threshold_at(self, far: float) -> float:
        """The distance at which `tar_at(far)` accepts."""
        return float(self.thresholds[np.flatnonzero(self.far <= far + 1e-12)[-1]])

    @property
    def area(self) -> float:
        """Area under the curve: 0.5 for a recogniser that knows nothing."""
        return float(np.trapezoid(self.tar, self.far))

    @property
    def equal_error(self) -> float:
        """The rate at which false accepts and false rejects are equal."""
        gap = self.far - (1.0 - self.tar)
        i = int(np.searchsorted(gap, 0.0))
        if i == 0:
            return float(self.far[0])
        weight = -gap[i - 1] / (gap[i] - gap[i - 1])
        return float(self.far[i - 1] + weight * (self.far[i] - self.far[i - 1]))


def roc(
    genuine: AnyFloats | Sequence[float],
    impostor: AnyFloats | Sequence[float],
) -> Roc:
    """ROC of the distances of pairs of one person and pairs of two people."""
    same = np.sort(np.asarray(genuine, dtype=np.float64).ravel())
    other = np.sort(np.asarray(impostor, dtype=np.float64).ravel())
    if not len(same) or not len(other):
        raise InputError(
            f"{len(same)} genuine and {len(other)} impostor pairs: a ROC needs at least one of "
            "each. Add images, or people."
        )
    steps = np.unique(np.concatenate([same, other]))
    thresholds = np.concatenate([[-np.inf], steps])
    return Roc(
        far=np.searchsorted(other, thresholds, side="right") / len(other),
        tar=np.searchsorted(same, thresholds, side="right") / len(same),
        thresholds=thresholds,
        genuine=len(same),
        impostor=len(other),
    )


def threshold_at(strangers: AnyFloats | Sequence[float], share: float) -> float:
    """The largest distance within which at most `share` of the strangers' distances lie.

    Guarantee: with fewer than 1 / share strangers it accepts none of them, ties included.
    """
    if not 0 < share < 1:
        raise InputError(f"share={share} must lie between 0 and 1, for example 0.01.")
    sample = np.sort(np.asarray(strangers, dtype=np.float64).ravel())
    if not len(sample):
        raise InputError("0 distances of strangers: no threshold can be set. Add people.")
    first_refused = sample[int(np.floor(share * len(sample) + 1e-9))]
    return float(np.nextafter(first_refused, -np.inf))


def verification(
    distances: AnyFloats,
    gallery: Labels,
    probes: Labels,
    reference: AnyFloats | None = None,
) -> Roc:
    """ROC of all probe-gallery pairs.

    Parameters
    ----------
    distances
        `(n_probes, n_gallery)`; smaller is more alike.
    gallery, probes
        The person on each column and row.
    reference
        Impostor distances to set the threshold with, instead of those of the altered probes. A
        verifier is calibrated on unaltered photos of different people: that is what an attacker
        has before the release, and what "0.1% false accepts" means to a user.
    """
    same = np.asarray(probes)[:, None] == np.asarray(gallery)[None, :]
    distances = np.asarray(distances, dtype=np.float64)
    impostor = distances[~same] if reference is None else np.asarray(reference)
    return roc(distances[same], impostor)
