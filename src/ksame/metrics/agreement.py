"""What released faces keep of what originals showed: face, expression, gaze, pose, looks, likeness.

Detectors and networks look at the faces elsewhere (`ksame.attacks.looks`); here their findings are
compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ksame.arrays import Floats, Image
from ksame.errors import InputError
from ksame.metrics.intervals import Rate, rate
from ksame.metrics.utility import psnr, ssim

_SURE_SEX = 0.9  # probability from which the sex of an original counts as told
_HIGHEST_PSNR = 99.0  # decibels: equal images have an infinite one, which no mean survives


@dataclass(frozen=True)
class Look:
    """What was found on one image of a face.

    `detected` tells by detector whether it saw a face. `points` are its landmarks (n, 3) in pixels
    with depth, `expression` and `gaze` its coefficients, `eyes` the distance of the eyes in pixels,
    `female` the probability of that sex, `age` the years and `tone` the angle of the skin's tone in
    degrees, NaN where the light does not tell; all None where there are no landmarks.
    """

    image: Image = field(repr=False)
    detected: Mapping[str, bool]
    points: Floats | None = field(default=None, repr=False)
    expression: Floats | None = field(default=None, repr=False)
    gaze: Floats | None = field(default=None, repr=False)
    eyes: float | None = None
    female: float | None = None
    age: float | None = None
    tone: float | None = None


@dataclass(frozen=True)
class Agreement:
    """How well released faces keep what originals showed.

    `detected` has, by detector, the share of released images on which it finds a face, of those
    where it finds one on the original. `expression` and `gaze` are mean correlations of their
    coefficients, `landmarks` is the mean distance of the landmarks over the distance of the eyes
    and `pose` the mean angle in degrees between the two heads, all on `measured` pairs. `sex` is
    the share of faces that are taken for the same sex, of those whose original is told with 90%;
    `age` and `tone` are mean differences in years and in degrees of skin tone. `frechet_sface` is
    the Frechet distance of SFace's features between all originals and all released faces, where it
    was measured: not the FID of Inception's features.
    """

    detected: Mapping[str, Rate]
    expression: float | None
    gaze: float | None
    landmarks: float | None
    pose: float | None
    measured: int
    ssim: float
    psnr: float
    sex: Rate | None = None
    age: float | None = None
    tone: float | None = None
    frechet_sface: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON."""
        return {
            **{name: found.as_dict() for name, found in self.detected.items()},
            "expression": self.expression,
            "gaze": self.gaze,
            "landmarks": self.landmarks,
            "pose": self.pose,
            "measured": self.measured,
            "ssim": self.ssim,
            "psnr": self.psnr,
            "sex": None if self.sex is None else self.sex.as_dict(),
            "age": self.age,
            "tone": self.tone,
            "frechet_sface": self.frechet_sface,
        }


def agreement(originals: Sequence[Look], released: Sequence[Look]) -> Agreement:
    """Compare what was seen on originals and on what was released of them, pair by pair."""
    pairs = list(zip(originals, released, strict=True))
    if not pairs:
        raise InputError("0 pairs of faces: there is nothing to compare.")
    both = [(a, b) for a, b in pairs if a.points is not None and b.points is not None]
    return Agreement(
        detected=_detected(pairs),
        expression=_mean(both, lambda a, b: _correlation(a.expression, b.expression)),
        gaze=_mean(both, lambda a, b: _correlation(a.gaze, b.gaze)),
        landmarks=_mean(both, _moved),
        pose=_mean(both, lambda a, b: turn(a.points, b.points)),
        measured=len(both),
        ssim=float(np.mean([ssim(a.image, b.image) for a, b in pairs])),
        psnr=float(np.mean([min(psnr(a.image, b.image), _HIGHEST_PSNR) for a, b in pairs])),
        sex=_same_sex(both),
        age=_mean(both, lambda a, b: _apart(a.age, b.age)),
        tone=_mean(both, lambda a, b: _apart(a.tone, b.tone)),
    )


def turn(before: Floats | None, after: Floats | None) -> float | None:
    """The angle, in degrees, of the rotation that brings one set of points closest to another.

    Kabsch 1976, after position and size are taken out.
    """
    if before is None or after is None:
        return None
    a, b = (points - points.mean(axis=0) for points in (before, after))
    u, _, vt = np.linalg.svd(a.T @ b)
    flip = np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))])
    cosine = (np.trace(u @ flip @ vt) - 1) / 2
    return float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


def _detected(pairs: Sequence[tuple[Look, Look]]) -> dict[str, Rate]:
    names = dict.fromkeys(name for a, _ in pairs for name in a.detected)
    found = {}
    for name in names:
        still = [b.detected.get(name, False) for a, b in pairs if a.detected.get(name)]
        if still:
            found[name] = rate(sum(still), len(still))
    return found


def _mean(
    pairs: Sequence[tuple[Look, Look]], measure: Callable[[Look, Look], float | None]
) -> float | None:
    values = [value for a, b in pairs if (value := measure(a, b)) is not None]
    return float(np.mean(values)) if values else None


def _same_sex(pairs: Sequence[tuple[Look, Look]]) -> Rate | None:
    """Of the faces whose sex is told, the share that is taken for the same one afterwards."""
    same = [
        (a.female > 0.5) == (b.female > 0.5)
        for a, b in pairs
        if a.female is not None
        and b.female is not None
        and max(a.female, 1 - a.female) >= _SURE_SEX
    ]
    return rate(sum(same), len(same)) if same else None


def _apart(before: float | None, after: float | None) -> float | None:
    if before is None or after is None or not np.isfinite([before, after]).all():
        return None
    return abs(after - before)


def _moved(before: Look, after: Look) -> float | None:
    """Mean distance of the landmarks in the picture, over the distance of the eyes."""
    if before.points is None or after.points is None or before.eyes is None:
        return None
    gaps = np.linalg.norm(before.points[:, :2] - after.points[:, :2], axis=1)
    return float(gaps.mean()) / max(before.eyes, 1e-6)


def _correlation(a: Floats | None, b: Floats | None) -> float | None:
    if a is None or b is None:
        return None
    a, b = a - a.mean(), b - b.mean()
    return float(a @ b / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-12))
