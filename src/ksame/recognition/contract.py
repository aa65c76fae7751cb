"""What every recogniser of the attacker's bench can do."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Faces = npt.NDArray[Any]
"""Registered faces: `(n, h, w)`, `(n, h, w, 3)` or, for Eigenfaces, rows of pixels `(n, N)`."""

Persons = Sequence[Hashable] | npt.NDArray[np.generic]


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

    def fit(self, training: Faces, persons: Persons | None = None) -> Recogniser:
        """Learn from training faces; a pretrained recogniser only returns itself."""
        ...

    def describe(self, faces: Faces) -> npt.NDArray[Any]:
        """One row of features per face."""
        ...

    def distances(
        self, probes: npt.NDArray[Any], gallery: npt.NDArray[Any]
    ) -> npt.NDArray[np.floating]:
        """`(n_probes, n_gallery)` between described faces; smaller is more alike."""
        ...


def squared_euclidean(
    a: npt.NDArray[np.floating], b: npt.NDArray[np.floating]
) -> npt.NDArray[np.floating]:
    """All squared distances between the rows of a and b, by one matrix product."""
    out: npt.NDArray[np.floating] = a @ b.T
    out *= -2.0
    out += np.einsum("ij,ij->i", a, a)[:, None]
    out += np.einsum("ij,ij->i", b, b)[None, :]
    np.maximum(out, 0.0, out=out)
    return out


def rank(
    recogniser: Recogniser, probes: npt.NDArray[Any], gallery: npt.NDArray[Any]
) -> npt.NDArray[np.intp]:
    """Gallery indices per probe, closest first (N fig. 9), from described faces."""
    return np.argsort(recogniser.distances(probes, gallery), axis=1, kind="stable")


def compare(recogniser: Recogniser, probes: Faces, gallery: Faces) -> npt.NDArray[np.floating]:
    """Distances `(n_probes, n_gallery)` of faces, the same for equal faces to the last bit.

    Matrix products round by position, and the mean of two faces is as far from one as from the
    other: without this, copies of a face that k people share would be told apart by rounding.
    """
    (a, row), (b, column) = _distinct(probes), _distinct(gallery)
    distances = recogniser.distances(recogniser.describe(a), recogniser.describe(b))
    return distances[row][:, column]


def _distinct(faces: Faces) -> tuple[Faces, npt.NDArray[np.intp]]:
    """The different faces, and which of them each face is."""
    seen: dict[bytes, int] = {}
    where = [seen.setdefault(np.ascontiguousarray(f).tobytes(), len(seen)) for f in faces]
    first = np.unique(where, return_index=True)[1]
    return np.asarray(faces)[first], np.asarray(where, dtype=np.intp)
