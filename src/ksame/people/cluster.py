"""Who is who: faces become people by clustering their identity embeddings.

Taking two people for one is harmless to k-anonymity; splitting one person into two breaks it. The
rule therefore errs towards merging, and every decision that was near is reported as uncertain.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ksame.arrays import Floats, Floats32, Indices
from ksame.errors import InputError
from ksame.people.neighbours import MANY, neighbours

# Cosine similarities of SFace. Different people have 0.08 to 0.17 on average, s.d. 0.09 to 0.10, in
# each of five sets; two photos of one person have 0.39 (92 x 112 pixels) to 0.99. The threshold
# is placed by the collection's own impostors, inside this range.
LOWEST, HIGHEST = 0.40, 0.45
_FALSE_LINKS = 0.05  # expected number of strangers above the threshold, per face
_NEAR = 0.07  # around the threshold a decision is uncertain


class People(NamedTuple):
    """The result of clustering: a label per face, and the pairs of faces to look at."""

    labels: Indices
    uncertain: list[tuple[int, int]]


def cluster_people(
    embeddings: Floats,
    photos: Sequence[int] | Indices,
    *,
    apart: Sequence[tuple[int, int]] = (),
    threshold: float | None = None,
    index_from: int = MANY,
) -> People:
    """Group faces into people by average linkage of their embeddings.

    Two faces of one photo are two people, always, and so are faces seen together otherwise. Memory
    grows with the number of faces, not with its square: the faces' nearest neighbours are the only
    candidates, and above 100,000 faces an index finds them (`ksame.people.neighbours`).

    Parameters
    ----------
    embeddings : (n, d) array
        Unit vectors of `ksame.vision.embed_sface`.
    photos : (n,) ints
        Which photo each face is in.
    apart : pairs of ints
        Further faces that are two people: tracks of a clip that were seen in one frame.
    threshold : float, optional
        The mean cosine similarity above which two groups of faces are one person. None places it
        by the similarities of the collection itself.
    index_from : int
        From how many faces on an index is asked for neighbours; below, all pairs are compared.

    Returns
    -------
    People
        ``labels`` (n,), numbered by first appearance, and ``uncertain``, pairs of faces (one of
        each group) whose groups were merged or kept apart by a narrow margin, nearest first.
    """
    X, where = _checked(embeddings, photos)
    if len(X) == 0:
        return People(np.zeros(0, np.intp), [])
    limit = _threshold(X, where) if threshold is None else threshold
    merger = _Merger(X, where, limit, apart)
    # A person with more photos than neighbours are kept may fall into groups that know nothing of
    # each other: the groups' means are compared again until nothing merges any more.
    while merger.offer_neighbours(limit - _NEAR, index_from):
        merger.run()
    return People(merger.labels(), merger.uncertain())


def _checked(embeddings: Floats, photos: Sequence[int] | Indices) -> tuple[Floats32, Indices]:
    X = np.asarray(embeddings, np.float32)
    where = np.asarray(photos)
    if X.ndim != 2 or where.shape != X.shape[:1]:
        raise InputError(
            f"embeddings of shape {X.shape} need one photo each; there are {where.shape} photos."
        )
    if not np.isfinite(X).all():
        raise InputError("embeddings hold numbers that are not finite. Leave those faces out.")
    where = np.unique(where, return_inverse=True)[1].astype(np.intp)
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.maximum(norms, np.float32(1e-12)), where


def place_threshold(embeddings: Floats, photos: Sequence[int] | Indices) -> float:
    """The similarity above which :func:`cluster_people` takes two groups for one person."""
    return _threshold(*_checked(embeddings, photos))


def _threshold(X: Floats32, where: Indices) -> float:
    """The similarity that strangers of this collection hardly reach.

    Random pairs are strangers for the most part; the half of them below the median tells mean and
    spread even where a few people are in many photos. The more faces, the more chances for two
    strangers to be alike: the quantile rises with their number.
    """
    n = len(X)
    if n < 20:
        return LOWEST
    rng = np.random.default_rng(0)
    i, j = rng.integers(0, n, (2, 20000))
    i, j = i[where[i] != where[j]], j[where[i] != where[j]]
    if len(i) < 100:
        return LOWEST
    likeness = np.einsum("ij,ij->i", X[i], X[j])
    low, middle = np.quantile(likeness, [0.1587, 0.5])
    spread = float(middle - low)  # one standard deviation of a normal distribution
    quantile = NormalDist().inv_cdf(1.0 - _FALSE_LINKS / n)
    return float(np.clip(middle + quantile * spread, LOWEST, HIGHEST))


@dataclass
class _Group:
    """Faces that are one person so far."""

    faces: list[int]
    total: Floats32  # sum of the unit vectors
    photos: set[int]
    near: set[int]  # groups that may be the same person
    others: set[int]  # faces that were seen together with one of these


class _Merger:
    """Average linkage on a sparse graph.

    The mean similarity of two groups is the product of their mean vectors, so that no matrix of
    similarities is kept.
    """

    def __init__(
        self, X: Floats32, where: Indices, limit: float, apart: Sequence[tuple[int, int]]
    ) -> None:
        self._limit = limit
        self._groups = {
            i: _Group([i], X[i].copy(), {int(where[i])}, set(), set()) for i in range(len(X))
        }
        for i, j in apart:
            self._groups[i].others.add(j)
            self._groups[j].others.add(i)
        self._next = len(X)
        self._queue: list[tuple[float, int, int]] = []
        self._narrow: list[tuple[float, int, int]] = []
        self._size = len(X)

    def offer_neighbours(self, least: float, index_from: int) -> bool:
        """Queue the nearest groups of each group; False where all of them are known already."""
        ids = list(self._groups)
        means = np.stack([self._groups[i].total / len(self._groups[i].faces) for i in ids])
        for row, column, likeness in neighbours(means.astype(np.float32), least, index_from):
            i, j = ids[row], ids[column]
            if j not in self._groups[i].near:
                self._groups[i].near.add(j)
                self._groups[j].near.add(i)
                heapq.heappush(self._queue, (-likeness, i, j))
        return bool(self._queue)

    def run(self) -> None:
        """Merge the most alike groups until none is alike enough."""
        while self._queue:
            likeness, i, j = heapq.heappop(self._queue)
            if i not in self._groups or j not in self._groups:
                continue  # one of them has become part of a larger group
            self._decide(i, j, -likeness)

    def _decide(self, i: int, j: int, likeness: float) -> None:
        a, b = self._groups[i], self._groups[j]
        apart = not (a.photos.isdisjoint(b.photos) and a.others.isdisjoint(b.faces))
        if abs(likeness - self._limit) < _NEAR or (apart and likeness > self._limit):
            self._narrow.append((abs(likeness - self._limit), a.faces[0], b.faces[0]))
        if likeness < self._limit or apart:
            return
        merged = _Group(
            a.faces + b.faces,
            a.total + b.total,
            a.photos | b.photos,
            (a.near | b.near) - {i, j},
            a.others | b.others,
        )
        del self._groups[i], self._groups[j]
        merged.near &= self._groups.keys()
        new, self._next = self._next, self._next + 1
        self._groups[new] = merged
        for other in merged.near:
            group = self._groups[other]
            group.near.add(new)
            mean = float(merged.total @ group.total) / (len(merged.faces) * len(group.faces))
            heapq.heappush(self._queue, (-mean, new, other))

    def labels(self) -> Indices:
        """The number of each face's person, by first appearance."""
        labels = np.empty(self._size, np.intp)
        ordered = sorted(self._groups.values(), key=lambda group: min(group.faces))
        for number, group in enumerate(ordered):
            labels[group.faces] = number
        return labels

    def uncertain(self) -> list[tuple[int, int]]:
        """The pairs of faces whose groups were near the threshold, nearest first."""
        return list(dict.fromkeys((min(i, j), max(i, j)) for _, i, j in sorted(self._narrow)))
