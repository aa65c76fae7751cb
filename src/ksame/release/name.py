"""The second stage: who is who. k counts people, so a person must never be taken for two.

Taking two people for one costs a little utility; splitting one person into two would let a group
of k "people" be fewer. Wherever the sources disagree, people are therefore merged.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np

from ksame.people import cluster_people, find_source, merge_names
from ksame.people.ledgers import LedgerPeople
from ksame.people.sources import NamedFace, PeopleSource, PhotoPeople
from ksame.release.find import Album, Picture, Spot
from ksame.release.job import Job
from ksame.release.kin import FIRST, KIN
from ksame.release.mixed_names import warn_of_mixed_names
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
    surplus : photos beyond what a person may have in the release; they are withheld
    kept : people who consented to be shown as they are; they share no face
    dismissed : boxes of each photo that a person took for no face
    set_aside : the photos that a person left out; they are withheld
    decided : the faces that a person drew, or whose looks a person corrected
    """

    persons: Mapping[Spot, str] = field(repr=False)
    strangers: Mapping[Spot, str] = field(default_factory=dict, repr=False)
    unlisted: frozenset[int] = frozenset()
    labels: Mapping[int, Mapping[str, str]] = field(default_factory=dict, repr=False)
    uncertain: Sequence[tuple[Spot, Spot]] = ()
    reference: frozenset[str] = field(default=frozenset(), repr=False)
    surplus: frozenset[int] = frozenset()
    kept: frozenset[str] = field(default=frozenset(), repr=False)
    dismissed: Mapping[int, Sequence[tuple[float, ...]]] = field(default_factory=dict, repr=False)
    set_aside: frozenset[int] = frozenset()
    decided: Mapping[Spot, NamedFace] = field(default_factory=dict, repr=False)


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
        people = listed_people(album, source, job.plan.inputs)
        if beside or job.plan.attacks:  # else nobody is described
            warn_of_mixed_names(album, job.store, people.persons)
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
    return not album.pictures[spot[0]].moves or album.failure(spot) is None


def _seen_together(
    album: Album, store: Store, spots: Sequence[Spot]
) -> tuple[list[int], list[tuple[int, int]]]:
    """Which photo each face is in, a track of a clip in one of its own; and pairs of tracks.

    Two tracks of a clip may be one person, unless they were seen in one frame.
    """
    place = {spot: number for number, spot in enumerate(spots)}
    photos = [len(album.pictures) + place[n, i] if album.pictures[n].moves else n for n, i in spots]
    apart = [
        (place[n, i], place[n, j])
        for n in sorted({n for n, _ in spots if album.pictures[n].moves})
        for i, j in album.meetings(store, n)
        if (n, i) in place and (n, j) in place
    ]
    return photos, apart


def listed_people(album: Album, source: PeopleSource, roots: Sequence[Path]) -> People:
    """People as the user's source names them; ``roots`` are the inputs that were named."""
    pictures = album.pictures[: album.shown]
    digest = {picture.path: picture.sha256 for picture in pictures}
    told = source.people_of([p.path for p in pictures], roots, digest.__getitem__)
    persons: dict[Spot, str] = {}
    strangers: dict[Spot, str] = {}
    listed = {n: photo for n, photo in enumerate(told) if photo is not None}
    aside = frozenset(n for n, photo in listed.items() if photo.set_aside)
    for n, photo in listed.items():
        if n not in aside:
            _name_faces(n, pictures[n], photo, persons, strangers)
    spots = {
        (pictures[n].sha256, tuple(box)): (n, i)
        for n in listed
        for i, box in enumerate(pictures[n].faces.xyxy.tolist())
    }
    open_pairs = source.uncertain() if isinstance(source, LedgerPeople) else []
    return People(
        persons,
        strangers,
        frozenset(range(len(told))) - listed.keys(),
        {n: photo.labels for n, photo in listed.items() if photo.labels},
        uncertain=[(spots[a], spots[b]) for a, b in open_pairs if a in spots and b in spots],
        kept=_kept(listed.values()),
        dismissed={n: photo.dismissed for n, photo in listed.items() if photo.dismissed},
        set_aside=aside,
        decided={
            spots[pictures[n].sha256, face.box]: face
            for n, photo in listed.items()
            for face in photo.faces
            if face.box
            and (face.drawn or face.looks or face.marks)
            and (pictures[n].sha256, face.box) in spots
        },
    )


def _kept(photos: Iterable[PhotoPeople]) -> frozenset[str]:
    """The people of whom every face is marked as to be shown; one mark missing protects all."""
    faces = [face for photo in photos for face in photo.faces if face.person]
    return frozenset(f.person for f in faces if f.kept and f.person) - frozenset(
        face.person for face in faces if not face.kept and face.person
    )


def _name_faces(
    n: int,
    picture: Picture,
    photo: PhotoPeople,
    persons: dict[Spot, str],
    strangers: dict[Spot, str],
) -> None:
    """Name the faces of one picture."""
    faces, count = picture.faces, len(picture.faces)
    if photo.all_faces:
        named = {face.box: face.person for face in photo.faces}
        for i, box in enumerate(faces.xyxy.tolist()):
            if person := named.get(tuple(box)):
                persons[n, i] = person
            else:
                strangers[n, i] = NAMELESS
        return
    if KIN in faces.data:  # of a clip: the person may be seen again after a cut
        for i, kin in enumerate(faces.data[KIN].tolist()):
            if kin == FIRST and photo.person:
                persons[n, i] = photo.person
            else:
                strangers[n, i] = BYSTANDER
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
    """The replaceable faces of every person; people without any are not grouped.

    Neither are those who are shown as they are: nobody could be taken for them.
    """
    faces: dict[str, list[Spot]] = defaultdict(list)
    for spot, person in sorted(people.persons.items()):
        if person in people.kept:
            continue
        if album.pictures[spot[0]].failure is None and album.failure(spot) is None:
            faces[person].append(spot)
    return dict(faces)
