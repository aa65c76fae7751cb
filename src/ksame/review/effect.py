"""What the corrections so far mean for k: classes and groups, by the code that shares faces."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ksame.errors import KsameError
from ksame.release.classes import classes_of
from ksame.release.job import Job
from ksame.release.name import faces_of_people
from ksame.release.share import Grouped, group_all
from ksame.review.desk import Now


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect on k.

    Attributes
    ----------
    possible : whether a release can be made; ``why`` says why not
    people : how many people share faces
    groups : people per group, smallest first
    classes : name, people, and the class that it joins where it is too small
    """

    possible: bool
    why: str = ""
    people: int = 0
    groups: Sequence[int] = ()
    classes: Sequence[tuple[str, int, str]] = ()

    def as_json(self) -> dict[str, Any]:
        """For the page."""
        return asdict(self)


def effect_of(job: Job, now: Now) -> Effect:
    """Group everybody as the release would, and tell what comes of it."""
    people = len(faces_of_people(now.album, now.people).keys() - now.people.reference)
    try:
        grouped = group_all(job, now.album, now.people)
    except KsameError as error:
        return Effect(False, str(error), people, (), _classes(job, now))
    shown = grouped.faces.keys() - now.people.reference
    sizes = sorted(len(set(group.people)) for group in grouped.groups)
    return Effect(True, "", len(shown), sizes, _joined(grouped))


def _joined(grouped: Grouped) -> list[tuple[str, int, str]]:
    """The classes with their people, and what each one joins."""
    joins: dict[str, str] = {}
    for small, other in grouped.merged:
        for part in small.split(" + "):
            joins.setdefault(part, other)
    counts = Counter(", ".join(label) or "all" for label in grouped.classes.values())
    return [(name, count, joins.get(name, "")) for name, count in sorted(counts.items())]


def _classes(job: Job, now: Now) -> list[tuple[str, int, str]]:
    """The classes where they cannot be grouped: whoever reviews sees which one is too small."""
    faces = faces_of_people(now.album, now.people)
    if not faces:
        return []
    counts = Counter(
        ", ".join(label) or "all"
        for label in classes_of(job, now.album, now.people, faces).values()
    )
    return [(name, count, "") for name, count in sorted(counts.items())]
