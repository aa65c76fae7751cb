"""Which face of nobody each group gets: one that suits its people and is like none of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import Final

import numpy as np

from ksame.grouping import settle
from ksame.release.earlier import known_besides
from ksame.release.find import FOUND, Album, Spot
from ksame.release.job import Job
from ksame.release.model_faces import Choice, keep_face, looks_of
from ksame.release.share import Group, SharedFace
from ksame.store import Store
from ksame.vision.looks import FaceLooks, PersonLooks, pooled_looks

SEXES: Final = frozenset(("female", "male"))
_TURNS: Final = 6  # in which faces and groups settle


def person_looks(job: Job, album: Album, spots: Sequence[Spot]) -> PersonLooks:
    """A person's looks, over all of the person's faces."""
    rows = [(album.pictures[n].key, i) for n, i in spots]
    return pooled_looks([_face_looks(job.store, key, i) for key, i in rows])


@lru_cache(maxsize=65_536)  # asked for again and again; a key is a digest, so none is ever stale
def _face_looks(store: Store, key: str, number: int) -> FaceLooks:
    """The looks of one face of a picture."""
    return FaceLooks(*store.load(FOUND, key, f"{number}/", ("looks",))["looks"].tolist())


def drawn_faces(
    job: Job, album: Album, faces: Mapping[str, Sequence[Spot]], groups: Sequence[Group]
) -> list[SharedFace]:
    """Faces of nobody, each group's own while there are enough that suit."""
    people = sorted(faces)
    rows = [
        (number, album.kept(job.store, spot, "sface"))
        for number, person in enumerate(people)
        for spot in faces[person]
    ]
    rows += known_besides(job.earlier, people)
    choice = Choice.among(rows)
    staying = [one.groups for one in (job.earlier, job.before) if one is not None]
    choice.take([group.code for groups_before in staying for group in groups_before])
    number_of = {person: number for number, person in enumerate(people)}
    rng = job.secret.generator("faces")
    looks = {person: person_looks(job, album, faces[person]) for person in people}
    if not job.plan.merges_classes:
        looks |= of_class(groups, looks)
    known = _acquainted(people, faces)
    drawn: list[int] = []
    for turn in range(_TURNS):  # faces for the groups, groups for the faces, and so on
        if turn:
            groups = _settled(groups, drawn, faces, looks if job.plan.classes else {}, choice, rng)
            for face in drawn:
                choice.give_back(face)
            drawn = []
        worn: dict[str, int] = {}
        for group in groups:
            shown = [person for person in group.people if person in faces]
            wanted = looks_of([looks[person] for person in shown])
            seen_with = set().union(*(known.get(person, ()) for person in shown))
            barred = {worn[person] for person in seen_with if person in worn}
            face = choice.draw(wanted, [number_of[person] for person in shown], rng, barred)
            drawn.append(face)
            worn |= dict.fromkeys(shown, face)
    shared = []
    for group, face in zip(groups, drawn, strict=True):
        kept = keep_face(job.store, choice.code(face))
        told = {"code": kept.code}
        shared.append(SharedFace(group.people, (), kept.digest, kept.digest, told=told))
    return shared


def of_class(groups: Sequence[Group], looks: Mapping[str, PersonLooks]) -> dict[str, PersonLooks]:
    """The looks of people in classes of one sex that were asked for: what was said is no guess."""
    said = {}
    for group in groups:
        for sex in SEXES.intersection(group.looks):
            female = float(sex == "female")
            for person in looks.keys() & set(group.people):
                said[person] = replace(looks[person], sex=sex, female=female)
    return said


def _settled(
    groups: Sequence[Group],
    drawn: Sequence[int],
    faces: Mapping[str, Sequence[Spot]],
    told: Mapping[str, PersonLooks],
    choice: Choice,
    rng: np.random.Generator,
) -> list[Group]:
    """The groups after people of one class changed places to get the face that suits them most.

    That is one unlike their own, and of their own looks, where they are told.
    """
    number_of = {person: number for number, person in enumerate(sorted(faces))}
    result = list(groups)
    for looks in sorted({group.looks for group in groups}):
        places = [g for g, group in enumerate(groups) if group.looks == looks]
        members = [(p, at) for at, g in enumerate(places) for p in groups[g].people if p in faces]
        names = [person for person, _ in members]
        cost = choice.costs(
            [number_of[p] for p in names],
            [told[p] for p in names if p in told],
            [drawn[g] for g in places],
        )
        labels = np.array([at for _, at in members])
        labels = settle(cost, labels, rng, _companions(names, faces))
        for at, g in enumerate(places):
            unseen = tuple(p for p in groups[g].people if p not in faces)
            shown = tuple(p for p, label in zip(names, labels, strict=True) if label == at)
            result[g] = replace(groups[g], people=(*shown, *unseen))
    return result


def _acquainted(people: Sequence[str], faces: Mapping[str, Sequence[Spot]]) -> dict[str, set[str]]:
    """With whom everybody is seen in one picture."""
    known: dict[str, set[str]] = {}
    for one, other in _companions(people, faces):
        known.setdefault(people[one], set()).add(people[other])
        known.setdefault(people[other], set()).add(people[one])
    return known


def _companions(names: Sequence[str], faces: Mapping[str, Sequence[Spot]]) -> list[tuple[int, int]]:
    """Pairs of people, by their place in ``names``, who are in one picture."""
    seen: dict[int, set[int]] = {}
    for place, person in enumerate(names):
        for n, _ in faces[person]:
            seen.setdefault(n, set()).add(place)
    pairs = {pair for people in seen.values() for pair in combinations(sorted(people), 2)}
    return sorted(pairs)
