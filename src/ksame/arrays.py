"""The array types that signatures name, arrays that nobody changes, medians and percentiles.

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


def quantile(row: AnyFloats, share: float) -> Any:
    """The number of a row (n,) below which a share of it lies; of the row's type.

    A row has one number at least, and none that is NaN. The same as NumPy's for a single quantile,
    which sorts the row's ends into place as well and looks at its arguments for longer than at a
    short row: this takes a fifth of the time.
    """
    return _between(*_around(row, share))


def percentile(row: AnyFloats, at: float) -> Any:
    """One percentile of a row, as `quantile`."""
    return quantile(row, at / 100)


def percentiles(row: AnyFloats, at: Sequence[float]) -> Floats:
    """Several percentiles of a row, as `quantile`; the same as NumPy's for several."""
    found = (_around(row, one / 100) for one in at)
    return np.array([_between(low, high, np.float64(part)) for low, high, part in found])


def _around(row: AnyFloats, share: float) -> tuple[Any, Any, float]:
    """The two numbers of a row that a quantile lies between, and how far from the first."""
    place = (len(row) - 1) * share
    below = int(place)
    if below + 1 >= len(row):
        last = row.max()
        return last, last, 0.0
    parted = np.partition(row, below + 1)
    return parted[: below + 1].max(), parted[below + 1], place - below


def _between(low: Any, high: Any, part: float) -> Any:
    step = high - low
    return low + step * part if part < 0.5 else high - step * (1 - part)
