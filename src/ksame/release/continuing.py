"""A release that goes on from an earlier one: people keep their faces and their groups.

Two releases of the same people in different groups can be intersected until one person is left.
A continued release therefore shows everybody who is known with the known face, and new people get
groups of their own, of at least k new people; too few of them wait for a later release.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from ksame.arrays import Floats32
from ksame.errors import GuaranteeError, InputError
from ksame.people.cluster import place_threshold
from ksame.people.sources import AUTO
from ksame.release.earlier import NUMBERED, Earlier, KnownGroup
from ksame.release.find import Album, Spot
from ksame.release.job import Job
from ksame.release.model_faces import restore_face
from ksame.release.name import People, faces_of_people
from ksame.release.options import NOBODY
from ksame.release.regrouping import check_kept, keep_groups
from ksame.release.share import Grouped, Shared, SharedFace, group_all, share

T = TypeVar("T", Grouped, Shared)


def recognise(job: Job, album: Album, people: People) -> People:
    """Give those who are known from an earlier release their names; others get new ones.

    People who were told apart by their faces are compared with everybody's template. Taking a new
    person for a known one is harmless to k-anonymity, the opposite is not: whoever is alike enough
    to be one person within a release is taken for the known one.
    """
    earlier = job.earlier
    if earlier is None or job.plan.persons != AUTO:
        return people
    spots: dict[str, list[Spot]] = {}
    for spot, person in sorted(people.persons.items()):
        spots.setdefault(person, []).append(spot)
    known = sorted(earlier.templates)
    rows = {p: np.stack([_described(job, album, s) for s in spots[p]]) for p in spots}
    names = _matched(rows, spots, known, earlier)
    number = earlier.next_number()
    for person in spots:
        if person not in names:
            names[person], number = f"person-{number:05d}", number + 1
    return replace(people, persons={s: names[p] for s, p in people.persons.items()})


def _matched(
    rows: Mapping[str, Floats32],
    spots: Mapping[str, Sequence[Spot]],
    known: Sequence[str],
    earlier: Earlier,
) -> dict[str, str]:
    """Who of the new people is who of the known ones, the most alike first."""
    if not rows or not known:
        return {}
    templates = np.stack([earlier.templates[person] for person in known])
    photos = [n for person in rows for n, _ in spots[person]]
    limit = place_threshold(
        np.concatenate([*rows.values(), templates]),
        [*photos, *range(max(photos) + 1, max(photos) + 1 + len(known))],
    )
    people = list(rows)
    alike = np.stack([rows[person].mean(axis=0) for person in people]) @ templates.T
    names: dict[str, str] = {}
    shown: dict[str, set[int]] = {}
    pairs = np.argwhere(alike >= limit)
    order = np.argsort(-alike[tuple(pairs.T)], kind="stable")
    for i, j in pairs[order].tolist():
        pictures = {n for n, _ in spots[people[i]]}
        # two faces of one photo are two people
        if people[i] not in names and shown.setdefault(known[j], set()).isdisjoint(pictures):
            names[people[i]] = known[j]
            shown[known[j]] |= pictures
    return names


@dataclass(frozen=True, slots=True)
class Foreseen:
    """Who will share a face with whom, before any face is made.

    Attributes
    ----------
    known : the groups that stay, with the face that they have
    grouped : the new groups
    waiting : new people who are too few for a group: their photos are withheld
    joined : how many people join a group that stays
    """

    known: tuple[KnownGroup, ...] = field(default=(), repr=False)
    grouped: Grouped = field(default_factory=Grouped, repr=False)
    waiting: frozenset[str] = field(default=frozenset(), repr=False)
    joined: int = 0


def foresee(job: Job, album: Album, people: People) -> Foreseen:
    """The groups that `share_on` will make.

    Raises
    ------
    GuaranteeError
        There is nobody who is known, and too few new people.
    """
    parts = _parts(job, album, people)
    grouped, waiting = parts.grouped(album, lambda fresh: group_all(job, album, fresh), Grouped())
    return Foreseen(parts.known, grouped, waiting, parts.joined)


def share_on(job: Job, album: Album, people: People) -> Shared:
    """Known people keep their faces; new people share new ones, or wait.

    Guarantee: nobody of an earlier release is in another group than there, and no group of it
    gains or loses anybody. Of a release that is made again, groups stay where they can.

    Raises
    ------
    GuaranteeError
        There is nobody who is known, and too few new people.
    """
    parts = _parts(job, album, people)
    new, waiting = parts.grouped(album, lambda fresh: share(job, album, fresh), Shared())
    if job.earlier is not None:
        new = _renumbered(new, job.earlier)
    return replace(new, faces=(*_restored(job, parts.known), *new.faces), waiting=waiting)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The groups that stay, and who is to be grouped; ``may_wait`` where these may be too few."""

    known: tuple[KnownGroup, ...] = ()
    fresh: People | None = None
    may_wait: bool = False
    joined: int = 0

    def grouped(
        self, album: Album, group: Callable[[People], T], nobody: T
    ) -> tuple[T, frozenset[str]]:
        """What ``group`` makes of the new people, ``nobody`` where there are none; and who waits.

        Raises
        ------
        GuaranteeError
            They are too few, and may not wait.
        """
        if self.fresh is None:
            return nobody, frozenset()
        try:
            return group(self.fresh), frozenset()
        except GuaranteeError:
            if not self.may_wait:
                raise
            return nobody, frozenset(faces_of_people(album, self.fresh))


