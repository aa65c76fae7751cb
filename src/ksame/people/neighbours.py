"""The nearest neighbours of unit vectors: exactly, or by an index where there are very many.

Comparing all pairs takes time that grows with their square: seconds for 20,000 faces, many minutes
for 200,000. Above a hundred thousand an inverted file of FAISS looks at the cells around each face
alone. It may miss a neighbour that lies in a far cell; such a neighbour is hardly alike, and the
groups' means are compared again after every round of merging.
"""

import logging
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from ksame.arrays import Floats32, Indices

log = logging.getLogger(__name__)

NEIGHBOURS: Final = 40
MANY: Final = 100_000  # faces above which an index is used
_BLOCK: Final = 512
_INDEX_BLOCK: Final = 8192
# 4 sqrt(n) cells, as its authors advise; a twentieth of them is looked at, which misses few
_CELLS_PER_ROOT: Final = 4
_PROBED: Final = 0.05
_TRAINED_PER_CELL: Final = 40  # vectors: below 39 FAISS warns
_ROUNDS: Final = 10

Neighbour = tuple[int, int, float]  # two rows and how alike they are


def neighbours(X: Floats32, least: float, many: int = MANY) -> Iterator[Neighbour]:
    """Each row's nearest others that are more alike than ``least``, at most 40 of them.

    Parameters
    ----------
    X : (n, d) float32
        Vectors no longer than 1; likeness is their product.
    many : int
        From how many rows on an index is used, if FAISS is installed (``ksame[index]``).
    """
    if len(X) < many:
        return exact_neighbours(X, least)
    if find_spec("faiss") is None:
        log.warning(
            "%d faces are compared one by one, which takes long; install ksame[index]", len(X)
        )
        return exact_neighbours(X, least)
    return indexed_neighbours(X, least)


def exact_neighbours(X: Floats32, least: float) -> Iterator[Neighbour]:
    """All pairs compared, block by block."""
    for start in range(0, len(X), _BLOCK):
        likeness = X[start : start + _BLOCK] @ X.T
        own = np.arange(len(likeness))
        likeness[own, start + own] = -2.0
        rows, columns = np.nonzero(likeness > least)
        values = likeness[rows, columns]
        order = np.lexsort((-values, rows))
        rows, columns, values = rows[order], columns[order], values[order]
        rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
        kept = rank < NEIGHBOURS
        yield from _listed(start + rows[kept], columns[kept], values[kept])


def indexed_neighbours(X: Floats32, least: float) -> Iterator[Neighbour]:
    """The cells around each row compared.

    The same rows give the same neighbours: the cells are found from a fixed start.
    """
    index = _index(X)
    for start in range(0, len(X), _INDEX_BLOCK):
        # one more than is asked for: each row finds itself
        alike, found = index.search(X[start : start + _INDEX_BLOCK], NEIGHBOURS + 1)
        own = start + np.arange(len(found))[:, None]
        rows, places = np.nonzero((alike > least) & (found >= 0) & (found != own))
        rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
        kept = rank < NEIGHBOURS
        rows, places = rows[kept], places[kept]
        yield from _listed(start + rows, found[rows, places], alike[rows, places])


def _index(X: Floats32) -> Any:
    import faiss

    rows = np.ascontiguousarray(X, np.float32)
    cells = int(_CELLS_PER_ROOT * np.sqrt(len(rows)))
    cells = max(min(cells, len(rows) // _TRAINED_PER_CELL), 1)
    index = faiss.IndexIVFFlat(
        faiss.IndexFlatIP(rows.shape[1]), rows.shape[1], cells, faiss.METRIC_INNER_PRODUCT
    )
    index.cp.niter, index.cp.seed, index.cp.spherical = _ROUNDS, 0, True
    some = np.random.default_rng(0).permutation(len(rows))[: cells * _TRAINED_PER_CELL]
    index.train(rows[np.sort(some)])
    index.add(rows)
    index.nprobe = max(int(_PROBED * cells), 1)
    return index


def _listed(rows: Indices, columns: Indices, values: Floats32) -> Iterator[Neighbour]:
    return zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True)
