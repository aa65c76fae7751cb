"""Arithmetic of identity codes: the mean of a group's people, and a face far from all of them.

Codes are whitened: an individual's code has a length of about the square root of its size. A mean
of many is shorter, and looks like nobody in particular; a far code is as long as individuals are.
"""

import numpy as np
import numpy.typing as npt

from ksame.arrays import Floats, Floats32
from ksame.errors import InputError

Codes = Floats32


def individual_norm(size: int) -> float:
    """The length that codes of individuals have."""
    return float(np.sqrt(size))


def mean_code(codes: npt.ArrayLike) -> Codes:
    """The mean of k people's codes (k, c): what k-Same-M decodes.

    The result does not depend on the order of the people, beyond rounding.
    """
    found = _checked(codes)
    mean: Codes = found.mean(axis=0, dtype=np.float64).astype(np.float32)
    return mean


def far_code(people: npt.ArrayLike, faces: npt.ArrayLike) -> Codes:
    """Of several candidate faces the one that is furthest from every one of some people.

    ``people`` (k, c) are a group's codes, ``faces`` (m, c) candidates, such as draws of the looks
    that are wanted. The nearest person decides (the largest of the smallest angles between
    deviations from the mean face); the result has the length of individuals.
    """
    group, candidates = _checked(people), _checked(faces)
    if group.shape[1] != candidates.shape[1]:
        raise InputError(
            f"codes of people have {group.shape[1]} numbers, those of faces {candidates.shape[1]}; "
            "take both from one model."
        )
    likeness = _units(candidates) @ _units(group).T
    chosen = candidates[int(np.argmin(likeness.max(axis=1)))]
    length = float(np.linalg.norm(chosen))
    far: Codes = (chosen * (individual_norm(len(chosen)) / max(length, 1e-9))).astype(np.float32)
    return far


def _units(codes: Floats) -> Floats:
    units: Floats = codes / np.maximum(np.linalg.norm(codes, axis=1, keepdims=True), 1e-9)
    return units


def _checked(codes: npt.ArrayLike) -> Floats:
    found = np.asarray(codes, np.float64)
    if found.ndim != 2 or not len(found):
        raise InputError(f"codes have shape {found.shape}; (people, numbers) is needed.")
    if not np.isfinite(found).all():
        raise InputError("codes hold numbers that are not finite; encode the people again.")
    return found
