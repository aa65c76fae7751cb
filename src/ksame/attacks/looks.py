"""Two detectors, landmarks, expression and looks: what networks see on images of faces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ksame.arrays import Floats, Image
from ksame.metrics.agreement import Agreement, Look, agreement
from ksame.metrics.frechet import frechet_distance
from ksame.recognition.crops import FACE, Crops, describe_once
from ksame.vision import (
    BLENDSHAPE_NAMES,
    Landmarks,
    blendshapes,
    embed_sface,
    find_faces,
    find_landmarks,
    measure_looks,
)
from ksame.vision.networks import network

_GAZE = [i for i, name in enumerate(BLENDSHAPE_NAMES) if name.startswith("eyeLook")]


def compare_images(originals: Sequence[Image], released: Sequence[Image]) -> Agreement:
    """What released images keep of their originals, pair by pair."""
    return agreement([look_at(image) for image in originals], [look_at(i) for i in released])


def compare_crops(
    originals: Crops, released: Crops, pairs: int, known: dict[bytes, Floats] | None = None
) -> Agreement:
    """What released crops keep: pair by pair on some, and as a population on all of them.

    `known` keeps features of crops from one comparison to the next.
    """
    some = np.unique(np.linspace(0, len(originals) - 1, pairs).astype(int))
    found = compare_images(list(originals[some]), list(released[some]))
    if len(originals) < 2:
        return found
    seen = {} if known is None else known
    features = [_sface(crops, seen) for crops in (originals, released)]
    return replace(found, frechet_sface=frechet_distance(*features))


def _sface(crops: Crops, known: dict[bytes, Floats]) -> Floats:
    """SFace's features of crops, equal ones described once."""
    return np.asarray(describe_once(crops, lambda crop: embed_sface(crop, FACE), known))


def look_at(image: Image) -> Look:
    """What is found on one image: the largest face, its landmarks, expression and gaze."""
    faces = find_faces(image, turned=False)
    detected = {"yunet": len(faces) > 0, "haar": _haar(image)}
    marks = find_landmarks(image, faces[0]) if len(faces) else None
    if not isinstance(marks, Landmarks):
        return Look(image, detected)
    shapes = blendshapes(marks.points)
    told = measure_looks(image, faces[0], marks) if image.ndim == 3 else None
    right, left = faces[0].points[:2]
    return Look(
        image,
        detected,
        np.column_stack([marks.points, marks.depth]),
        shapes,
        shapes[_GAZE],
        float(np.linalg.norm(right - left)),
        *((None,) * 3 if told is None else (told.female, told.age, told.tone)),
    )


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
