"""Which classes a release keeps: one experiment for G Figure 8 and M Figure 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ksame.arrays import Array
from ksame.metrics.intervals import Rate
from ksame.metrics.utility import classification_accuracy, most_folds
from ksame.recognition.contract import FaceImages

Method = tuple[str, float]  # name and level

APART = "released faces, none in two folds"
ORIGINALS = "trained on originals"
PAPER = "folds of people alone, as in the paper"
PROTOCOLS = (APART, ORIGINALS, PAPER)


@dataclass(frozen=True)
class Labelled:
    """Faces of a task with their classes and people, and what methods made of them."""

    faces: FaceImages = field(repr=False)
    labels: Array = field(repr=False)
    persons: Array = field(repr=False)
    made: Mapping[Method, FaceImages] = field(repr=False)


@dataclass(frozen=True)
class Kept:
    """Accuracies by method, level and protocol; None where folds cannot be kept apart."""

    rates: Mapping[tuple[Method, str], Rate | None]

    def rate(self, method: Method, protocol: str = APART) -> Rate | None:
        """The accuracy of a support vector machine."""
        return self.rates[method, protocol]

    def rows(self, task: str) -> list[dict[str, Any]]:
        """Plain numbers for JSON."""
        return [
            {"task": task, "method": method, "level": level, "protocol": protocol}
            | ({"accuracy": None} if rate is None else {"accuracy": rate.as_dict()})
            for ((method, level), protocol), rate in self.rates.items()
        ]

    def line(self, method: str, protocol: str = APART) -> tuple[list[float], list[float]]:
        """Accuracy over the levels of a method."""
        found = [
            (level, rate.value)
            for ((name, level), told), rate in self.rates.items()
            if (name, told) == (method, protocol) and rate is not None
        ]
        return [level for level, _ in found], [value for _, value in found]

    @property
    def methods(self) -> Sequence[Method]:
        """Every method and level, in order."""
        return list(dict.fromkeys(method for method, _ in self.rates))


def classify(task: Labelled, kernel: Literal["linear", "rbf"]) -> Kept:
    """Accuracy after every method, by three protocols.

    Released faces whose copies are kept in one fold; a classifier trained on originals and tested
    on released faces that nobody of the training shares; and the papers' folds, in which a shared
    face may be in training and test at once.
    """
    found: dict[tuple[Method, str], Rate | None] = {}
    for method, faces in task.made.items():
        found[method, APART] = _accuracy(faces, task, kernel)
        found[method, ORIGINALS] = _accuracy(task.faces, task, kernel, test_faces=faces)
        found[method, PAPER] = _accuracy(faces, task, kernel, keep_apart=False)
    return Kept(found)


def _accuracy(
    faces: FaceImages,
    task: Labelled,
    kernel: Literal["linear", "rbf"],
    test_faces: FaceImages | None = None,
    keep_apart: bool = True,
) -> Rate | None:
    folds = most_folds(faces, task.labels, task.persons, keep_apart, test_faces=test_faces)
    if not folds:
        return None
    return classification_accuracy(
        faces,
        task.labels,
        task.persons,
        kernel,
        folds,
        test_faces=test_faces,
        keep_apart=keep_apart,
    ).overall
