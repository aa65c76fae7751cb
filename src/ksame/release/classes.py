"""Classes that people are grouped inside of (``--select``; G alg. 4.2).

A column of the people file is taken as it is; what the file lacks is measured on the faces.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ksame.release.attributes import TONE
from ksame.release.find import SeenPhoto, load_array
from ksame.release.people import Spot, Who
from ksame.release.plan import Plan
from ksame.release.scratch import Scratch

Classes = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Toned:
    """All that the tone classes need of a portrait."""

    tone: npt.NDArray[np.float64]


def class_of_people(
    plan: Plan,
    photos: Sequence[SeenPhoto],
    who: Who,
    faces: Mapping[str, Sequence[Spot]],
    scratch: Scratch,
) -> Classes:
    """The class of every person: per name, the value that most of the person's faces have.

    A person is in one class, also where the photos differ (a smile here, none there): several
    classes would mean several surrogates, and their groups could be intersected.
    """
    columns = set().union(*(labels.keys() for labels in who.labels.values()))
    by_tone = TONE in plan.classes and TONE not in columns
    names = [name for name in plan.classes if not (by_tone and name == TONE)]
    classes = {
        person: tuple(_most(name, spots, photos, who) for name in names)
        for person, spots in faces.items()
    }
    return _split_by_tone(plan, classes, faces, photos, scratch) if by_tone else classes


def _most(name: str, spots: Sequence[Spot], photos: Sequence[SeenPhoto], who: Who) -> str:
    """The value that most faces have; of equally many the first by name."""
    votes: Counter[str] = Counter()
    for n, i in spots:
        measured = photos[n].faces[i].attributes.get(name, "unknown")
        votes[who.labels.get(n, {}).get(name) or measured] += 1
    return min(votes, key=lambda value: (-votes[value], value))


def _split_by_tone(
    plan: Plan,
    classes: Classes,
    faces: Mapping[str, Sequence[Spot]],
    photos: Sequence[SeenPhoto],
    scratch: Scratch,
) -> Classes:
    """Split every class into parts of like skin, none smaller than groups need."""
    from ksame.composite import tone_classes

    members: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for person in sorted(classes):
        members[classes[person]].append(person)
    # furthest groups need room: in classes of no more than 2k the far group is not far
    size = max(2 * plan.needed, 20) if plan.needed > plan.k else plan.needed
    split: Classes = {}
    for kind, people in members.items():
        toned: Any = [
            [_Toned(load_array(scratch, photos[n].sha256, i, "tone")) for n, i in faces[person]]
            for person in people
        ]
        for person, part in zip(people, tone_classes(toned, size), strict=True):
            split[person] = (*kind, f"part {part + 1}")
    return split