def _parts(job: Job, album: Album, people: People) -> _Parts:
    earlier = job.earlier
    if earlier is None:
        kept = keep_groups(job, album, people)
        if kept is None:
            return _Parts(fresh=people)
        check_kept(kept, job.plan.k)
        fresh = kept.without_groups(people) if kept.loose else None
        return _Parts(kept.groups, fresh, joined=kept.joined)
    group_of = earlier.group_of()
    present = faces_of_people(album, people).keys()
    numbers = {group_of[person] for person in present if person in group_of}
    known = tuple(earlier.groups[number] for number in sorted(numbers))
    if known and not present - group_of.keys():
        return _Parts(known)
    others = {s: p for s, p in people.persons.items() if p not in group_of}
    return _Parts(known, replace(people, persons=others), may_wait=bool(known))


def _restored(job: Job, groups: Sequence[KnownGroup]) -> list[SharedFace]:
    """The faces of known groups, exactly as they were."""
    faces = []
    for group in groups:
        if (digest := restore_face(job.store, group.code)) != group.surrogate:
            raise InputError("a face of the ledger that is continued was altered; check the file")
        people = tuple(sorted(group.people))
        faces.append(SharedFace(people, (), digest, digest, told={"code": group.code}))
    return faces


def _renumbered(shared: Shared, earlier: Earlier) -> Shared:
    """People of nobody get numbers that no earlier one has: they are others."""
    first = earlier.next_number()

    def renamed(person: str) -> str:
        found = NUMBERED.fullmatch(person)
        if found is None or not person.startswith(NOBODY):
            return person
        return f"{NOBODY}-{first + int(found[1]):05d}"

    faces = (replace(f, people=tuple(map(renamed, f.people))) for f in shared.faces)
    return replace(shared, faces=tuple(faces))


def told_of_people(job: Job, album: Album, people: People) -> dict[str, Any]:
    """What a ledger tells so that its release can be continued."""
    from ksame.codecs.face.pinned import SHA256

    if job.plan.style != "model":
        return {}
    earlier = job.earlier
    templates = {
        person: _packed(np.mean([_described(job, album, spot) for spot in spots], axis=0))
        for person, spots in faces_of_people(album, people).items()
    }
    told: dict[str, Any] = {"face_model": SHA256, "templates": dict(sorted(templates.items()))}
    if earlier is not None:
        # who is known stays described as before, so that nobody drifts from release to release
        kept = {person: _packed(row) for person, row in earlier.templates.items()}
        told["templates"] = dict(sorted((templates | kept).items()))
        told["continues"] = {
            "certificate": earlier.certificate,
            "groups": [group.as_json() for group in earlier.groups],
        }
    return told


def _described(job: Job, album: Album, spot: Spot) -> Floats32:
    row: Floats32 = np.asarray(album.kept(job.store, spot, "sface"), np.float32)
    return row / max(float(np.linalg.norm(row)), 1e-9)


def _packed(row: Floats32) -> str:
    """A unit vector in few letters: half precision is a thousandth of what two photos differ by."""
    unit = row / max(float(np.linalg.norm(row)), 1e-9)
    return base64.b64encode(unit.astype("<f2").tobytes()).decode()
