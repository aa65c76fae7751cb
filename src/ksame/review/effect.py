"""What the corrections so far mean for k: classes and groups, by the code that shares faces."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ksame.errors import KsameError
from ksame.release.classes import classes_of
from ksame.release.continuing import foresee
from ksame.release.counts import limited
from ksame.release.job import Job
from ksame.release.listed import TONES
from ksame.release.name import faces_of_people
from ksame.release.share import Grouped
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
    known : how many people keep the face of an earlier release, or of this one before
    joined : how many join a group that stays, because they are too few for one of their own
    waiting : how many new people are too few for a group: their photos will be withheld
    looks : by person, the words for what was measured, corrections included
    """

    possible: bool
    why: str = ""
    people: int = 0
    groups: Sequence[int] = ()
    classes: Sequence[tuple[str, int, str]] = ()
    known: int = 0
    joined: int = 0
    waiting: int = 0
    looks: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)

    def as_json(self) -> dict[str, Any]:
        """For the page."""
        return asdict(self)


def effect_of(job: Job, now: Now) -> Effect:
    """Group everybody as the release would, and tell what comes of it."""
    people = limited(job, now.people)
    shown = faces_of_people(now.album, people).keys() - people.reference
    try:
        ahead = foresee(job, now.album, people)
    except KsameError as error:
        return Effect(False, str(error), len(shown), (), _classes(job, now), looks=_looks(job, now))
    known = {person for group in ahead.known for person in group.people}
    sizes = [len(set(group.people)) for group in ahead.grouped.groups]
    sizes += [len(group.people) for group in ahead.known]
    return Effect(
        True,
        "",
        len(shown - ahead.waiting),
        sorted(sizes),
        _joined(ahead.grouped),
        len(shown & known) - ahead.joined,
        ahead.joined,
        len(ahead.waiting),
        _looks(job, now),
    )


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


def _looks(job: Job, now: Now) -> dict[str, dict[str, str]]:
    """What everybody looks like, in words, where a model face is chosen by it."""
    if job.plan.style != "model":
        return {}
    from ksame.vision.looks import FaceLooks, pooled_looks

    found = {}
    for person, spots in faces_of_people(now.album, now.people).items():
        rows = [now.album.kept(job.store, spot, "looks").tolist() for spot in spots]
        looks = pooled_looks([FaceLooks(*row) for row in rows])
        tone = "" if looks.tone is None else _word(looks.tone)
        found[person] = {"gender": looks.sex, "age_band": looks.age_band, "tone": tone}
    return found


def _word(tone: float) -> str:
    """The word for a skin's typology angle."""
    return min(TONES, key=lambda word: abs(TONES[word] - tone))
