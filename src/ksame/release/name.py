"""The second stage: who is who. k counts people, so a person must never be taken for two.

Taking two people for one costs a little utility; splitting one person into two would let a group
of k "people" be fewer. Wherever the sources disagree, people are therefore merged.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from ksame.people import cluster_people, find_source, merge_names
from ksame.people.sources import PeopleSource, PhotoPeople
from ksame.release.find import Album, Spot
from ksame.release.job import Job
from ksame.store import Store

NOT_LISTED: Final = "the people file does not list it"
BYSTANDER: Final = "another face in a photo of one named person"
NAMELESS: Final = "the ledger names nobody for it"


@dataclass(frozen=True, slots=True)
class People:
    """Who every face is.

    Attributes
    ----------
    persons : the faces with a person
    strangers : the faces without one and why; they are never shown
    unlisted : the photos that a people file leaves out; they are withheld
    labels : the columns of a people file for each photo
    uncertain : pairs of faces that clustering could as well have decided the other way
    reference : people who widen the groups and are not released
    """

    persons: Mapping[Spot, str] = field(repr=False)
    strangers: Mapping[Spot, str] = field(default_factory=dict, repr=False)
    unlisted: frozenset[int] = frozenset()
    labels: Mapping[int, Mapping[str, str]] = field(default_factory=dict, repr=False)
    uncertain: Sequence[tuple[Spot, Spot]] = ()
    reference: frozenset[str] = field(default=frozenset(), repr=False)


# Between naming people and sharing faces somebody may look at what was found and correct it.
Review = Callable[[Album, People], People]


def accept(album: Album, people: People) -> People:
    """The review of whoever does not look: everything is taken as it was found."""
    return people


def name(job: Job, album: Album) -> People:
    """Decide who every face is; an ad hoc method does not ask."""
    if not job.plan.guarantees:
        return People({})
    source = find_source(job.plan.persons)
    beside = album.shown < len(album.pictures)
    clusters = _clusters(album, job.store) if source is None or beside else None
    if source is None:
        assert clusters is not None
        labels, uncertain = clusters
        people = People(
            {
                spot: f"person-{label:05d}"
                for spot, label in labels.items()
                if spot[0] < album.shown
            },
            uncertain=[pair for pair in uncertain if max(pair[0][0], pair[1][0]) < album.shown],
        )
    else:
        people = _listed(job, album, source)
    people = replace(people, persons=_merge_same_pixels(album, people.persons))
    if clusters is None or not beside:
        return people
    reference = _reference_people(clusters[0], album.shown)
    return replace(
        people,
        persons={**people.persons, **reference},
        reference=frozenset(reference.values()),
    )


def _clusters(album: Album, store: Store) -> tuple[dict[Spot, int], list[tuple[Spot, Spot]]]:
    """Cluster every face, of the inputs and of the reference set, by its identity embedding."""
    spots = [spot for spot in album.spots() if _is_described(album, spot)]
    if not spots:
        return {}, []
    embeddings = np.stack([album.kept(store, spot, "sface") for spot in spots])
    photos, apart = _seen_together(album, store, spots)
    labels, uncertain = cluster_people(embeddings, photos, apart=apart)
    pairs = [(spots[int(one)], spots[int(other)]) for one, other in uncertain]
    return dict(zip(spots, map(int, labels), strict=True)), pairs


def _is_described(album: Album, spot: Spot) -> bool:
    """Whether a face has an identity embedding: a track too brief to be told has none."""
    return album.pictures[spot[0]].medium == "photo" or album.failure(spot) is None


def _seen_together(
    album: Album, store: Store, spots: Sequence[Spot]
) -> tuple[list[int], list[tuple[int, int]]]:
    """Which photo each face is in, a track of a clip in one of its own; and pairs of tracks.

    Two tracks of a clip may be one person, unless they were seen in one frame.
    """
    place = {spot: number for number, spot in enumerate(spots)}
    photos = [
        n if album.pictures[n].medium == "photo" else len(album.pictures) + place[n, i]
        for n, i in spots
    ]
    apart = [
        (place[n, i], place[n, j])
        for n in sorted({n for n, _ in spots if album.pictures[n].medium != "photo"})
        for i, j in album.meetings(store, n)
        if (n, i) in place and (n, j) in place
    ]
    return photos, apart


def _listed(job: Job, album: Album, source: PeopleSource) -> People:
    """People as the user's source names them."""
    pictures = album.pictures[: album.shown]
    digest = {picture.path: picture.sha256 for picture in pictures}
    told = source.people_of([p.path for p in pictures], job.plan.inputs, digest.__getitem__)
    persons: dict[Spot, str] = {}
    strangers: dict[Spot, str] = {}
    for n, (picture, photo) in enumerate(zip(pictures, told, strict=True)):
        if photo is not None:
            _name_faces(n, len(picture.faces), photo, persons, strangers)
    return People(
        persons,
        strangers,
        frozenset(n for n, photo in enumerate(told) if photo is None),
        {n: photo.labels for n, photo in enumerate(told) if photo is not None and photo.labels},
    )


def _name_faces(
    n: int, count: int, photo: PhotoPeople, persons: dict[Spot, str], strangers: dict[Spot, str]
) -> None:
    """Name the faces of one picture."""
    if photo.all_faces:
        for i, face in enumerate(photo.faces[:count]):
            if face.person:
                persons[n, i] = face.person
            else:
                strangers[n, i] = NAMELESS
        return
    # the largest face comes first, also where it cannot be replaced: naming a bystander instead
    # would put that bystander into two groups
    if count and photo.person:
        persons[n, 0] = photo.person
    strangers.update({(n, i): BYSTANDER for i in range(1, count)})


def _reference_people(clusters: Mapping[Spot, int], shown: int) -> dict[Spot, str]:
    """The reference faces whose cluster holds nobody of the inputs.

    A reference person who is also to be released would be counted twice, and is left out.
    """
    taken = {label for spot, label in clusters.items() if spot[0] < shown}
    return {
        spot: f"reference-{label:05d}"
        for spot, label in clusters.items()
        if spot[0] >= shown and label not in taken
    }


def _merge_same_pixels(album: Album, persons: Mapping[Spot, str]) -> dict[Spot, str]:
    """Merge people who are named differently on copies of one and the same photo."""
    by_face: dict[tuple[str, int], list[str]] = defaultdict(list)
    for (n, i), person in persons.items():
        by_face[album.pictures[n].sha256, i].append(person)
    same = merge_names(by_face.values())
    return {spot: same[person] for spot, person in persons.items()}


def faces_of_people(album: Album, people: People) -> dict[str, list[Spot]]:
    """The replaceable faces of every person; people without any are not grouped."""
    faces: dict[str, list[Spot]] = defaultdict(list)
    for spot, person in sorted(people.persons.items()):
        if album.pictures[spot[0]].failure is None and album.failure(spot) is None:
            faces[person].append(spot)
    return dict(faces)
