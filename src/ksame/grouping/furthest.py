"""k-Same-furthest with its zero enforced: no person is the nearest original of their surrogate.

F theorem 3 claims a recognition rate of zero under the distance that groups. The pseudo-code of F
figure 2 does not always reach it (see `ksame.grouping.literal`), so that here every surrogate is
compared with all originals, sources are chosen anew where one would be recognised, people are
grouped anew where that does not help, and where nothing helps the set is refused.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ksame.arrays import Floats, Ints
from ksame.checks import (
    RandomState,
    check_k_alone,
    check_random_state,
    check_vectors,
    to_safe_scale,
)
from ksame.errors import GuaranteeError
from ksame.faceset import mean_by
from ksame.grouping.closest import closest_plain, smallest, squared_distances
from ksame.grouping.groups import Swap

# Who is this close to being the nearest counts as nearest: an attacker's arithmetic may round.
_TIE = 1e-9
_RETRIES = 8
_ALL_SPLITS_BELOW = 13


@dataclass(frozen=True, eq=False)
class View:
    """A space in which the zero must hold.

    Attributes
    ----------
    codes : (n, d)
        One row per person; a surrogate is the mean of a group's rows.
    gallery : (m, d)
        The originals that a recogniser compares the surrogate with.
    owners : (m,) int
        The person, 0..n-1, of each gallery row.
    """

    codes: Floats
    gallery: Floats
    owners: Ints


def furthest(X: Any, k: int, random_state: RandomState = None, views: Sequence[View] = ()) -> Swap:
    """Group people and give each group the mean of a far group, so that recognition is zero.

    Parameters
    ----------
    X : array-like (n, d)
        One row per person, n >= 2k.
    k : int
    random_state : int, Generator or None
    views : sequence of View, optional
        Further galleries, such as all rows of all people, in which the zero is enforced as well.

    Returns
    -------
    Swap
        Groups of k to 2k-1 people; the mean of ``source[i]`` replaces the faces of group i.

    Raises
    ------
    GuaranteeError
        Where fewer than 2k people are given, or no grouping was found in which every person has
        another original strictly nearer to their surrogate (ties count as recognised).

    Notes
    -----
    The guarantee is about the Euclidean distance in the space of X and of the views (F theorem
    3), with the people of X as the gallery. Beyond it stands the k-anonymity of N theorem 2.
    """
    X = check_vectors(X)
    k = check_pairs(k, len(X))
    rng = check_random_state(random_state)
    X = to_safe_scale(X)[0]
    spaces = [View(X, X, np.arange(len(X))), *map(_safe, views)]
    for labels, proposal in _partitions(X, k, rng):
        source = _sources(X, labels, proposal, _recognised(labels, spaces))
        if source is not None:
            return Swap(labels, source)
    raise GuaranteeError(
        f"k={k}: no grouping of these {len(X)} people was found in which each surrogate's nearest "
        "original is another person (identical or nearly identical faces count as recognised). "
        "Remove duplicate faces, add people, or use method 'pixel', 'eigen' or 'm'."
    )


def _safe(view: View) -> View:
    """Return a view whose squares cannot overflow."""
    both = to_safe_scale(np.concatenate([view.codes, view.gallery]))[0]
    return View(both[: len(view.codes)], both[len(view.codes) :], view.owners)


def check_pairs(k: Any, n: int) -> int:
    """Return k if there are at least two groups of k people, F's premise."""
    size = check_k_alone(k)
    if n < 2 * size:
        raise GuaranteeError(
            f"k={size} needs at least {2 * size} people: two groups swap faces (F figure 2); "
            f"this set has {n} (n_samples={n} where each row is a person). Add people, lower k, "
            "or name a reference set."
        )
    return size


def _partitions(
    X: Floats, k: int, rng: np.random.Generator
) -> Iterator[tuple[Ints, dict[int, int]]]:
    """Yield groupings to try, F's pairs of far clusters first, and the sources each proposes."""
    for _ in range(_RETRIES):
        yield _far_pairs(X, k, rng.permutation(len(X)))
    yield closest_plain(X, k, rng.permutation(len(X))), {}
    far = X[np.argmax(((X - X.mean(axis=0)) ** 2).sum(axis=1))]
    away = X[np.argmax(((X - far) ** 2).sum(axis=1))]
    yield _slices(np.einsum("ij,j->i", X, away - far), k), {}
    yield _slices(np.linalg.norm(X - X.mean(axis=0), axis=1), k), {}
    if len(X) < min(3 * k, _ALL_SPLITS_BELOW):
        yield from _two_groups(len(X), k)


