"""What people are grouped by besides their faces: their classes, and who is seen with whom."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from ksame.people import split_by_tone, vote_classes
from ksame.release.attributes import TONE
from ksame.release.find import Album, Spot
from ksame.release.job import Job
from ksame.release.name import People
from ksame.release.styles import style_named

# furthest groups need room: in classes of no more than 2k people the far group is not far
_ROOM: Final = 2
_LEAST_TONES: Final = 20  # people in a part of like skin, where a far group is looked for


def seen_together(people: People) -> list[tuple[str, str]]:
    """Pairs of people who are in one picture."""
    by_picture: dict[int, set[str]] = {}
    for (n, _), person in people.persons.items():
        by_picture.setdefault(n, set()).add(person)
    pairs = {pair for seen in by_picture.values() for pair in combinations(sorted(seen), 2)}
    return sorted(pairs)


def classes_of(
    job: Job, album: Album, people: People, faces: Mapping[str, Sequence[Spot]]
) -> dict[str, tuple[str, ...]]:
    """The class of every person, from the people file and from what was measured."""
    plan = job.plan
    columns = set().union(*(labels.keys() for labels in people.labels.values()))
    by_tone = TONE in plan.classes and TONE not in columns
    names = [name for name in plan.classes if not (by_tone and name == TONE)]
    style = style_named(plan.style)
    votes = {}
    for person, spots in faces.items():
        pooled = style.told(job, album, spots) if names else {}
        votes[person] = [
            {
                name: people.labels.get(n, {}).get(name)
                or pooled.get(name)
                or album.told((n, i), name)
                or "unknown"
                for name in names
            }
            for n, i in spots
        ]
    classes = vote_classes(names, votes)
    if not by_tone:
        return classes
    assert plan.recipe is not None
    size = plan.needed
    if plan.recipe.grouping.swaps:
        size = max(_ROOM * plan.needed, _LEAST_TONES)
    return split_by_tone(classes, style.tones(job, album, faces), size)
