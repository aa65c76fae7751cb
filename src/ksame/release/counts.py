"""How many photos a person has tells who it is, too: like counts share a face, surplus stays out.

Whoever knows how many photos of each person a collection holds guesses, for every photo of a
group, the member with the most. Groups of people with like counts keep that near one in k, and
``per_person`` cuts what is left over. What remains is counted and told in the certificate.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

import numpy as np

from ksame.arrays import Floats
from ksame.people.classes import Classes, split_by_likeness
from ksame.release.find import Album, Spot
from ksame.release.job import Job
from ksame.release.name import People
from ksame.release.plan import Plan

if TYPE_CHECKING:
    from ksame.release.ledger import FaceEntry

SURPLUS: Final = "its person has more photos than per_person allows"
_ALIKE: Final = 0.25  # spread (s.d.) of log counts below which people are not told apart by them
_PART: Final = "count"
# how far off who has e times the photos is, and who has the most, in units of looks: a unit is
# twenty years, the other sex is three (ksame.release.styles.model)
_FURTHER, _FURTHEST = 1.4, 2.4


def limited(job: Job, people: People) -> People:
    """Choose the photos that exceed ``per_person``; they are to be withheld.

    Guarantee: nobody is in more photos of the others than ``per_person``. Which ones stay is
    drawn from the release's secret.
    """
    most = job.plan.per_person
    if most is None or not job.plan.guarantees:
        return people
    inside: dict[int, set[str]] = defaultdict(set)
    for (n, _), person in people.persons.items():
        if person not in people.reference:
            inside[n].add(person)
    shown: Counter[str] = Counter()
    surplus = set()
    photos = sorted(inside)
    for place in job.secret.permutation(len(photos), "surplus"):
        n = photos[place]
        if all(shown[person] < most for person in inside[n]):
            shown.update(inside[n])
        else:
            surplus.add(n)
    return replace(people, surplus=frozenset(surplus))


def numbers_of_photos(
    album: Album, people: People, faces: Mapping[str, Sequence[Spot]]
) -> dict[str, float]:
    """The logarithm of everybody's number of photos; nothing where all are alike.

    People of a reference set are in no photo: with them nobody is told apart by numbers.
    """
    if people.reference:
        return {}
    counts = {
        person: len({n for n, _ in spots if n < album.shown and n not in people.surplus})
        for person, spots in faces.items()
    }
    logs = {person: float(np.log(max(count, 1))) for person, count in counts.items()}
    return logs if len(set(logs.values())) > 1 else {}


def with_counts(
    plan: Plan, classes: Mapping[str, tuple[str, ...]], logs: Mapping[str, float]
) -> Classes:
    """Split every class into parts of people with like numbers of photos, where there are enough.

    Classes that nobody asked for are split across age and tone: enough are of one sex sooner than
    of one sex, age and tone.
    """
    if not logs:
        return dict(classes)
    if not plan.merges_classes:
        return split_by_likeness(classes, logs, plan.needed, _ALIKE, _PART)
    of_sex = {person: label[:1] for person, label in classes.items()}
    parts = split_by_likeness(of_sex, logs, plan.needed, _ALIKE, _PART)
    return {person: (*label, parts[person][-1]) for person, label in classes.items()}


def beside_counts(
    plan: Plan, codes: Mapping[str, Floats], logs: Mapping[str, float]
) -> dict[str, Floats]:
    """What people's looks are compared by, with their numbers of photos beside them.

    Whoever has six times the photos is further off than somebody forty years older, and nearer than
    somebody of the other sex: where too few are alike in both, a group mixes ages before numbers.
    """
    if not (logs and plan.merges_classes and plan.recipe and plan.recipe.codec == "looks"):
        return dict(codes)
    values = np.array([logs[person] for person in codes])
    unit = min(_FURTHER, _FURTHEST / max(float(np.ptp(values)), 1e-9))
    return {
        person: np.append(code, unit * (logs[person] - values.min()))
        for person, code in codes.items()
    }


def count_bound(faces: "Sequence[FaceEntry]", people: Mapping[int, int]) -> dict[str, float]:
    """How often a guess is right that knows everybody's number of photos and nothing else.

    Parameters
    ----------
    faces : the faces of the released photos
    people : how many people share the surrogate of each group

    Returns
    -------
    dict
        ``rate`` over all replaced faces, ``worst`` in one group, and ``fair``, what a guess
        without that knowledge achieves.
    """
    shown: dict[int, Counter[str]] = defaultdict(Counter)
    for face in faces:
        if face.group is not None and face.person is not None:
            shown[face.group][face.person] += 1
    total = sum(count.total() for count in shown.values())
    if not total:
        return {"rate": 0.0, "worst": 0.0, "fair": 0.0}
    best = {group: max(count.values()) for group, count in shown.items()}
    fair = sum(Fraction(count.total(), people[group]) for group, count in shown.items())
    return {
        "rate": round(sum(best.values()) / total, 4),
        "worst": round(max(best[g] / shown[g].total() for g in shown), 4),
        "fair": round(float(fair / total), 4),
    }
