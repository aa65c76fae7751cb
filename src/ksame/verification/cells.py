"""The grid on which pixels are compared, and a look's cells on it.

The head frame is what every head is brought into by position, scale and rotation: 448 x 512
pixels, the eyes 96 pixels apart in row 232. It is divided into cells of 16 x 16 pixels.
"""

from dataclasses import dataclass, field

import numpy as np

from ksame.arrays import Bools, Floats, Image
from ksame.verification.documents import LookCells
from ksame.verification.reading import Malformed

WIDTH, HEIGHT = 448, 512  # of the head frame
EYES = 96.0  # pixels of the head frame between the eyes
CELL = 16
COLUMNS, ROWS = WIDTH // CELL, HEIGHT // CELL
# where the eyes and the mouth of every head lie: a look that leaves them open replaces nothing
_EYES, _MOUTH = np.s_[13:16, 10:18], np.s_[19:22, 12:16]
_LEAST_OF_FACE = 0.5


@dataclass(frozen=True, slots=True)
class Look:
    """One look: the cells that it fills, those that it touches, and the colours of the former.

    ``colours`` is (rows, columns, 3), zero outside of ``solid``.
    """

    solid: Bools = field(repr=False)
    reach: Bools = field(repr=False)
    colours: Floats = field(repr=False)

    @property
    def covers_a_face(self) -> bool:
        """Whether eyes and mouth are replaced."""
        face = np.concatenate([self.solid[_EYES].ravel(), self.solid[_MOUTH].ravel()])
        return bool(face.mean() >= _LEAST_OF_FACE)


def decode(told: LookCells) -> Look:
    """A look from the ledger's texts.

    Raises
    ------
    Malformed
        A text is no hexadecimal number of the right length.
    """
    solid, reach = (_bits(text) for text in (told.solid, told.reach))
    values = _bytes(told.colours)
    if len(values) != 3 * int(solid.sum()):
        raise Malformed("a look has not one colour for each of its cells")
    if (solid & ~reach).any():
        raise Malformed("a look fills cells that it does not touch")
    colours = np.zeros((ROWS, COLUMNS, 3))
    colours[solid] = values.reshape(-1, 3)
    return Look(solid, reach, colours)


def _bytes(text: str) -> Image:
    try:
        return np.frombuffer(bytes.fromhex(text), np.uint8)
    except ValueError:
        raise Malformed("a look is no hexadecimal number") from None


def _bits(text: str) -> Bools:
    values = _bytes(text)
    if len(values) * 8 != ROWS * COLUMNS:
        raise Malformed(f"a look has not {ROWS * COLUMNS} cells")
    return np.unpackbits(values).astype(bool).reshape(ROWS, COLUMNS)
