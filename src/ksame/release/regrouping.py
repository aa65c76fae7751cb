"""Groups of a release that is made again: who was not corrected stays with whom, and with a face.

A merge may leave a group below k, a split makes somebody new, other looks put somebody into another
class. Whoever has no group then gets a new one with others, or joins a group of like looks, whose
face and whose other people's photos stay as they are.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ksame.arrays import Floats
from ksame.errors import GuaranteeError
from ksame.release.before import Before
from ksame.release.classes import classes_of, seen_together
from ksame.release.earlier import KnownGroup
from ksame.release.find import Album
from ksame.release.job import Job
from ksame.release.name import People, faces_of_people
from ksame.release.options import NOBODY
from ksame.release.styles import style_named


@dataclass(frozen=True, slots=True)
class Kept:
    """The groups that stay, with who joins them, and the people who need a new group."""

    groups: tuple[KnownGroup, ...] = field(repr=False)
    loose: frozenset[str] = field(default=frozenset(), repr=False)
    joined: int = 0

    def without_groups(self, people: People) -> People:
        """The people who need a new group alone."""
        return replace(people, persons={s: p for s, p in people.persons.items() if p in self.loose})


def keep_groups(job: Job, album: Album, people: People) -> Kept | None:
    """What stays of the groups before; None where everybody is to be grouped anew.

    Guarantee: every group that stays has at least k people, and everybody who has a face is in
    exactly one of them or in ``loose``, which holds nobody or enough for a group.
    """
    before = job.before
    if before is None or not before.groups:
        return None
    faces = faces_of_people(album, people)
    shown = faces.keys() - people.reference
    stay = _staying(job, before, people, shown)
    groups = [g for g in stay if len(g.people) >= job.plan.k and g.people & shown]
    if not groups:
        return None
    loose = sorted(shown - set().union(*(group.people for group in groups)))
    if len(loose) >= job.plan.needed:
        return Kept(tuple(groups), frozenset(loose))
    return Kept(tuple(_joined(job, album, people, groups, loose)), joined=len(loose))


def _staying(job: Job, before: Before, people: People, shown: Collection[str]) -> list[KnownGroup]:
    """The groups with those of their people who are there and look as they did."""
    looks = {
        person: dict(face.looks)
        for spot, face in people.decided.items()
        if (person := people.persons.get(spot)) is not None and face.looks
    }
    same = {p for p in shown if looks.get(p, {}) == dict(before.looks.get(p, {}))}

    def stays(person: str) -> bool:
        unseen = job.plan.reference == NOBODY and person.startswith(f"{NOBODY}-")
        return person in same or unseen or person in people.reference

    return [
        replace(group, people=frozenset(filter(stays, group.people))) for group in before.groups
    ]


def _joined(
    job: Job, album: Album, people: People, groups: Sequence[KnownGroup], loose: Sequence[str]
) -> list[KnownGroup]:
    """The groups after too few for one of their own joined them."""
    if not loose:
        return list(groups)
    faces = faces_of_people(album, people)
    codes = style_named(job.plan.style).codes(job, album, faces)
    classes = classes_of(job, album, people, faces)
    together = {frozenset(pair) for pair in seen_together(people)}
    result = list(groups)
    for person in loose:

        def cost(g: int, person: str = person) -> tuple[bool, bool, float, int]:
            others = sorted(result[g].people & codes.keys())
            alike = any(classes.get(other) == classes.get(person) for other in others)
            met = any(frozenset((person, other)) in together for other in others)
            return not alike, met, _distance(codes, person, others), len(result[g].people)

        best = min(range(len(result)), key=cost)
        result[best] = replace(result[best], people=result[best].people | {person})
    return result


def _distance(codes: Mapping[str, Floats], person: str, others: Sequence[str]) -> float:
    middle = np.mean([codes[other] for other in others], axis=0)
    return round(float(np.linalg.norm(codes[person] - middle)), 6)


def check_kept(kept: Kept, k: int) -> None:
    """What is claimed, counted anew."""
    named = [person for group in kept.groups for person in group.people]
    if len(named) != len(set(named)) or any(len(group.people) < k for group in kept.groups):
        raise GuaranteeError(
            "a group that stays has too few people, or somebody is in two. Nothing is released; "
            "please report this as a defect."
        )
