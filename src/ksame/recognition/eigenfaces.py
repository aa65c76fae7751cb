"""Eigenfaces (Turk & Pentland 1991), as in N figures 6 to 9."""

from __future__ import annotations

from typing import Literal

import numpy as np

from ksame.arrays import AnyFloats, Array, Indices, Labels
from ksame.checks import Learning
from ksame.errors import InputError
from ksame.pca import count_for_share
from ksame.recognition.contract import FaceImages, euclidean
from ksame.recognition.subspace import leading_eigenpairs

_PART = 512


class Eigenfaces(Learning):
    """Principal components of training faces; faces are compared by their weights.

    Setup (fig. 7) subtracts the average face and finds the eigenvectors of the M x M matrix
    `A.T A` instead of the N x N covariance (the snapshot method). Project (fig. 8) gives the
    weights of a face on the top eigenvectors, and Recognize (fig. 9) sorts a gallery by distance.

    Parameters
    ----------
    components
        How many eigenvectors to keep: a number, or a share of the variance in (0, 1], or None for
        all that carry variance (at most M - 1).
    metric
        "euclidean", or "mahalanobis", which divides each weight by its standard deviation.
    skip
        Leading components to leave out; the first ones often hold the light, not the person.
    dtype
        Of the matrix products. float32 halves the time; a test shows that it ranks as float64.
    """

    def __init__(
        self,
        components: int | float | None = None,
        metric: Literal["euclidean", "mahalanobis"] = "euclidean",
        skip: int = 0,
        dtype: type[np.floating] = np.float32,
    ) -> None:
        self.components = components
        self.metric = metric
        self.skip = skip
        self.dtype = dtype

    learns = True

    def __repr__(self) -> str:
        return f"Eigenfaces(components={self.components}, metric={self.metric!r}, dim={self.dim})"

    @property
    def dim(self) -> int | None:
        """How many eigenfaces are kept; None before it has learned."""
        return len(self.values_) if hasattr(self, "values_") else None

    @property
    def name(self) -> str:
        """How tables call this recogniser."""
        return "eigenfaces" if self.metric == "euclidean" else "eigenfaces-mahalanobis"

    def fit(self, training: FaceImages, persons: Labels | None = None) -> Eigenfaces:
        """Setup(), N fig. 7 lines 1 to 8; `persons` are not used.

        Learns `mean_` (N,), `values_` (c,) the variances, descending, and `vectors_` (c, N), the
        orthonormal eigenfaces.
        """
        self._check()
        faces = self._flat(training)
        if len(faces) < 2:
            raise InputError(
                f"{len(faces)} training faces; Eigenfaces needs at least 2. Add faces."
            )
        self.mean_: AnyFloats = faces.mean(axis=0, dtype=np.float64).astype(self.dtype)
        if not np.all(np.isfinite(self.mean_)):
            raise InputError(
                "training faces hold values that are not finite. Leave those faces out."
            )
        differences = np.subtract(faces, self.mean_, dtype=self.dtype)
        count = self.components if _is_count(self.components) else len(faces) - 1
        wanted = min(int(count or 1) + self.skip, len(faces) - 1)
        values, mix, images = leading_eigenpairs(differences, wanted)
        kept = self._kept(values)
        self.values_: AnyFloats = values[kept] / (len(faces) - 1)
        self.vectors_: AnyFloats = (mix[:, kept] / np.sqrt(values[kept])).T @ images
        return self

    def project(self, faces: FaceImages) -> AnyFloats:
        """Project(), N fig. 8: the weights `(n, c)` of faces on the eigenfaces."""
        rows = self._flat(faces)
        if rows.shape[1] != len(self.mean_):
            raise InputError(
                f"faces of {rows.shape[1]} pixels; this recogniser was trained on "
                f"{len(self.mean_)}. Register both in the same frame."
            )
        weights: AnyFloats = np.empty((len(rows), len(self.vectors_)), self.dtype)
        # Pixels of another type are converted in parts, which stay in the processor's cache.
        for start in range(0, len(rows), _PART):
            part = rows[start : start + _PART].astype(self.dtype, copy=False)
            np.matmul(part, self.vectors_.T, out=weights[start : start + _PART])
        # Subtracting afterwards saves a copy of all pixels.
        weights -= self.vectors_ @ self.mean_
        return weights

    def describe(self, faces: FaceImages) -> AnyFloats:
        """The weights in the space where distances are plain Euclidean."""
        weights = self.project(faces)
        return weights / np.sqrt(self.values_) if self.metric == "mahalanobis" else weights

    def distances(self, probes: Array, gallery: Array) -> AnyFloats:
        """Distances between described faces (N eq. 2 on the weights)."""
        return euclidean(probes, gallery)

    def reconstruct(self, weights: AnyFloats) -> AnyFloats:
        """Back from weights (of `project`) to pixels, `(n, N)`."""
        pixels: AnyFloats = weights @ self.vectors_ + self.mean_
        return pixels

    def _flat(self, faces: FaceImages) -> Array:
        faces = np.asarray(faces)
        if faces.ndim < 2:
            raise InputError(f"faces of shape {faces.shape}; pass one face per row.")
        return faces.reshape(len(faces), -1)

    def _check(self) -> None:
        if self.metric not in ("euclidean", "mahalanobis"):
            raise InputError(f"metric={self.metric!r} must be 'euclidean' or 'mahalanobis'.")
        if self.components is not None and self.components <= 0:
            raise InputError(f"components={self.components} must be positive, or None for all.")
        if isinstance(self.components, float) and self.components > 1:
            raise InputError(f"components={self.components}: a share of variance is at most 1.0.")

    def _kept(self, values: AnyFloats) -> Indices:
        # Beyond rounding error there is no direction, only noise: its vectors are arbitrary.
        floor = float(np.finfo(self.dtype).eps) * 8 * float(values[0])
        usable = np.flatnonzero(values > floor)
        if isinstance(self.components, float) and len(usable):
            # All are known here but one, and centred faces have no variance along that one.
            usable = usable[: count_for_share(values, self.components - 1e-9)]
        usable = usable[self.skip :]
        if not len(usable):
            raise InputError(
                "no component is left: the training faces are all alike, or skip is too large. "
                "Train on different faces."
            )
        return usable


def _is_count(components: int | float | None) -> bool:
    return isinstance(components, int | np.integer)
