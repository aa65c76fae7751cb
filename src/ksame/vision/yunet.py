"""Runs YuNet on one image: with ONNX Runtime where it is installed, else with OpenCV.

OpenCV needs two to three times as long, and more where the size of the images changes. Both give
the same faces up to rounding.
"""

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from ksame import weights
from ksame.errors import WeightsError
from ksame.vision.images import Image
from ksame.vision.networks import network

Floats = npt.NDArray[np.float64]

_STRIDES = (8, 16, 32)
_OVERLAP = 0.3  # of two boxes that are one face
_MOST = 5000  # faces of one image
_COARSE = 320  # OpenCV gets a network of its own for small images: a change of size costs 20 ms
# the model file says 640 x 640, as ONNX writes it; any size will do, which ONNX calls a parameter
_FIXED = bytes((0x0A, 3, 8, 0x80, 5)) * 2
_FREE = b"\x0a\x03\x12\x01h" + b"\x0a\x03\x12\x01w"


def run_yunet(rgb: Image, min_score: float) -> Floats:
    """Rows of 15: x, y, width, height, five points and the score, in pixels of the image."""
    session = network("yunet onnx", _session)
    if session is None:
        return _by_opencv(rgb, min_score)
    return _decoded(session, rgb, min_score)


@cache
def runtime() -> str:
    """Which library runs the detector, with its version: what rounding depends on."""
    try:
        return f"onnxruntime {version('onnxruntime')}"
    except PackageNotFoundError:
        return f"opencv {version('opencv-python-headless')}"


def _session() -> Any:
    """The model for images of any size; None without ONNX Runtime."""
    try:
        import onnxruntime
    except ImportError:
        return None
    model = weights.path("yunet").read_bytes()
    if model.count(_FIXED) != 1:
        raise WeightsError("the detector's model is not the one that is known. Install it again")
    options = onnxruntime.SessionOptions()
    # one thread: photos are shared out among processes
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        model.replace(_FIXED, _FREE), options, providers=["CPUExecutionProvider"]
    )


def _decoded(session: Any, rgb: Image, min_score: float) -> Floats:
    """The network's answer as boxes: one row for each cell of three grids that sees a face."""
    height, width = rgb.shape[:2]
    right, low = -width % _STRIDES[-1], -height % _STRIDES[-1]
    padded = rgb
    if low or right:
        padded = cv2.copyMakeBorder(rgb, 0, low, 0, right, cv2.BORDER_CONSTANT)
    names = [f"{part}_{s}" for part in ("cls", "obj", "bbox", "kps") for s in _STRIDES]
    answer = session.run(names, {"input": cv2.dnn.blobFromImage(padded, swapRB=True)})
    found = []
    for i, stride in enumerate(_STRIDES):
        seen, thing, box, points = (answer[i + j * len(_STRIDES)][0] for j in range(4))
        score = np.sqrt(np.clip(seen[:, 0], 0, 1) * np.clip(thing[:, 0], 0, 1))
        cells = np.flatnonzero(score >= min_score)
        row, column = np.divmod(cells, padded.shape[1] // stride)
        corner = np.stack([column, row], axis=1).astype(np.float64)
        size = np.exp(box[cells, 2:].astype(np.float64)) * stride
        centre = (corner + box[cells, :2]) * stride
        five = (np.tile(corner, 5) + points[cells]) * stride
        found.append(np.column_stack([centre - size / 2, size, five, score[cells]]))
    rows: Floats = np.concatenate(found)
    rows = rows[np.isfinite(rows).all(axis=1)]
    if not len(rows):
        return rows
    boxes = rows[:, :4].astype(int).tolist()
    kept = cv2.dnn.NMSBoxes(boxes, rows[:, 14].tolist(), min_score, _OVERLAP, top_k=_MOST)
    return rows[np.asarray(kept, np.intp).ravel()]


def _by_opencv(rgb: Image, min_score: float) -> Floats:
    size = (rgb.shape[1], rgb.shape[0])
    detector = network("yunet coarse" if max(size) <= _COARSE else "yunet", _detector)
    detector.setInputSize(size)
    detector.setScoreThreshold(min_score)
    found = detector.detect(cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR))[1]
    return np.zeros((0, 15)) if found is None else np.asarray(found, np.float64)


def _detector() -> "cv2.FaceDetectorYN":
    path = str(weights.path("yunet"))
    return cv2.FaceDetectorYN.create(path, "", (320, 320), 0.6, _OVERLAP, _MOST)
