"""One Catmull-Clark step as a sparse matrix: every morphed head is refined by one product."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Subdivision:
    """`matrix` maps coarse vertex rows to fine ones, which `quads` and `triangles` index."""

    matrix: sparse.csr_matrix
    quads: Ints
    triangles: Ints

    def apply(self, values: Floats) -> Floats:
        """Refine one row per coarse vertex to one row per fine vertex."""
        return np.ascontiguousarray((self.matrix @ values).astype(np.float32))


def subdivide(quads: Ints, n: int) -> Subdivision:
    """Catmull-Clark (1978) on a quad mesh of `n` vertices; borders follow their own curve."""
    edges, edge_of, sides = _edges(quads)
    f, e = len(quads), len(edges)
    face = _rows(np.repeat(np.arange(f), 4), quads.ravel(), (f, n))
    middle = _rows(np.repeat(np.arange(e), 2), edges.ravel(), (e, n))
    touching = _rows(edge_of.ravel(), np.repeat(np.arange(f), 4), (e, f)) @ face
    border = sides == 1
    inner = sparse.diags((~border).astype(float))
    edge = 0.5 * inner @ (middle + touching) + sparse.diags(border.astype(float)) @ middle
    vertex = _vertex_rule(quads, edges, border, face, middle, n)
    matrix = sparse.vstack([vertex, edge, face]).tocsr().astype(np.float32)
    corner = quads
    after = n + edge_of
    before = n + np.roll(edge_of, 1, axis=1)
    centre = np.broadcast_to(n + e + np.arange(f)[:, None], quads.shape)
    fine = np.stack([corner, after, centre, before], axis=2).reshape(-1, 4).astype(np.int32)
    triangles = np.concatenate([fine[:, [0, 1, 2]], fine[:, [0, 2, 3]]])
    return Subdivision(matrix, fine, np.ascontiguousarray(triangles))


def _vertex_rule(
    quads: Ints,
    edges: Ints,
    border: npt.NDArray[np.bool_],
    face: sparse.csr_matrix,
    middle: sparse.csr_matrix,
    n: int,
) -> sparse.csr_matrix:
    around = _rows(quads.ravel(), np.repeat(np.arange(len(quads)), 4), (n, len(quads))) @ face
    spokes = _rows(edges.ravel(), np.repeat(np.arange(len(edges)), 2), (n, len(edges))) @ middle
    valence = np.bincount(edges.ravel(), minlength=n).clip(1)
    smooth = sparse.diags(1 / valence) @ (around + 2 * spokes)
    smooth = smooth + sparse.diags((valence - 3) / valence)
    rim = edges[border]
    on_rim = np.zeros(n, bool)
    on_rim[rim.ravel()] = True
    along = _rows(rim.ravel(), np.repeat(np.arange(len(rim)), 2), (n, len(rim)))
    curve = 0.5 * along @ middle[border] + 0.5 * sparse.identity(n)
    keep = sparse.diags(on_rim.astype(float))
    return sparse.diags((~on_rim).astype(float)) @ smooth + keep @ curve


def _edges(quads: Ints) -> tuple[Ints, Ints, Ints]:
    """Unique edges, the edge after each corner of each quad, and how many quads share an edge."""
    pairs = np.stack([quads, np.roll(quads, -1, axis=1)], axis=2).reshape(-1, 2)
    edges, index, sides = np.unique(
        np.sort(pairs, 1), axis=0, return_inverse=True, return_counts=True
    )
    return edges.astype(np.int32), index.reshape(quads.shape).astype(np.int32), sides


def _rows(rows: Ints, columns: Ints, shape: tuple[int, int]) -> sparse.csr_matrix:
    """The matrix that averages `columns` into `rows`."""
    ones = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)
    return sparse.diags(1 / np.maximum(np.asarray(ones.sum(1)).ravel(), 1)) @ ones
