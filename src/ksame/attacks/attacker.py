"""One recogniser in the hands of one who holds a case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ksame.arrays import AnyFloats, Array
from ksame.attacks.case import Case, Rows, Side
from ksame.recognition.contract import FaceImages, Recogniser, fitted


class Attacker:
    """Trains a recogniser as an attack asks, and describes every face once for each training.

    The recogniser that was passed is never trained itself: one that learns is trained as a copy, so
    that no attack leaves its training to the next.
    """

    def __init__(self, recogniser: Recogniser, case: Case) -> None:
        self.recogniser = recogniser
        self.case = case
        self._trained: dict[int, tuple[FaceImages, Recogniser]] = {}
        self._known: dict[tuple[int, int], tuple[Any, FaceImages, Array, Rows]] = {}

    def trained(self, side: Side) -> Recogniser:
        """The recogniser, trained on some faces; itself where there is nothing to learn."""
        key = id(side.faces)
        if key not in self._trained:
            self._trained[key] = side.faces, fitted(self.recogniser, side.faces, side.persons)
        return self._trained[key][1]

    def plain(self) -> Recogniser:
        """The recogniser as an attacker has it before seeing the release."""
        return self.trained(self.case.training)

    def features(self, model: Recogniser, faces: FaceImages) -> Array:
        """One row of features per face."""
        described, where = self._describe(model, faces)
        return np.asarray(described[where])

    def distances(self, model: Recogniser, probes: FaceImages, gallery: FaceImages) -> AnyFloats:
        """`(n_probes, n_gallery)`, the same for equal faces to the last bit.

        Matrix products round by position, and the mean of two faces is as far from one as from the
        other: without this, copies of a face that k people share would be told apart by rounding.
        """
        (a, row), (b, column) = self._describe(model, probes), self._describe(model, gallery)
        found: AnyFloats = np.asarray(model.distances(a, b))
        return found[row][:, column]

    def _describe(self, model: Recogniser, faces: FaceImages) -> tuple[Array, Rows]:
        """The features of the different faces, and which of them each face is."""
        key = id(model), id(faces)
        if key not in self._known:
            # model and faces are kept, so that no other object can take over their ids
            first, where = distinct(faces)
            described = np.asarray(model.describe(np.asarray(faces)[first]))
            further = self.case.further(faces)
            if any(map(len, further)):
                described, where = averaged(model, described[where], further)
            self._known[key] = model, faces, described, where
        return self._known[key][2:]


def distinct(faces: FaceImages) -> tuple[Rows, Rows]:
    """The first row of each different face, and which of them each face is."""
    seen: dict[bytes, int] = {}
    where = [seen.setdefault(np.ascontiguousarray(f).tobytes(), len(seen)) for f in faces]
    first = np.unique(where, return_index=True)[1]
    return first, np.asarray(where, dtype=np.intp)


def averaged(
    model: Recogniser, described: Array, further: Sequence[FaceImages]
) -> tuple[Array, Rows]:
    """The mean of what each track's pictures are described by, and rows that are each their own.

    Where descriptions have unit length, as those that are compared by angles have, means get it
    again.
    """
    owner = np.repeat(np.arange(len(further)), [len(some) for some in further])
    more = np.asarray(model.describe(np.concatenate([some for some in further if len(some)])))
    total = np.array(described, dtype=np.float64)
    np.add.at(total, owner, more)
    mean = total / (1 + np.bincount(owner, minlength=len(total)))[:, None]
    unit = np.allclose(np.linalg.norm(more, axis=1), 1.0, atol=1e-3)
    if unit:
        mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-12)
    return mean.astype(described.dtype), np.arange(len(mean), dtype=np.intp)
