"""The third stage: people into groups of at least k, and the face that each group shares."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ksame.arrays import Floats
from ksame.errors import GuaranteeError
from ksame.methods.closed_set import Classes, group_people
from ksame.people.sources import AUTO
from ksame.release.attributes import TONE
from ksame.release.classes import classes_of, seen_together
from ksame.release.counts import beside_counts, numbers_of_photos, with_counts
from ksame.release.find import Album, Spot
from ksame.release.job import Job
from ksame.release.name import People, faces_of_people
from ksame.release.options import NOBODY
from ksame.release.plan import Plan
from ksame.release.styles import style_named


@dataclass(frozen=True, slots=True)
class Group:
    """Who shares one face, and whose faces it may be made from.

    ``kin`` are the people of the same class outside the group: one of them may lend the hair.
    """

    people: tuple[str, ...] = field(repr=False)
    donors: tuple[str, ...] = field(repr=False)
    looks: tuple[str, ...] = ()
    kin: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class SharedFace:
    """The face that one group shares.

    Attributes
    ----------
    people, donors : who shares it, and whose pixels are in it (nobody's, for a model face)
    key : where the store keeps it
    digest : what the certificate says of it
    head : whose hair and outline it wears, if it is a head
    told : what the ledger tells of it, so that it can be found in the photos again
    """

    people: tuple[str, ...] = field(repr=False)
    donors: tuple[str, ...] = field(repr=False)
    key: str
    digest: str
    head: str | None = field(default=None, repr=False)
    told: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Shared:
    """All shared faces, and classes that were too small and what each joined.

    ``waiting`` are new people who are too few for a group: their photos are withheld.
    """

    faces: tuple[SharedFace, ...] = field(default=(), repr=False)
    merged: tuple[tuple[str, str], ...] = ()
    waiting: frozenset[str] = field(default=frozenset(), repr=False)

    def group_of(self) -> dict[str, int]:
        """The number of everybody's shared face."""
        return {person: g for g, face in enumerate(self.faces) for person in face.people}


@dataclass(frozen=True, slots=True)
class Grouped:
    """Who is together with whom, before a face is made for anybody.

    Attributes
    ----------
    faces : the replaceable faces of every person
    classes : the class of every person who is grouped, with those that are not shown
    groups : at least k people each
    merged : classes that were too small and what each joined
    """

    faces: Mapping[str, Sequence[Spot]] = field(default_factory=dict, repr=False)
    classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    groups: Sequence[Group] = ()
    merged: tuple[tuple[str, str], ...] = ()


def share(job: Job, album: Album, people: People) -> Shared:
    """Group people and make the face of each group.

    Guarantee: everybody who has a face is in exactly one group, and every group has at least k
    people (checked by the same code as the estimators').

    Raises
    ------
    GuaranteeError
        There are too few people.
    """
    grouped = group_all(job, album, people)
    if not grouped.groups:
        return Shared()
    made = style_named(job.plan.style).make(job, album, grouped.faces, grouped.groups)
    shared = Shared(tuple(made), grouped.merged)
    _check_groups(job.plan, shared, grouped.faces.keys() - people.reference)
    return shared


def _why_nobody(album: Album, people: People) -> str:
    """Why nobody can be grouped, and what to do."""
    found = len(album.spots(shown=True))
    if found and not people.persons:
        return f"{found} faces were found, and the people file names none of them. Check its paths"
    return "no face that can be replaced was found. Add photos that show faces"


def group_all(job: Job, album: Album, people: People) -> Grouped:
    """Everybody who has a face, in groups of at least k people.

    Raises
    ------
    GuaranteeError
        There are too few people.
    """
    plan = job.plan
    if not plan.guarantees:
        return Grouped()
    faces = faces_of_people(album, people)
    if not faces.keys() - people.reference:
        if plan.allow_faceless and not any(len(p.faces) for p in album.pictures):
            return Grouped()
        raise GuaranteeError(
            f"k={plan.k} needs at least {plan.k} people; {_why_nobody(album, people)}"
        )
    style = style_named(plan.style)
    style.check_scenes(job, album)
    numbers = numbers_of_photos(album, people, faces)
    codes, classes, phantoms = _with_nobody(
        plan,
        beside_counts(plan, style.codes(job, album, faces), numbers),
        with_counts(plan, classes_of(job, album, people, faces), numbers),
    )
    together = seen_together(people)
    groups, merged = group(job, codes, classes, people.reference | phantoms, together)
    return Grouped(faces, classes, groups, merged)


def _check_groups(plan: Plan, shared: Shared, shown: Collection[str]) -> None:
    """What is claimed, counted anew: k people a face, and one face for everybody."""
    for face in shared.faces:
        if len(set(face.people)) < plan.k:
            raise GuaranteeError(
                f"a face is shared by {len(set(face.people))} people; k={plan.k}. Nothing is "
                "released; please report this as a defect."
            )
    count = Counter(person for face in shared.faces for person in face.people)
    if any(count[person] != 1 for person in shown):
        raise GuaranteeError(
            "somebody has no face or more than one. Nothing is released; please report this as a "
            "defect."
        )


def group(
    job: Job,
    codes: Mapping[str, Floats],
    classes: Mapping[str, tuple[str, ...]],
    unseen: frozenset[str] = frozenset(),
    together: Sequence[tuple[str, str]] = (),
) -> tuple[list[Group], tuple[tuple[str, str], ...]]:
    """Group people inside their classes so that k or more share a face.

    ``unseen`` widen the groups and are not released: a group of theirs alone is dropped.
    """
    plan, recipe = job.plan, job.plan.recipe
    assert recipe is not None
    people = sorted(codes)
    labels = sorted({classes.get(person, ()) for person in people})
    if not plan.merges_classes or len(people) < plan.needed:
        _check_enough(plan, classes, people, unseen)
    number = {person: i for i, person in enumerate(people)}
    found = group_people(
        np.stack([codes[person] for person in people]).astype(np.float64),
        np.arange(len(people)),
        Classes(
            np.array([labels.index(classes.get(person, ())) for person in people]),
            tuple(", ".join(label) or "all" for label in labels),
        ),
        plan.k,
        recipe.grouping,
        job.secret.generator("groups"),
        plan.merges_classes,
        [(number[a], number[b]) for a, b in together if a in number and b in number],
    )
    members = [np.flatnonzero(found.labels == g) for g in range(len(found.codes))]
    groups = []
    for g, rows in enumerate(members):
        inside = tuple(people[i] for i in rows)
        if unseen.issuperset(inside):
            continue
        looks = _usual([classes.get(person, ()) for person in inside])
        kin = tuple(p for p in people if classes.get(p, ()) == looks and p not in inside)
        donors = tuple(people[i] for i in members[int(found.sources[g])])
        groups.append(Group(inside, donors, looks, kin))
    if plan.donors == "reference":
        groups = [_with_reference_donors(plan, g, codes, classes, unseen) for g in groups]
    return groups, found.merged


def _usual(values: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The class of most; of equally many the first by name."""
    return min(set(values), key=lambda value: (-values.count(value), value))


def _check_enough(
    plan: Plan,
    classes: Mapping[str, tuple[str, ...]],
    people: Sequence[str],
    unseen: frozenset[str],
) -> None:
    """Refuse a class that cannot give every one of its people k - 1 others."""
    needed = plan.needed
    for label in sorted({classes.get(p, ()) for p in people if p not in unseen}):
        count = sum(classes.get(p, ()) == label for p in people)
        if plan.merges_classes:
            count = len(people)
        if count >= needed:
            continue
        named = ", ".join(f"{n}={v}" for n, v in zip(plan.classes, label, strict=False))
        if plan.merges_classes or plan.classes == (TONE,):
            named = ""  # such parts are never too small unless the whole set is
        where = f"class {named}" if named else "this set"
        rule = f"k={plan.k}" + (" with groups that swap faces" if needed > plan.k else "")
        remedy = "Add people, lower k, or name a reference set"
        if named:
            remedy += ", or select on fewer classes"
        if plan.style == "model" and plan.reference is None:
            remedy += f" (reference={NOBODY!r} widens groups by people who do not exist)"
        if plan.persons == AUTO:
            remedy += "; people were told apart by their faces: say who is who (persons='folder' "
            remedy += "or a people.csv) if you know it better"
        raise GuaranteeError(
            f"{rule} needs at least {needed} people; {where} has {count}. {remedy}."
        )


def _with_nobody(
    plan: Plan, codes: Mapping[str, Floats], classes: Mapping[str, tuple[str, ...]]
) -> tuple[Mapping[str, Floats], Mapping[str, tuple[str, ...]], frozenset[str]]:
    """Where it was asked for, as many people of nobody as a single group lacks."""
    missing = max(plan.needed - len(codes), 0) if plan.reference == NOBODY else 0
    if not missing:
        return codes, classes, frozenset()
    names = [f"{NOBODY}-{number:05d}" for number in range(missing)]
    mean: Floats = np.mean(list(codes.values()), axis=0)
    usual = _usual([classes.get(person, ()) for person in sorted(codes)])
    return (
        {**codes, **dict.fromkeys(names, mean)},
        {**classes, **dict.fromkeys(names, usual)},
        frozenset(names),
    )


def _with_reference_donors(
    plan: Plan,
    group: Group,
    codes: Mapping[str, Floats],
    classes: Mapping[str, tuple[str, ...]],
    reference: frozenset[str],
) -> Group:
    """Take the donors from k reference people of the group's class, so that nobody released seems
    to be in another's photo: the furthest ones where groups swap faces, else the nearest."""
    assert plan.recipe is not None
    lenders = [p for p in sorted(reference & codes.keys()) if classes.get(p, ()) == group.looks]
    if len(lenders) < plan.k:
        raise GuaranteeError(
            f"donors='reference' needs at least k={plan.k} reference people of every class; "
            f"one class has {len(lenders)}. Add reference people or lower k."
        )
    mean = np.mean([codes[person] for person in group.people], axis=0)
    far = np.array([np.linalg.norm(codes[person] - mean) for person in lenders])
    order = np.argsort(-far if plan.recipe.grouping.swaps else far, kind="stable")
    chosen = tuple(lenders[i] for i in order[: plan.k])
    return replace(group, donors=chosen, kin=tuple(p for p in group.kin if p in reference))
