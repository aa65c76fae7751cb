"""Is it still a face, and does it show the same expression? Measured by networks, on images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from ksame.metrics.intervals import Rate, rate
from ksame.metrics.utility import psnr, ssim
from ksame.vision import Face, Landmarks, blendshapes, find_faces, find_landmarks
from ksame.vision.networks import network

Image = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Agreement:
    """How well released faces keep what originals showed.

    `yunet` and `haar` are the shares of released images on which the detector finds a face, of
    those where it finds one on the original. `expression` is the mean correlation of the 52
    expression coefficients between original and release, `landmarks` the mean distance of the 478
    landmarks over the distance of the eyes, both on `measured` pairs of images.
    """

    yunet: Rate | None
    haar: Rate | None
    expression: float | None
    landmarks: float | None
    measured: int
    ssim: float
    psnr: float

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON."""
        return {
            "yunet": None if self.yunet is None else self.yunet.as_dict(),
            "haar": None if self.haar is None else self.haar.as_dict(),
            "expression": self.expression,
            "landmarks": self.landmarks,
            "measured": self.measured,
            "ssim": self.ssim,
            "psnr": self.psnr,
        }


def agreement(originals: Sequence[Image], released: Sequence[Image]) -> Agreement:
    """Compare released images with their originals, pair by pair."""
    yunet, haar, correlations, offsets = [], [], [], []
    for before, after in zip(originals, released, strict=True):
        seen = find_faces(before, turned=False)
        again = find_faces(after, turned=False)
        if seen:
            yunet.append(bool(again))
        if _haar(before):
            haar.append(_haar(after))
        a, b = _landmarks(before, seen), _landmarks(after, again)
        if a is not None and b is not None:
            correlations.append(_correlation(blendshapes(a), blendshapes(b)))
            eyes = float(np.linalg.norm(seen[0].points[0] - seen[0].points[1]))
            offsets.append(float(np.linalg.norm(a - b, axis=1).mean()) / max(eyes, 1e-6))
    pairs = list(zip(originals, released, strict=True))
    return Agreement(
        yunet=rate(sum(yunet), len(yunet)) if yunet else None,
        haar=rate(sum(haar), len(haar)) if haar else None,
        expression=float(np.mean(correlations)) if correlations else None,
        landmarks=float(np.mean(offsets)) if offsets else None,
        measured=len(correlations),
        ssim=float(np.mean([ssim(a, b) for a, b in pairs])),
        psnr=float(np.mean([min(psnr(a, b), 99.0) for a, b in pairs])),
    )


def _landmarks(image: Image, faces: Sequence[Face]) -> npt.NDArray[np.float64] | None:
    found = find_landmarks(image, faces[0]) if faces else None
    return found.points if isinstance(found, Landmarks) else None


def _haar(image: Image) -> bool:
    """Whether OpenCV's frontal cascade (Viola & Jones 2001), which is no network, sees a face."""
    cascade = network("haar", _build_haar)
    grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    # The cascade wants some room around a face; registered faces fill their frame.
    pad = max(grey.shape) // 5
    grey = cv2.copyMakeBorder(grey, pad, pad, pad, pad, cv2.BORDER_REPLICATE)
    smallest = max(min(grey.shape) // 6, 24)
    found = cascade.detectMultiScale(grey, 1.1, 4, minSize=(smallest, smallest))
    return len(found) > 0


def _build_haar() -> Any:
    folder = Path(str(cv2.__file__)).parent / "data"
    return cv2.CascadeClassifier(str(folder / "haarcascade_frontalface_default.xml"))


def _correlation(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> float:
    a, b = a - a.mean(), b - b.mean()
    return float(a @ b / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-12))
