"""What a release is still good for: classification, likeness, and utility against privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ksame.arrays import Array, Floats, Indices, Labels
from ksame.errors import InputError
from ksame.metrics.intervals import Rate, clustered_rate


@dataclass(frozen=True)
class Accuracy:
    """Share of faces classified right in cross-validation, and of each fold."""

    overall: Rate
    folds: tuple[float, ...]

    @property
    def value(self) -> float:
        """Mean over the folds, as the papers report it."""
        return float(np.mean(self.folds))


def classification_accuracy(
    faces: Array,
    labels: Labels,
    persons: Labels | None = None,
    kernel: Literal["linear", "rbf"] = "linear",
    folds: int = 5,
    random_state: int = 0,
    test_faces: Array | None = None,
    keep_apart: bool = True,
) -> Accuracy:
    """Accuracy of a support vector machine on a class of faces (G section 5.3, M section 5.3).

    Parameters
    ----------
    faces
        `(n, ...)`: pixels, or any features.
    labels
        The class of each face, such as its gender or expression.
    persons
        Whose face it is. Guarantee: all faces of a person are in one fold, so that a classifier
        cannot recognise the person instead of the class. None: every face is another person's.
    kernel
        "linear" (G) or "rbf" (M).
    folds
        At most as many as `most_folds` allows.
    test_faces
        Faces to classify in place of `faces`, row by row: train on originals, test on the release.
    keep_apart
        Guarantee: equal faces are in one fold too. A k-anonymous release holds every face k times,
        and a classifier that has seen it with its class in training need not look at it again:
        images of noise, one a group, would be classified without a mistake. People who share a
        face of `test_faces` stay in one fold as well: else the classifier has learned from the
        very originals that the shared face is the mean of. False divides by people alone, as the
        papers do.

    Notes
    -----
    The interval takes what must stay in one fold for one trial.
    """
    from sklearn.model_selection import StratifiedGroupKFold
    from sklearn.svm import SVC

    rows = _rows(faces)
    tests = rows if test_faces is None else _rows(test_faces)
    truth = np.asarray(labels)
    groups = inseparable(rows, truth, persons, keep_apart, test_faces)
    _check_classes(truth, groups, folds)
    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=random_state)
    right = np.zeros(len(rows))
    shares = []
    for train, test in splitter.split(rows, truth, groups):
        model = SVC(kernel=kernel, gamma="scale", C=1.0 if kernel == "linear" else 10.0)
        # Differences from the mean face, in units of their size: an alteration that only shrinks
        # contrast takes away no information, and a classifier must not lose any to it.
        centre = rows[train].mean(axis=0)
        scale = float((rows[train] - centre).std()) or 1.0
        model.fit((rows[train] - centre) / scale, truth[train])
        right[test] = model.predict((tests[test] - centre) / scale) == truth[test]
        shares.append(float(right[test].mean()))
    return Accuracy(clustered_rate(right, groups), tuple(shares))


def inseparable(
    faces: Array,
    labels: Labels,
    persons: Labels | None = None,
    keep_apart: bool = True,
    test_faces: Array | None = None,
) -> Indices:
    """The number of the set of faces that each face must stay together with, (n,).

    Faces of one person belong together, with `keep_apart` also equal faces (of `test_faces` too),
    and whatever these link: if two people share a face, so do all their faces.
    """
    rows = _rows(faces)
    count = len(rows)
    owners = np.arange(count) if persons is None else np.asarray(persons)
    if not count == len(np.asarray(labels)) == len(owners):
        raise InputError(
            f"{count} faces, {len(np.asarray(labels))} labels and {len(owners)} persons; pass one "
            "of each per face."
        )
    columns = [np.unique(owners, return_inverse=True)[1]]
    for shown in (rows, None if test_faces is None else _rows(test_faces)) if keep_apart else ():
        if shown is not None:
            seen: dict[bytes, int] = {}
            columns.append(np.array([seen.setdefault(row.tobytes(), len(seen)) for row in shown]))
    # a graph of faces and of what they have in common; its components cannot be separated
    starts = np.cumsum([count, *(int(column.max()) + 1 for column in columns[:-1])]).tolist()
    common = np.concatenate([s + column for s, column in zip(starts, columns, strict=True)])
    size = int(common.max()) + 1
    links = coo_array(
        (np.ones(len(common)), (np.tile(np.arange(count), len(columns)), common)),
        shape=(size, size),
    )
    return np.asarray(connected_components(links, directed=False)[1][:count], dtype=np.intp)


def most_folds(
    faces: Array,
    labels: Labels,
    persons: Labels | None = None,
    keep_apart: bool = True,
    wanted: int = 5,
    test_faces: Array | None = None,
) -> int:
    """How many folds these faces allow, at most `wanted`; 0 where not even two."""
    truth = np.asarray(labels)
    groups = inseparable(faces, truth, persons, keep_apart, test_faces)
    fewest = min(len(np.unique(groups[truth == c])) for c in np.unique(truth))
    return min(fewest, wanted) if fewest > 1 else 0


def _check_classes(truth: Array, groups: Indices, folds: int) -> None:
    classes = np.unique(truth)
    fewest = min(len(np.unique(groups[truth == c])) for c in classes)
    if len(classes) < 2 or fewest < folds:
        raise InputError(
            f"{len(classes)} classes, the rarest with {fewest} sets of faces that can be told "
            f"apart: {folds} folds need 2 classes of {folds}. Lower the folds or add people."
        )


def psnr(original: Array, altered: Array, peak: float = 255.0) -> float:
    """Peak signal to noise ratio in decibels; infinite where nothing was changed."""
    error = float(np.mean((_pair(original, altered)[0] - _pair(original, altered)[1]) ** 2))
    return float("inf") if error == 0 else float(10 * np.log10(peak**2 / error))


def ssim(original: Array, altered: Array, peak: float = 255.0) -> float:
    """Structural similarity (Wang et al. 2004): Gaussian window of sigma 1.5; 1 where equal.

    Images are `(h, w)` or `(h, w, 3)`; channels are averaged.
    """
    a, b = _pair(original, altered)
    sigma = (1.5, 1.5, 0.0)[: a.ndim]

    def smooth(x: Floats) -> Floats:
        return np.asarray(gaussian_filter(x, sigma, truncate=3.5), dtype=np.float64)

    mean_a, mean_b = smooth(a), smooth(b)
    var_a, var_b = smooth(a * a) - mean_a**2, smooth(b * b) - mean_b**2
    both = smooth(a * b) - mean_a * mean_b
    c1, c2 = (0.01 * peak) ** 2, (0.03 * peak) ** 2
    top = (2 * mean_a * mean_b + c1) * (2 * both + c2)
    return float(np.mean(top / ((mean_a**2 + mean_b**2 + c1) * (var_a + var_b + c2))))


@dataclass(frozen=True)
class OperatingPoint:
    """One k of the privacy operating characteristic.

    `bound` is what the method proves, `recognition` the worst rate measured, `utility` the accuracy
    or agreement that is left (1 is best) and `loss` the mean Euclidean loss (N equation 2).
    """

    k: int
    bound: float
    recognition: Rate
    utility: float
    loss: float


@dataclass(frozen=True)
class Advice:
    """The smallest k that meets a target, by proof and by measurement; None where none does."""

    target: float
    proven: int | None
    measured: int | None
    points: tuple[OperatingPoint, ...]


def advise(points: Sequence[OperatingPoint], target: float) -> Advice:
    """Choose k: `proven` has a bound at or below the target, `measured` a rate.

    The measured one asks the upper end of the 95% interval to stay below twice the target or the
    proven bound, whichever is larger: a rate of 0 over ten faces is no evidence of 0.01.
    """
    if not 0 < target < 1:
        raise InputError(f"target={target} must lie between 0 and 1, for example 0.05.")
    ordered = sorted(points, key=lambda p: p.k)
    proven = next((p.k for p in ordered if p.bound <= target + 1e-12), None)
    fits = [
        p.recognition.value <= target and p.recognition.high <= max(2 * target, p.bound)
        for p in ordered
    ]
    measured = next((p.k for p, fit in zip(ordered, fits, strict=True) if fit), None)
    return Advice(target, proven, measured, tuple(ordered))


def _rows(faces: Array) -> Floats:
    faces = np.asarray(faces, dtype=np.float64)
    return faces.reshape(len(faces), -1)


def _pair(a: Array, b: Array) -> tuple[Floats, Floats]:
    if np.shape(a) != np.shape(b):
        raise InputError(f"images of shapes {np.shape(a)} and {np.shape(b)} must be equal in size.")
    return np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
