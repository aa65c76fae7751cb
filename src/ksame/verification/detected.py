"""Faces that a detector finds in a released photo where the ledger lists none."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ksame.arrays import Floats, Image
from ksame.verification.cells import HEIGHT, WIDTH
from ksame.verification.documents import Face

if TYPE_CHECKING:
    from ksame.verification.photos import Detector, Listed

COVERED = 0.5  # of a found face that must lie in one box of what was put in a face's place
# of such a box which the found face must fill at least: somebody small in its corner is another.
# Of 1,541 found in 277 released photos, tiny ones in boxes with a margin filled the least, 0.17
FILLED_OF_DRAWN = 0.1
# of a box that a person left as it is which one found face must fill: a box around a whole group
# of people would else excuse them all
FILLED = 0.25


def strangers(photo: Image, listed: "Listed", detector: "Detector") -> int:
    """How many faces lie on nothing that the ledger says was put in the place of a face.

    The detector must be sure of what it returns: doubtful detections of the ledger excuse nothing,
    because of those the writer's detector was not sure.
    """
    boxes = [box for face in listed.faces for box in _boxes(face)]
    known = np.array(boxes, np.float64).reshape(-1, 4)
    found = np.array([list(box) for box in detector(photo)], np.float64).reshape(-1, 4)
    # what a detector makes up beyond the border is no part of the photo
    found = np.clip(found, 0, np.tile(photo.shape[1::-1], 2))
    left = np.array(listed.untouched, np.float64).reshape(-1, 4)
    return sum(
        not _is_one_of(box, known, FILLED_OF_DRAWN) and not _is_one_of(box, left, FILLED)
        for box in found
    )


def _is_one_of(box: Floats, boxes: Floats, least: float) -> bool:
    """Whether a found face lies in one of these boxes and fills it at least so far."""
    return any(
        _share_inside(box, one[None])[0] > COVERED and _share_inside(one, box[None])[0] > least
        for one in boxes
    )


def _boxes(face: Face) -> Iterator[Sequence[float]]:
    """Where a detector may find what was put in a face's place.

    Not where the face was detected, if it is known where it was drawn or hidden: whoever writes the
    ledger could name a box around a neighbour too. Where a face was drawn or hidden is checked.
    """
    if face.numbers is None and face.hidden is None:
        yield face.box
    if face.hidden is not None:
        yield face.hidden
    if face.placement is not None:
        matrix = np.array(face.placement)
        if abs(np.linalg.det(matrix[:, :2])) > 1e-12:
            corners = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], np.float64)
            places = (corners - matrix[:, 2]) @ np.linalg.inv(matrix[:, :2]).T
            yield [*places.min(axis=0), *places.max(axis=0)]
    if face.numbers is not None:
        # its shape is checked where the face is drawn again
        box = face.numbers.get("box")
        if isinstance(box, list) and len(box) == 4 and all(isinstance(v, int) for v in box):
            yield box


def _share_inside(box: Floats, others: Floats) -> Floats:
    """The share of a box's area that lies in each of the others."""
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    area = max(float(np.prod(box[2:] - box[:2])), 1e-9)
    found: Floats = np.clip(high - low, 0, None).prod(axis=1) / area
    return found
