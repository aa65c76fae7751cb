"""What the ledger tells of a surrogate's pixels, so that a verifier can find them in the photos.

The head frame is divided into cells of 16 x 16 pixels, 32 rows of 28. Per look there are

``solid``    the cells that show nothing but the head: a bit each, row by row, in hexadecimal
``reach``    the cells that the head, its soft rim or its neck touches at all, in the same form
``colours``  the mean colour of each solid cell: two hexadecimal digits for red, green and blue

A group's digest in the certificate covers these and the sha256 over all pixels, so that whoever
holds the certificate knows that ledger and photos speak of the surrogate that was certified.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import cv2
import numpy as np
import numpy.typing as npt

from ksame.arrays import Bools

if TYPE_CHECKING:
    from ksame.composite import Look, Surrogate

CELL = 16  # pixels of the head frame on a side

Cells = Mapping[str, Mapping[str, str]]


def surrogate_cells(surrogate: "Surrogate") -> dict[str, dict[str, str]]:
    """The cells of every look of a surrogate."""
    return {state.value: _look_cells(look) for state, look in sorted(surrogate.looks.items())}


def surrogate_digest(pixels: str, cells: Cells) -> str:
    """The digest that a certificate gives for a surrogate: over its pixels and its cells."""
    text = json.dumps(
        {"pixels": pixels, "looks": cells}, sort_keys=True, separators=(",", ":"), ensure_ascii=True
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _look_cells(look: "Look") -> dict[str, str]:
    solid = np.asarray(_in_cells(look.solid).all(axis=(1, 3)))
    reach = np.asarray(_in_cells(look.head[..., 3] > 0).any(axis=(1, 3)))
    # sums of whole numbers are exact: the means are NumPy's, in a tenth of the time
    corners = cv2.integral(look.head[..., :3])[::CELL, ::CELL].astype(np.float64)
    means = np.diff(np.diff(corners, axis=0), axis=1) / CELL**2
    colours = np.rint(means[solid]).astype(np.uint8)
    return {"solid": _bits(solid), "reach": _bits(reach), "colours": colours.tobytes().hex()}


def _in_cells(values: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """An array of the head frame as (rows, CELL, columns, CELL, ...)."""
    rows, columns = values.shape[0] // CELL, values.shape[1] // CELL
    return values.reshape(rows, CELL, columns, CELL, *values.shape[2:])


def _bits(cells: Bools) -> str:
    return np.packbits(cells).tobytes().hex()
