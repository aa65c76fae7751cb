"""Methods as the bench wants them: functions of faces and of the people they show."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from ksame.arrays import Array
from ksame.attacks.bench import Alter, Rows
from ksame.errors import NoGuaranteeWarning
from ksame.methods import KSame, KSameSelect, conceal
from ksame.recognition.contract import FaceImages

Make = Callable[[], KSame | KSameSelect]


def ad_hoc(name: str, level: float | None = None, scale: float = 1.0) -> Alter:
    """An ad hoc method (N section 5.3); `scale` turns a level into pixels of a larger frame.

    The same seed for every set of faces: N perturbs the same pixels in each image, and a parrot
    can do so as well.
    """
    strength = None if level is None else level * scale
    if name == "pixelate" and strength is not None:
        strength = float(max(round(strength), 1))

    def alter(faces: FaceImages, people: Rows) -> FaceImages:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoGuaranteeWarning)
            return np.asarray(conceal(faces, name, level=strength, random_state=0))

    return alter


def blur(variance: float, scale: float = 1.0) -> Alter:
    """Blur by its variance, as G section 5.2 states its levels, in pixels of G's frame."""
    return ad_hoc("blur", float(np.sqrt(variance)), scale)


def k_same(make: Make, classes: Array | None = None) -> Alter:
    """A k-Same method; `classes` holds one class per person of the universe."""

    def alter(faces: FaceImages, people: Rows) -> FaceImages:
        flat = np.asarray(faces, dtype=np.float64).reshape(len(faces), -1)
        chosen = None if classes is None else classes[people]
        made = make().fit_transform(flat, persons=people, classes=chosen)
        return _as(made.reshape(faces.shape), faces)

    return alter


def k_same_with(
    make: Make, other: FaceImages, classes: Array | None = None, by_images: bool = False
) -> Alter:
    """A k-Same method on the faces and another photo of each person; returns the faces alone.

    Parameters
    ----------
    other
        Another photo of every person of the universe.
    classes
        `(2, n)`: the class of every person's first and second photo.
    by_images
        Group every image as if it were another person's: what goes wrong where k counts images.
    """

    def alter(faces: FaceImages, people: Rows) -> FaceImages:
        both = np.concatenate([faces, other[people]]).astype(np.float64)
        persons = None if by_images else np.tile(people, 2)
        chosen = None if classes is None else np.concatenate([c[people] for c in classes])
        made = make().fit_transform(both.reshape(len(both), -1), persons=persons, classes=chosen)
        return _as(made[: len(faces)].reshape(faces.shape), faces)

    return alter


def _as(made: FaceImages, like: FaceImages) -> FaceImages:
    """In the number type of the faces that came in: images stay images."""
    if np.asarray(like).dtype == np.uint8:
        return np.clip(np.rint(made), 0, 255).astype(np.uint8)
    return made
