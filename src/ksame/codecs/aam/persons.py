"""Who a face is and what it is doing, apart: identity and dynamics of codes.

A person's identity is the mean of that person's codes; dynamics is what is left in each image:
expression, turn of the head, change of light. De-identifying the identity alone keeps the rest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ksame.arrays import Floats, Ints
from ksame.errors import InputError


@dataclass(frozen=True, eq=False, repr=False)
class PersonCodes:
    """Codes of several images per person, split in two.

    Parameters
    ----------
    identity : (people, d) mean code of each person.
    dynamics : (n, d) what each image adds to its person's identity; sums to 0 per person.
    index : (n,) row of ``identity`` that each image belongs to.
    """

    identity: Floats
    dynamics: Floats
    index: Ints

    def __repr__(self) -> str:
        return f"PersonCodes(people={len(self.identity)}, images={len(self.index)})"

    def combine(self, identity: npt.ArrayLike | None = None, strength: float = 1.0) -> Floats:
        """Codes (n, d) of the images with other identities (people, d), or with their own.

        ``strength`` scales the dynamics: 0 shows all images of a person alike.
        """
        base = self.identity if identity is None else np.asarray(identity, dtype=np.float64)
        if base.shape != self.identity.shape:
            raise InputError(
                f"identities have shape {base.shape}; give {self.identity.shape}, a row per person."
            )
        return np.asarray(base[self.index] + strength * self.dynamics)


def separate(codes: npt.ArrayLike, persons: npt.ArrayLike) -> PersonCodes:
    """Split codes (n, d) by their people (n,): any ids that can be compared."""
    rows = np.asarray(codes, dtype=np.float64)
    ids = np.asarray(persons)
    if rows.ndim != 2 or ids.shape != (len(rows),):
        raise InputError(
            f"codes have shape {rows.shape} and persons {ids.shape}; give (n, d) and (n,)."
        )
    _, index = np.unique(ids, return_inverse=True)
    index = index.astype(np.int64)
    identity = np.zeros((int(index.max(initial=-1)) + 1, rows.shape[1]))
    np.add.at(identity, index, rows)
    identity /= np.bincount(index)[:, None]
    return PersonCodes(identity, rows - identity[index], index)
