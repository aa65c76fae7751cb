"""A set of registered faces as parallel arrays: the value that flows into every method.

N definition 2.3 (face set) and 2.4 (person-specific face set). k counts people, so that a face set
always knows whose face each row is, and a person's rows are never treated apart.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from ksame.arrays import Array, Floats, Ints, frozen
from ksame.checks import check_column, check_faces, number, to_safe_scale
from ksame.errors import InputError


def mean_by(rows: Floats, codes: Ints, n: int) -> Floats:
    """Return the mean row of each of the n codes, shape (n, d); every code must occur.

    Rows are added in their order, so that the result does not depend on the number of threads.
    """
    if n == len(rows):
        return rows[np.argsort(codes)]
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(n))
    small, scale = to_safe_scale(rows[order])
    sums: Floats = np.add.reduceat(small, starts, axis=0)
    counts = np.bincount(codes, minlength=n)
    return sums / counts[:, None] * scale


@dataclass(frozen=True, eq=False, init=False)
class FaceSet:
    """n registered faces with their people and any label columns; validated once, immutable.

    Parameters
    ----------
    faces : array-like (n, ...)
        Vectors (n, d) or images (n, h, w) or (n, h, w, 3); finite numbers of one shape.
    persons : array-like (n,), optional
        Whose face each row is. None: every row is a person of its own.
    labels : mapping of name to array-like (n,), optional
        Columns such as gender or expression, one value per row.
    """

    faces: Array
    persons: Array
    labels: Mapping[str, Array]

    def __init__(
        self,
        faces: npt.ArrayLike,
        persons: npt.ArrayLike | None = None,
        labels: Mapping[str, npt.ArrayLike] | None = None,
    ) -> None:
        checked: Array = check_faces(faces, "faces")
        if not isinstance(faces, list | tuple) and np.asarray(faces).dtype.kind in "buif":
            checked = np.asarray(faces)  # pictures stay bytes
        n = len(checked)
        whose = np.arange(n) if persons is None else check_column(persons, n, "persons")
        columns = {
            str(name): frozen(check_column(column, n, f"column {name!r}"))
            for name, column in (labels or {}).items()
        }
        object.__setattr__(self, "faces", frozen(checked))
        object.__setattr__(self, "persons", frozen(whose))
        object.__setattr__(self, "labels", MappingProxyType(columns))

    def __len__(self) -> int:
        return len(self.faces)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles and copies are validated and frozen again."""
        return FaceSet, (self.faces, self.persons, dict(self.labels))

    def __repr__(self) -> str:
        columns = ", ".join(self.labels) or "none"
        shape = "x".join(str(size) for size in self.faces.shape[1:])
        return f"FaceSet({len(self)} faces of {shape}, {self.n_people} people, columns: {columns})"

    def __getitem__(self, rows: Any) -> "FaceSet":
        """Return the rows of a mask, a slice or an index array as a face set."""
        chosen = np.arange(len(self))[rows]
        if chosen.ndim != 1 or len(chosen) == 0:
            raise InputError(
                "the rows chosen must be a mask, a slice or an index array that leaves at least "
                "one face. Check the condition."
            )
        labels = {name: column[chosen] for name, column in self.labels.items()}
        return FaceSet(self.faces[chosen], self.persons[chosen], labels)

    @property
    def vectors(self) -> Floats:
        """The faces as float64 rows, shape (n, d)."""
        return np.ascontiguousarray(self.faces.reshape(len(self), -1), dtype=np.float64)

    @property
    def person_codes(self) -> Ints:
        """The person of each row as 0..n_people-1, in order of first appearance."""
        return number(self.persons)[0]

    @property
    def n_people(self) -> int:
        """The number of distinct people: what k is compared with."""
        return number(self.persons)[1]

    @property
    def is_person_specific(self) -> bool:
        """Whether no two rows are of one person (N definition 2.4)."""
        return self.n_people == len(self)

    def one_per_person(self) -> "FaceSet":
        """Return the first row of each person: a person-specific face set."""
        return self[np.unique(self.person_codes, return_index=True)[1]]

    def person_means(self) -> "FaceSet":
        """Return one face per person, the mean of the person's rows, in order of first appearance.

        A label column is kept where it is constant for every person, and left out elsewhere.
        """
        codes, n = number(self.persons)
        first = np.unique(codes, return_index=True)[1]
        means = mean_by(self.vectors, codes, n).reshape(n, *self.faces.shape[1:])
        kept = {
            name: column[first]
            for name, column in self.labels.items()
            if bool(np.all(column == column[first][codes]))
        }
        return FaceSet(means, self.persons[first], kept)

    @staticmethod
    def merge(sets: "list[FaceSet]") -> "FaceSet":
        """Return the rows of several sets under each other, with the columns that all have."""
        shapes = {one.faces.shape[1:] for one in sets}
        if len(shapes) != 1:
            raise InputError(
                f"{len(sets)} sets with {len(shapes)} face shapes cannot be merged; there must be "
                "at least one set and one shape. Register all faces to one frame."
            )
        names = [name for name in sets[0].labels if all(name in one.labels for one in sets)]
        labels = {name: np.concatenate([one.labels[name] for one in sets]) for name in names}
        faces = np.concatenate([one.faces for one in sets])
        return FaceSet(faces, np.concatenate([one.persons for one in sets]), labels)
