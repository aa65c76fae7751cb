"""An independent check of k-anonymity that trusts nothing but the arrays it is given.

It shares no code with the methods that make releases: N definition 2.10 is recomputed from the
bytes of the released rows.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from ksame.checks import check_faces, check_k_alone, check_persons, check_vectors, to_safe_scale
from ksame.errors import GuaranteeError, InputError

_SHOWN = 10


@dataclass(frozen=True)
class AnonymityReport:
    """What the check found; false where k-anonymity is violated.

    Attributes
    ----------
    k, n_rows, n_people, n_surrogates : int
    smallest : int
        The fewest people that share one released face.
    bound : float
        The largest share of people that an attacker who knows the method, the original set and
        all groups can expect to recognise: the number of distinguishable groups over the people.
        At most 1/k where the report is true.
    linked_smallest, linked_bound : int, float
        The same two for an attacker who also knows which rows are of one person (a series of
        photos, the same clothes) and how many rows of each person there are: people are alike
        where they have the same faces, each as often.
    unchanged : int
        Rows whose released face equals the original, byte by byte (N definition 2.7 asks for
        none; a set of identical faces cannot do otherwise).
    violations : tuple of str
        Each says which surrogate or which rows break the rule, by number, never by name.
    """

    k: int
    n_rows: int
    n_people: int
    n_surrogates: int
    smallest: int
    bound: float
    linked_smallest: int
    linked_bound: float
    unchanged: int
    violations: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether each released face is shared by at least k people, linked rows included."""
        return not self.violations

    def __bool__(self) -> bool:
        return self.ok

    def raise_if_violated(self) -> "AnonymityReport":
        """Return the report, or raise `GuaranteeError` with what was violated."""
        if self.violations:
            raise GuaranteeError(
                f"the release is not {self.k}-anonymous, nothing may be handed out: "
                + "; ".join(self.violations[:_SHOWN])
            )
        return self


def check_k_anonymity(
    original: Any, released: Any, persons: Any, k: int, *, linked: bool = False
) -> AnonymityReport:
    """Check that `released` is k-anonymous over `original` (N definition 2.10), by people.

    Two rules, recomputed from the bytes of the released rows:

    1. every released face is shared, byte by byte, by at least k different people;
    2. at least k people have exactly the same *set* of released faces as each person. Without it,
       an attacker who links several rows of a person could intersect their groups. With `linked`
       they must have the same *multiset*: else whoever is alone in having five rows is named by a
       chain of five, however many people share the face.

    Parameters
    ----------
    original, released : array-like (n, ...)
        One row per face, in the same order.
    persons : array-like (n,) or None
        Whose face each row is; None where every row is a person of its own.
    k : int
    linked : bool
        Whether the number of a person's rows may be known. It needs people with equally many rows
        in every group, which few collections have; `linked_bound` says what is lost otherwise.

    Returns
    -------
    AnonymityReport
        False where a rule is broken. Wrong arguments (lengths, NaN, k < 2) raise `InputError`.
    """
    k = check_k_alone(k)
    before, after = check_faces(original, "original"), check_faces(released, "released")
    if before.shape != after.shape:
        raise InputError(
            f"original has shape {before.shape} and released {after.shape}; they must be equal. "
            "Pass the rows of the release in the order of the original."
        )
    owners = check_persons(persons, len(before))[0].tolist()
    digests = [sha256(row.tobytes()).digest() for row in after]

    people_of: dict[bytes, set[int]] = defaultdict(set)
    faces_of: dict[int, Counter[bytes]] = defaultdict(Counter)
    for digest, owner in zip(digests, owners, strict=True):
        people_of[digest].add(owner)
        faces_of[owner][digest] += 1
    alike = Counter(frozenset(faces) for faces in faces_of.values())
    counted = Counter(frozenset(faces.items()) for faces in faces_of.values())

    return AnonymityReport(
        k=k,
        n_rows=len(before),
        n_people=len(faces_of),
        n_surrogates=len(people_of),
        smallest=min(len(people) for people in people_of.values()),
        bound=len(alike) / len(faces_of),
        linked_smallest=min(counted.values()),
        linked_bound=len(counted) / len(faces_of),
        unchanged=sum(before[row].tobytes() == after[row].tobytes() for row in range(len(before))),
        violations=_too_few("surrogate", [len(people) for people in people_of.values()], k)
        or _too_few("linked set", list(alike.values()), k)
        or (_too_few("chain of linked rows", list(counted.values()), k) if linked else ()),
    )


def _too_few(what: str, shared_by: Sequence[int], k: int) -> tuple[str, ...]:
    """Say which of them are shared by fewer than k people."""
    return tuple(
        f"{what} {number} is shared by {count} people and needs {k}"
        for number, count in enumerate(shared_by)
        if count < k
    )


def count_recognised(original: Any, released: Any, persons: Any) -> int:
    """Return how many released rows have an original of their own person as the nearest.

    The naive attack with Euclidean distance over the closed set: the gallery is all originals. An
    own original that ties with another person's counts as recognised.

    Parameters
    ----------
    original, released : array-like (n, d)
        Rows of the same length, in the same order.
    persons : array-like (n,) or None
    """
    gallery, probes = check_vectors(original, "original"), check_vectors(released, "released")
    owners = check_persons(persons, len(gallery))[0]
    gallery, probes = np.split(to_safe_scale(np.concatenate([gallery, probes]))[0], [len(gallery)])
    # pieces that fit the cache: many pixels would otherwise be fetched again and again
    pieces = np.array_split(gallery, max(gallery.size // 32768, 1))
    rows_of: dict[bytes, list[int]] = defaultdict(list)
    for number, probe in enumerate(probes):
        rows_of[probe.tobytes()].append(number)
    count = 0
    for rows in rows_of.values():
        distances = np.concatenate([((part - probes[rows[0]]) ** 2).sum(axis=1) for part in pieces])
        nearest = set(owners[distances <= distances.min()].tolist())
        count += sum(int(owners[row]) in nearest for row in rows)
    return count
