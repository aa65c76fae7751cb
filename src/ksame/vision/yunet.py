"""YuNet, the detector: one image through the network, and its answer read as faces."""

from functools import lru_cache

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32, Image
from ksame.errors import WeightsError
from ksame.faces import Faces
from ksame.vision.images import as_network_input
from ksame.weights.session import session

_STRIDES = (8, 16, 32)
_OUTPUTS = [f"{part}_{s}" for part in ("cls", "obj", "bbox", "kps") for s in _STRIDES]
_OVERLAP = 0.3  # of two boxes that are one face
_MOST = 5000  # faces of one image
# the model file says 640 x 640, as ONNX writes it; any size will do, which ONNX calls a parameter
_FIXED = bytes((0x0A, 3, 8, 0x80, 5)) * 2
_FREE = b"\x0a\x03\x12\x01h" + b"\x0a\x03\x12\x01w"


class YuNet:
    """YuNet (Wu et al. 2023): faces of about 12 to 500 pixels, with five points."""

    name = "yunet"

    def detect(self, rgb: Image, min_score: float) -> Faces:
        """The faces of an image, in its pixels."""
        return _faces(_decoded(rgb, min_score))


def _faces(rows: Floats) -> Faces:
    """Rows of 15 (x, y, width, height, five points, score) as a value."""
    xyxy = np.concatenate([rows[:, :2], rows[:, :2] + rows[:, 2:4]], axis=1)
    return Faces(xyxy=xyxy, points=rows[:, 4:14].reshape(-1, 5, 2), score=rows[:, 14])


def _any_size(model: bytes) -> bytes:
    """The model for images of any size."""
    if model.count(_FIXED) != 1:
        raise WeightsError("the detector's model is not the one that is known. Install it again")
    return model.replace(_FIXED, _FREE)


def _decoded(rgb: Image, min_score: float) -> Floats:
    """The network's answer as boxes: one row for each cell of three grids that sees a face."""
    shown = as_network_input(rgb, bgr=True, multiple=_STRIDES[-1])
    answer = session("yunet", _any_size).run(shown, _OUTPUTS)
    # the cells of the finest grid first, each grid row by row
    seen, thing, box, points = (
        np.concatenate(answer[at : at + len(_STRIDES)], axis=1)[0]
        for at in range(0, len(answer), len(_STRIDES))
    )
    score = np.sqrt(_share(seen[:, 0]) * _share(thing[:, 0]))
    cells = np.flatnonzero(score >= min_score)
    if not len(cells):
        return np.zeros((0, 15))
    place = _grid(*shown.shape[2:])[cells]
    corner, stride = place[:, :2], place[:, 2:]
    size = np.exp(box[cells, 2:].astype(np.float64)) * stride
    centre = (corner + box[cells, :2]) * stride
    five = (np.tile(corner, 5) + points[cells]) * stride
    rows: Floats = np.column_stack([centre - size / 2, size, five, score[cells]])
    # a flat image can make the network answer with infinite numbers
    rows = rows[np.isfinite(rows).all(axis=1)]
    if not len(rows):
        return rows
    boxes = rows[:, :4].astype(int).tolist()
    kept = cv2.dnn.NMSBoxes(boxes, rows[:, 14].tolist(), min_score, _OVERLAP, top_k=_MOST)
    return rows[np.asarray(kept, np.intp).ravel()]


def _share(values: Floats32) -> Floats32:
    """Values held within 0 to 1."""
    held: Floats32 = np.minimum(np.maximum(values, np.float32(0)), np.float32(1))
    return held


@lru_cache(maxsize=16)  # a collection's photos have few sizes
def _grid(height: int, width: int) -> Floats:
    """Column, row and stride (n, 3) of all cells of the three grids over an image."""
    grids = []
    for stride in _STRIDES:
        row, column = np.divmod(np.arange(height // stride * (width // stride)), width // stride)
        grids.append(np.column_stack([column, row, np.full(len(row), stride)]))
    cells: Floats = np.concatenate(grids).astype(np.float64)
    cells.flags.writeable = False
    return cells
