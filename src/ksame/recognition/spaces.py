"""Recognisers made of others: a view of the faces, a codec's space, a trained discriminant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ksame.arrays import AnyFloats, Array, Labels
from ksame.errors import InputError
from ksame.recognition.contract import FaceImages, Recogniser, euclidean, one_minus_cosine


class Viewed:
    """A recogniser that sees its faces through a function, such as the grey inner face."""

    def __init__(self, recogniser: Recogniser, view: Callable[[FaceImages], FaceImages]) -> None:
        self.recogniser = recogniser
        self.view = view
        self.name = recogniser.name
        self.learns = recogniser.learns

    @property
    def dim(self) -> int | None:
        """That of the inner recogniser."""
        return self.recogniser.dim

    def fit(self, training: FaceImages, persons: Labels | None = None) -> Viewed:
        """Train the inner recogniser on the viewed faces."""
        self.recogniser.fit(self.view(training), persons)
        return self

    def describe(self, faces: FaceImages) -> Array:
        """The inner recogniser's features of the viewed faces."""
        return self.recogniser.describe(self.view(faces))

    def distances(self, probes: Array, gallery: Array) -> AnyFloats:
        """The inner recogniser's distances."""
        return self.recogniser.distances(probes, gallery)


class CodeSpace:
    """Recognition in a codec's own space: Euclidean distance between codes.

    With the code of an Active Appearance Model this is F's recogniser, "the Eigenface equivalent
    in the AAM space"; k-Same-furthest claims a rate of 0 under exactly this distance.
    """

    learns = False
    dim = None  # that of the codec, which is not asked

    def __init__(
        self, encode: Callable[[FaceImages], AnyFloats] | None = None, name: str = "aam"
    ) -> None:
        self.encode = encode
        self.name = name

    def fit(self, training: FaceImages, persons: Labels | None = None) -> CodeSpace:
        """Nothing to learn: the codec is given."""
        return self

    def describe(self, faces: FaceImages) -> Array:
        """The codes of faces; without an `encode` the faces are codes already."""
        return np.asarray(faces if self.encode is None else self.encode(faces))

    def distances(self, probes: Array, gallery: Array) -> AnyFloats:
        """Euclidean distances between codes."""
        return euclidean(probes, gallery)


class Trained:
    """An attacker who trains on altered faces: a linear discriminant on another's features.

    Training faces of one person, altered and unaltered alike, are one class. The discriminant
    keeps the directions in which people differ and that the alteration leaves alone (Fisher, with
    the within-class scatter shrunk towards its mean), and compares by cosine there. Trained on
    people outside the gallery it attacks strangers; this is the parrot attack of deep recognisers
    ("train the attacker on anonymised data").
    """

    learns = True

    def __init__(self, recogniser: Recogniser, shrinkage: float = 0.02) -> None:
        if not 0 < shrinkage <= 1:
            raise InputError(f"shrinkage={shrinkage} must lie in (0, 1].")
        self.recogniser = recogniser
        self.shrinkage = shrinkage
        self.name = f"{recogniser.name}-trained"

    @property
    def dim(self) -> int | None:
        """How many directions tell people apart; None before it has learned."""
        return self.axes_.shape[1] if hasattr(self, "axes_") else None

    def fit(self, training: FaceImages, persons: Labels | None = None) -> Trained:
        """Train the inner recogniser, then the discriminant on its features of these faces."""
        if persons is None:
            raise InputError("a trained attacker needs `persons` for its training faces.")
        self.recogniser.fit(training, persons)
        return self.fit_described(self.recogniser.describe(training), persons)

    def fit_described(self, features: Array, persons: Labels) -> Trained:
        """Train the discriminant alone, on features that the inner recogniser gave."""
        from scipy.linalg import eigh  # slow to import, and most attacks need none of it

        features = np.asarray(features, dtype=np.float64)
        people, member = np.unique(np.asarray(persons), return_inverse=True)
        if len(people) < 2 or len(people) == len(features):
            raise InputError(
                f"{len(people)} people on {len(features)} training faces: a discriminant needs two "
                "people and more than one face of some person. Add training faces."
            )
        self.mean_ = features.mean(axis=0)
        centred = features - self.mean_
        means = np.stack([centred[member == i].mean(axis=0) for i in range(len(people))])
        inside = centred - means[member]
        within = inside.T @ inside / (len(features) - len(people))
        level = np.trace(within) / len(within)
        within = (1 - self.shrinkage) * within + self.shrinkage * level * np.eye(len(within))
        between = np.einsum("ci,cj->ij", means, means) / (len(people) - 1)
        values, vectors = eigh(between, within + 1e-12 * np.eye(len(within)))
        keep = values > 1e-6 * values[-1]
        # Weighting by signal over signal-plus-noise mutes directions that barely tell people apart.
        self.axes_ = vectors[:, keep] * np.sqrt(values[keep] / (1.0 + values[keep]))
        return self

    def describe(self, faces: FaceImages) -> Array:
        """Discriminant features of faces."""
        return self.describe_features(self.recogniser.describe(faces))

    def describe_features(self, features: Array) -> Array:
        """Discriminant features, of length one, from the inner recogniser's features."""
        projected = (np.asarray(features, dtype=np.float64) - self.mean_) @ self.axes_
        length = np.linalg.norm(projected, axis=1, keepdims=True)
        return np.asarray(projected / np.maximum(length, 1e-12))

    def distances(self, probes: Array, gallery: Array) -> AnyFloats:
        """One minus the cosine."""
        return one_minus_cosine(probes, gallery)