def _two_groups(n: int, k: int) -> Iterator[tuple[Ints, dict[int, int]]]:
    """Yield every split of n people, 2k <= n < 3k, into two groups of at least k."""
    for size in range(k, n - k + 1):
        for chosen in combinations(range(1, n), size):
            labels = np.zeros(n, dtype=np.int64)
            labels[list(chosen)] = 1
            yield labels, {}


def _far_pairs(X: Floats, k: int, order: Ints) -> tuple[Ints, dict[int, int]]:
    """Group a seed and the row furthest from it, each with its k-1 closest; they swap faces."""
    labels = np.full(len(X), -1, dtype=np.int64)
    proposal: dict[int, int] = {}
    left, group = np.arange(len(X)), 0
    for seed in order:
        if labels[seed] >= 0:
            continue
        if len(left) < 2 * k:
            break
        far = left[np.argmax(squared_distances(X[left], X[seed]))]
        for centre in (seed, far):
            distances = squared_distances(X[left], X[centre])
            # where all rows are identical the furthest is the seed: the next in line then leads
            chosen = left[smallest(distances, k)]
            labels[chosen] = group
            left = left[labels[left] < 0]
            group += 1
        proposal |= {group - 2: group - 1, group - 1: group - 2}
    if len(left) >= k:
        labels[left] = group
    elif len(left):
        _join_nearest(X, labels, left, group, k)
    return labels, proposal


def _join_nearest(X: Floats, labels: Ints, left: Ints, n_groups: int, k: int) -> None:
    """Put the rows that are left, fewer than k, into the nearest groups that have room."""
    grouped = labels >= 0
    means = mean_by(X[grouped], labels[grouped], n_groups)
    sizes = np.bincount(labels[grouped], minlength=n_groups)
    for row in left:
        distances = ((means - X[row]) ** 2).sum(axis=1)
        distances[sizes >= 2 * k - 1] = np.inf
        labels[row] = int(np.argmin(distances))
        sizes[labels[row]] += 1


def _slices(values: Floats, k: int) -> Ints:
    """Group people by their place on a line: slices of k, the last one with the rest."""
    labels = np.empty(len(values), dtype=np.int64)
    places = np.arange(len(values)) // k
    labels[np.argsort(values, kind="stable")] = np.minimum(places, len(values) // k - 1)
    return labels


def _recognised(labels: Ints, spaces: Sequence[View]) -> list[set[int]]:
    """Return for each group's mean the groups that hold one of its nearest originals."""
    n_groups = int(labels.max()) + 1
    found: list[set[int]] = [set() for _ in range(n_groups)]
    for space in spaces:
        means = mean_by(space.codes, labels, n_groups)
        for group, rows in enumerate(nearest_rows(means, space.gallery)):
            found[group].update(labels[space.owners[rows]].tolist())
    return found


def nearest_rows(points: Floats, gallery: Floats) -> Iterator[Ints]:
    """Yield for each point the gallery rows nearest to it, all that tie within rounding.

    A matrix product finds the rows that may be nearest; differences then decide, so that the
    answer depends neither on the matrix library nor on its threads.
    """
    centre = gallery.mean(axis=0)
    rows, targets = gallery - centre, points - centre
    norms = (rows**2).sum(axis=1)
    reach = np.sqrt(norms.max())
    rounding = 64 * np.finfo(float).eps * np.sqrt(gallery.shape[1]) * float(np.abs(gallery).max())
    for start in range(0, len(points), 64):
        products = targets[start : start + 64] @ rows.T
        for point, product in zip(targets[start : start + 64], products, strict=True):
            rough = norms - 2 * product
            slack = 1e-10 * float(reach + np.sqrt(point @ point)) ** 2 + 2 * rounding * reach
            best = float(rough.min())
            span = _TIE * (abs(best) + float(point @ point)) * 4
            near = np.flatnonzero(rough <= best + slack + span)
            exact = np.sqrt(((rows[near] - point) ** 2).sum(axis=1))
            yield near[exact <= exact.min() * (1 + _TIE) + rounding]


def _sources(
    X: Floats, labels: Ints, proposal: dict[int, int], recognised: list[set[int]]
) -> Ints | None:
    """Return a source for each group under which nobody is recognised, or None if a group has none.

    The proposed source is kept where it is safe; elsewhere the furthest safe mean is taken.
    """
    means = mean_by(X, labels, len(recognised))
    source = np.empty(len(recognised), dtype=np.int64)
    for group in range(len(recognised)):
        proposed = proposal.get(group, group)
        if proposed != group and group not in recognised[proposed]:
            source[group] = proposed
            continue
        distances = ((means - means[group]) ** 2).sum(axis=1)
        safe = (
            other
            for other in np.argsort(-distances, kind="stable").tolist()
            if other != group and group not in recognised[other]
        )
        chosen = next(safe, None)
        if chosen is None:
            return None
        source[group] = chosen
    return source
