"""The array types that signatures name, arrays that nobody changes, and medians.

Each type is an alias: any NumPy array of that kind fits.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
"""Of any type: pictures of grey or colour, labels, crops."""

Arrays = dict[str, Array]
"""Named arrays, as a file of arrays holds them."""

Floats = npt.NDArray[np.float64]
Floats32 = npt.NDArray[np.float32]
AnyFloats = npt.NDArray[np.floating]
"""Single or double precision: what a recogniser describes a face with."""

Complex = npt.NDArray[np.complex128]
"""Points of the plane as x + iy."""

Image = npt.NDArray[np.uint8]
"""Pictures (h, w, 3) and masks (h, w) of 0 to 255."""

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Ints32 = npt.NDArray[np.int32]
Indices = npt.NDArray[np.intp]
"""Row numbers, as NumPy's searches and sorts return them."""

Labels = Sequence[Hashable] | npt.NDArray[np.generic]
"""One name per row: of a person, a group or a class."""


def frozen(values: Array) -> Array:
    """A read-only copy, so that changing the caller's array changes nothing elsewhere."""
    copy = np.array(values, copy=True, order="C")
    copy.flags.writeable = False
    return copy


def medians(rows: AnyFloats) -> AnyFloats:
    """The median of each row, along the last axis; a row has one number at least.

    The same as NumPy's, which looks for both numbers in the middle at once: processors have
    instructions for one, and it takes a tenth of the time.
    """
    middle = rows.shape[-1] // 2
    parted = np.partition(rows, middle, axis=-1)
    found: AnyFloats = parted[..., middle]
    if rows.shape[-1] % 2 == 0:
        found = (parted[..., :middle].max(axis=-1) + found) / 2
    return found
