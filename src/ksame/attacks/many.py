"""Very many faces compared in bounded memory: block by block, group by group, or some of them.

Distances between all faces of a release grow with the square of its faces.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final

import numpy as np

from ksame.arrays import AnyFloats, Array
from ksame.attacks.case import Rows, Trial

MOST: Final = 1500  # faces that are compared with as many others at once

Compare = Callable[[Rows, Rows], AnyFloats]
"""The distances of some released faces from some originals, by their rows."""


def drawn(count: int) -> Rows:
    """All rows in their order; of very many some by chance, the same ones in every run."""
    if count <= MOST:
        return np.arange(count, dtype=np.intp)
    return np.sort(np.random.default_rng(count).permutation(count)[:MOST]).astype(np.intp)


def blocks(count: int, columns: int) -> Iterator[Rows]:
    """All rows in their order, so many at once as can be compared with all columns."""
    step = max(MOST**2 // max(columns, 1), 1)
    for start in range(0, count, step):
        yield np.arange(start, min(start + step, count), dtype=np.intp)


def rows_of(labels: Sequence[Hashable | None]) -> dict[Hashable, Rows]:
    """The rows of each label that is not None."""
    rows: dict[Hashable, list[int]] = defaultdict(list)
    for i, label in enumerate(labels):
        if label is not None:
            rows[label].append(i)
    return {label: np.array(members, np.intp) for label, members in rows.items()}


def trials_of_groups(
    compare: Compare,
    originals: Array,
    released: Array,
    own: Rows,
    groups: Sequence[Hashable | None],
) -> Iterator[Trial]:
    """A trial of each group, one after the other: its faces against all photos of its people.

    Of a group with very many faces some are drawn, and compared with each other's photos.

    Parameters
    ----------
    compare
        Gives the distances between rows of both sides.
    originals, released
        Who is on each row of the sides.
    own
        The original that each released face was made from, or -1.
    groups
        The group of each released face; None of a face that belongs to none.
    """
    photos = rows_of(originals.tolist())
    place = np.full(len(originals) + 1, -1, np.intp)  # the last one is that of -1
    for members in rows_of(groups).values():
        rows = members[drawn(len(members))]
        columns = np.unique(own[rows][own[rows] >= 0])
        if len(rows) == len(members):
            known = [photos[p] for p in np.unique(released[rows]).tolist() if p in photos]
            columns = np.sort(np.concatenate(known)) if known else columns
        rows = rows[np.isin(released[rows], originals[columns])]
        place[columns] = np.arange(len(columns))
        if len(rows):
            mine = place[own[rows]]
            yield Trial(compare(rows, columns), originals[columns], released[rows], mine)
        place[columns] = -1
