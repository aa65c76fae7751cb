"""From codes, people and classes to surrogates: the one place where k-Same happens.

Several rows of a person move together: a person is grouped once, by the mean of their rows, and
all their rows get the surrogate of that group. With classes, a person whose rows are in several
classes (neutral and smiling) is grouped with people who have rows in the same classes, and each
class of the group has a surrogate of its own: whoever links the rows of a person still faces k
people.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ksame.arrays import Floats, Ints
from ksame.checks import check_column, number
from ksame.errors import GuaranteeError, InputError
from ksame.faceset import mean_by
from ksame.grouping import View
from ksame.grouping.groups import Swap, as_swap, check_groups
from ksame.methods.recipes import Grouping


@dataclass(frozen=True, eq=False)
class Classes:
    """The class of each row as 0..c-1, and the name of each class."""

    codes: Ints
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Shares:
    """What k-Same decided: the surrogate of each row and the codes of the surrogates.

    Attributes
    ----------
    labels : (n,) int
        Which surrogate each row gets.
    codes : (s, c)
        The code of each surrogate.
    sources : (s,) int
        The surrogate whose people lend the face of each one: its own, or that of a far group.
    merged : tuple of (str, str)
        Classes that had too few people, and what each was merged with.
    """

    labels: Ints
    codes: Floats
    sources: Ints
    merged: tuple[tuple[str, str], ...]


def check_classes(classes: Any, n: int) -> Classes:
    """Return classes given as one column, several columns, or a mapping of columns, as numbers."""
    if classes is None:
        return Classes(np.zeros(n, dtype=np.int64), ("all",))
    if isinstance(classes, Mapping) or hasattr(classes, "columns"):
        columns = [check_column(classes[name], n, f"class {name!r}") for name in classes]
    else:
        values = np.asarray(classes)
        if values.ndim == 2 and len(values) == n:
            columns = [check_column(values[:, j], n, "classes") for j in range(values.shape[1])]
        else:
            columns = [check_column(values, n, "classes")]
    if not columns:
        raise InputError("classes has no column; it needs at least one. Pass None for no classes.")
    rows = [tuple(row) for row in zip(*(column.tolist() for column in columns), strict=True)]
    keys = np.empty(n, dtype=object)
    keys[:] = rows
    codes = number(keys)[0]
    names = [", ".join(str(value) for value in rows[i]) for i in np.unique(codes, True)[1]]
    return Classes(codes, tuple(names))


@dataclass
class _Profile:
    """People whose rows are in the same classes: their rows, and the class of each row."""

    name: str
    rows: Ints
    kinds: Ints
    people: Ints

    @property
    def n_people(self) -> int:
        return len(np.unique(self.people))


def group_people(
    codes: Floats,
    people: Ints,
    classes: Classes,
    k: int,
    grouping: Grouping,
    rng: np.random.Generator,
    merge_small: bool = False,
    companions: Sequence[tuple[int, int]] = (),
    sensitive: Ints | None = None,
) -> Shares:
    """Group the people of each class and return a surrogate for every row.

    Every surrogate is shared by at least k people, and so is every set of surrogates that a
    person's rows get (N theorem 1, by people). A class with fewer people than its groups need
    raises `GuaranteeError`, or is merged with the class whose mean is nearest. ``companions`` are
    pairs of people who are seen together, for the groupings that keep them apart; ``sensitive``
    numbers, per row, what a group must not tell, for those that mix it.
    """
    needed = grouping.needed(k)
    profiles = _profiles(people, classes)
    profiles, merged = _merge(profiles, codes, needed) if merge_small else (profiles, ())
    labels = np.empty(len(codes), dtype=np.int64)
    surrogates: list[Floats] = []
    sources: list[Ints] = []
    for profile in profiles:
        if profile.n_people < needed and len(profiles) > 1:
            raise GuaranteeError(
                f"class {profile.name!r} has {profile.n_people} people; k={k} needs at least "
                f"{needed} in every class. Add people, lower k, use fewer classes, or merge small "
                "classes (merge_small=True)."
            )
        before = sum(len(part) for part in surrogates)
        more: dict[str, Any] = {}
        if grouping.sees_companions:
            more["companions"] = _inside(companions, profile.people, number(profile.people)[0])
        if grouping.sees_labels:
            more["labels"] = _values(sensitive, profile)
        inside, found, lenders = _group_profile(codes, profile, k, grouping, rng, more)
        labels[profile.rows] = inside + before
        surrogates.append(found)
        sources.append(lenders + before)
    return Shares(labels, np.concatenate(surrogates), np.concatenate(sources), merged)


def _profiles(people: Ints, classes: Classes) -> list[_Profile]:
    """Split the rows by the set of classes in which their person has rows."""
    has: dict[int, set[int]] = {}
    for person, kind in zip(people.tolist(), classes.codes.tolist(), strict=True):
        has.setdefault(person, set()).add(kind)
    keys = np.empty(len(people), dtype=object)
    keys[:] = [tuple(sorted(has[person])) for person in people.tolist()]
    profile_of, count = number(keys)
    found = []
    for profile in range(count):
        rows = np.flatnonzero(profile_of == profile)
        name = " + ".join(classes.names[kind] for kind in keys[rows[0]])
        found.append(_Profile(name, rows, classes.codes[rows], people[rows]))
    return found


def _merge(
    profiles: list[_Profile], codes: Floats, needed: int
) -> tuple[list[_Profile], tuple[tuple[str, str], ...]]:
    """Merge each class of too few people with the class of the nearest mean, the smallest first.

    What is merged becomes one class: its people get one surrogate for all their rows.
    """
    profiles, merged = list(profiles), []
    while len(profiles) > 1 and min(p.n_people for p in profiles) < needed:
        small = profiles.pop(int(np.argmin([p.n_people for p in profiles])))
        mean = codes[small.rows].mean(axis=0)
        gaps = [float(((codes[p.rows].mean(axis=0) - mean) ** 2).sum()) for p in profiles]
        other = profiles.pop(int(np.argmin(gaps)))
        merged.append((small.name, other.name))
        rows = np.concatenate([other.rows, small.rows])
        people = np.concatenate([other.people, small.people])
        name = f"{other.name} + {small.name}"
        profiles.append(_Profile(name, rows, np.zeros(len(rows), dtype=np.int64), people))
    return profiles, tuple(merged)


def _group_profile(
    codes: Floats,
    profile: _Profile,
    k: int,
    grouping: Grouping,
    rng: np.random.Generator,
    more: Mapping[str, Any],
) -> tuple[Ints, Floats, Ints]:
    """Group the people of a profile; return each row's surrogate, the surrogates, their lenders.

    ``more`` is what the grouping sees besides codes.
    """
    people, n = number(profile.people)
    kinds, n_kinds = number(profile.kinds)
    means = []
    for kind in range(n_kinds):
        of_kind = kinds == kind
        means.append(mean_by(codes[profile.rows[of_kind]], people[of_kind], n))
    X = means[0] if n_kinds == 1 else np.hstack(means)
    views = {"views": _views(codes[profile.rows], people, means)} if grouping.swaps else {}
    groups = grouping.divide(X, k, rng, **more, **views)
    if not hasattr(groups, "surrogates"):
        groups = as_swap(groups)
    check_groups(groups.labels, n, k)
    if grouping.check is not None and "labels" in more:
        grouping.check(groups.labels, more["labels"])
    found = groups.surrogates(X)
    n_groups = len(found)
    by_kind = np.concatenate(np.split(found, n_kinds, axis=1))
    lenders = groups.source if isinstance(groups, Swap) else np.arange(n_groups)
    sources = np.concatenate([lenders + kind * n_groups for kind in range(n_kinds)])
    return groups.labels[people] + kinds * n_groups, by_kind, sources


def _inside(
    companions: Sequence[tuple[int, int]], people: Ints, numbers: Ints
) -> list[tuple[int, int]]:
    """The pairs of companions who are both in a profile, by their numbers in it."""
    number_of = dict(zip(people.tolist(), numbers.tolist(), strict=True))
    return [
        (number_of[one], number_of[other])
        for one, other in companions
        if one in number_of and other in number_of
    ]


def _values(sensitive: Ints | None, profile: _Profile) -> Ints:
    """What each person of a profile has, in the order of their numbers."""
    if sensitive is None:
        raise InputError(
            "this grouping mixes what must not be told of people, and nothing was named. Pass one "
            "value per row (sensitive=...), or choose another grouping."
        )
    numbers, n = number(profile.people)
    values = np.full(n, -1, dtype=np.int64)
    for person, value in zip(numbers.tolist(), sensitive[profile.rows].tolist(), strict=True):
        if values[person] not in (-1, value):
            raise InputError(
                "a person has two values of what must not be told; it takes one per person. "
                "Decide for one, or join both into one value."
            )
        values[person] = value
    return values


def _views(codes: Floats, people: Ints, means: Sequence[Floats]) -> list[View]:
    """Return the galleries beyond the people's own codes in which recognition must be zero."""
    if len(means) == 1 and len(codes) == len(means[0]):
        return []
    views = [View(mean, codes, people) for mean in means]
    if len(means) > 1:
        views += [View(mean, mean, np.arange(len(mean))) for mean in means]
    return views
