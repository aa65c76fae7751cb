"""Methods as the bench wants them: functions of faces and of the rows they come from."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ksame.attacks.bench import Alter, Rows
from ksame.errors import NoGuaranteeWarning
from ksame.methods import KSame, KSameSelect, conceal
from ksame.recognition.contract import Faces


def ad_hoc(name: str, level: float | None = None, scale: float = 1.0) -> Alter:
    """An ad hoc method (N section 5.3); `scale` turns a level into pixels of a larger frame.

    The same seed for every set of faces: N perturbs the same pixels in each image, and a parrot
    can do so as well.
    """
    strength = None if level is None else level * scale
    if name == "pixelate" and strength is not None:
        strength = float(max(round(strength), 1))

    def alter(faces: Faces, rows: Rows) -> Faces:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoGuaranteeWarning)
            return np.asarray(conceal(faces, name, level=strength, random_state=0))

    return alter


def k_same(
    make: Callable[[], KSame | KSameSelect], classes: npt.NDArray[Any] | None = None
) -> Alter:
    """A k-Same method on a person-specific set; `classes` holds one class per person."""

    def alter(faces: Faces, rows: Rows) -> Faces:
        flat = np.asarray(faces, dtype=np.float64).reshape(len(faces), -1)
        chosen = None if classes is None else classes[rows]
        made = make().fit_transform(flat, classes=chosen)
        return _as(made.reshape(faces.shape), faces)

    return alter


def k_same_pairs(
    make: Callable[[], KSame | KSameSelect],
    other: Faces,
    classes: npt.NDArray[Any] | None = None,
    by: str = "people",
) -> Alter:
    """A k-Same method on two photos of each person; returns the altered version of the first.

    Parameters
    ----------
    other
        The second photo of every person of the universe.
    classes
        `(2, n)`: the class of every person's first and second photo.
    by
        "people" keeps a person's photos together, as ksame does; "images" groups every image as
        if it were another person's, as G and M do.
    """

    def alter(faces: Faces, rows: Rows) -> Faces:
        both = np.concatenate([faces, other[rows]]).astype(np.float64)
        persons = np.tile(rows, 2) if by == "people" else None
        chosen = None if classes is None else np.concatenate([c[rows] for c in classes])
        made = make().fit_transform(both.reshape(len(both), -1), persons=persons, classes=chosen)
        return _as(made[: len(faces)].reshape(faces.shape), faces)

    return alter


def _as(made: Faces, like: Faces) -> Faces:
    """In the number type of the faces that came in: images stay images."""
    if np.asarray(like).dtype == np.uint8:
        return np.clip(np.rint(made), 0, 255).astype(np.uint8)
    return made
