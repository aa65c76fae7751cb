"""Classes that people are grouped inside of (``--select``; G alg. 4.2).

A column of the people file is taken as it is; what the file lacks is measured on the faces.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from ksame.release.find import SeenPhoto
from ksame.release.people import Who


def class_of_people(
    select: Sequence[str], photos: Sequence[SeenPhoto], who: Who
) -> dict[str, tuple[str, ...]]:
    """The class of every person: per name, the value that most of the person's faces have.

    A person is in one class, also where the photos differ (a smile here, none there): several
    classes would mean several surrogates, and their groups could be intersected.
    """
    votes: dict[str, list[Counter[str]]] = defaultdict(lambda: [Counter() for _ in select])
    for (n, i), person in who.persons.items():
        face = photos[n].faces[i]
        if face.failure is not None:
            continue
        for counter, name in zip(votes[person], select, strict=True):
            value = who.labels.get(n, {}).get(name) or face.attributes.get(name, "unknown")
            counter[value] += 1
    return {person: tuple(map(_most, counters)) for person, counters in votes.items()}


def _most(votes: Counter[str]) -> str:
    """The value with most votes; of equal ones the first by name."""
    return min(votes, key=lambda value: (-votes[value], value))
