"""What every recogniser of the attacker's bench can do."""

from __future__ import annotations

from copy import deepcopy
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np

from ksame.arrays import AnyFloats, Array, Indices, Labels

FaceImages = Array
"""Registered faces: `(n, h, w)`, `(n, h, w, 3)` or, for Eigenfaces, rows of pixels `(n, N)`."""


@runtime_checkable
class Recogniser(Protocol):
    """Learn from training faces, describe faces, compare descriptions.

    Enrolment and ranking follow from these: `distances(describe(probe), describe(gallery))`. The
    split lets the bench describe each face once and use it in every attack.
    """

    @property
    def name(self) -> str:
        """How tables call this recogniser."""
        ...

    @property
    def learns(self) -> bool:
        """Whether `fit` changes anything: a pretrained network does not learn."""
        ...

    @property
    def dim(self) -> int | None:
        """How many numbers describe a face; None where that depends on the training faces."""
        ...

    def fit(self, training: FaceImages, persons: Labels | None = None) -> Recogniser:
        """Learn from training faces and return itself."""
        ...

    def describe(self, faces: FaceImages) -> Array:
        """One row of features per face."""
        ...

    def distances(self, probes: Array, gallery: Array) -> AnyFloats:
        """`(n_probes, n_gallery)` between described faces; smaller is more alike."""
        ...


R = TypeVar("R", bound=Recogniser)


def fitted(recogniser: R, training: FaceImages, persons: Labels | None = None) -> R:
    """A recogniser that has learned from training faces; the one given stays as it was.

    One that does not learn is returned itself, with what it remembers of faces it has seen.
    """
    if not recogniser.learns:
        return recogniser
    learner = deepcopy(recogniser)
    learner.fit(training, persons)
    return learner


def squared_euclidean(a: AnyFloats, b: AnyFloats) -> AnyFloats:
    """All squared distances between the rows of a and b, by one matrix product."""
    out: AnyFloats = a @ b.T
    out *= -2.0
    out += np.einsum("ij,ij->i", a, a)[:, None]
    out += np.einsum("ij,ij->i", b, b)[None, :]
    np.maximum(out, 0.0, out=out)
    return out


def euclidean(a: AnyFloats, b: AnyFloats) -> AnyFloats:
    """All distances between the rows of a and b."""
    return np.asarray(np.sqrt(squared_euclidean(a, b)))


def one_minus_cosine(a: AnyFloats, b: AnyFloats) -> AnyFloats:
    """One minus the cosine between all unit rows of a and of b."""
    return np.asarray(1.0 - a @ b.T)


def rank(recogniser: Recogniser, probes: Array, gallery: Array) -> Indices:
    """Gallery indices per probe, closest first (N fig. 9), from described faces."""
    return np.argsort(recogniser.distances(probes, gallery), axis=1, kind="stable")


def compare(recogniser: Recogniser, probes: FaceImages, gallery: FaceImages) -> AnyFloats:
    """Distances `(n_probes, n_gallery)` of faces, the same for equal faces to the last bit.

    Matrix products round by position, and the mean of two faces is as far from one as from the
    other: without this, copies of a face that k people share would be told apart by rounding.
    """
    (a, row), (b, column) = _distinct(probes), _distinct(gallery)
    distances = recogniser.distances(recogniser.describe(a), recogniser.describe(b))
    return distances[row][:, column]


def _distinct(faces: FaceImages) -> tuple[FaceImages, Indices]:
    """The different faces, and which of them each face is."""
    seen: dict[bytes, int] = {}
    where = [seen.setdefault(np.ascontiguousarray(f).tobytes(), len(seen)) for f in faces]
    first = np.unique(where, return_index=True)[1]
    return np.asarray(faces)[first], np.asarray(where, dtype=np.intp)
