"""Pass 2: who is who. k counts people, so a person must never be taken for two.

Taking two people for one costs a little utility; splitting one person into two would let a group
of k "people" be fewer. Wherever the sources disagree, people are therefore merged.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ksame.errors import InputError
from ksame.release.find import SeenPhoto, load_array
from ksame.release.ledger import read_ledger
from ksame.release.scratch import Scratch

Spot = tuple[int, int]  # number of the photo, number of the face in it

NOT_LISTED = "the people file does not list it"
BYSTANDER = "another face in a photo of one named person"


@dataclass(frozen=True, slots=True)
class Who:
    """Who every face is.

    ``persons`` holds the faces with a person, ``strangers`` the faces without one and why (they
    are blacked out), ``unlisted`` the photos that a people file leaves out (they are withheld),
    ``labels`` the columns of a people file for each photo, and ``uncertain`` the pairs of faces
    that clustering could as well have decided the other way.
    """

    persons: Mapping[Spot, str] = field(repr=False)
    strangers: Mapping[Spot, str] = field(default_factory=dict)
    unlisted: frozenset[int] = frozenset()
    labels: Mapping[int, Mapping[str, str]] = field(default_factory=dict, repr=False)
    uncertain: Sequence[tuple[Spot, Spot]] = ()
    reference: frozenset[str] = field(default=frozenset(), repr=False)


def name_people(
    photos: Sequence[SeenPhoto], inputs: int, persons: str, roots: Sequence[Path], scratch: Scratch
) -> Who:
    """Decide who every face is.

    Parameters
    ----------
    photos : sequence of SeenPhoto
        The photos to release, followed by those of the reference people.
    inputs : int
        How many of them are to be released.
    persons : str
        ``auto``, ``folder``, or the path of a people file (.csv) or of a corrected ledger (.json).
    """
    clusters = _clusters(photos, scratch) if persons == "auto" or inputs < len(photos) else None
    if persons == "auto":
        assert clusters is not None
        named = {spot: f"person-{label:05d}" for spot, label in clusters[0].items()}
        who = Who(named, uncertain=clusters[1])
    elif persons == "folder":
        folder = {n: _folder_of(photo.path, roots) for n, photo in enumerate(photos[:inputs])}
        who = _one_per_photo(photos[:inputs], folder)
    elif persons.endswith(".json"):
        who = _from_ledger(photos[:inputs], _existing(persons))
    else:
        who = _from_csv(photos[:inputs], _existing(persons))
    merged = _merge_same_pixels(photos, who.persons)
    reference = _reference_people(merged, clusters[0], inputs) if clusters else {}
    if persons == "auto":
        merged = {spot: name for spot, name in merged.items() if spot[0] < inputs}
    return Who(
        {**merged, **reference},
        who.strangers,
        who.unlisted,
        who.labels,
        [pair for pair in who.uncertain if pair[0][0] < inputs and pair[1][0] < inputs],
        frozenset(reference.values()),
    )


def label_columns(persons: str) -> tuple[str, ...]:
    """The label columns of a people file; none for the other sources."""
    from ksame.datasets import read_people_csv

    if persons in ("auto", "folder") or persons.endswith(".json"):
        return ()
    return tuple(read_people_csv(_existing(persons)).columns)


def _existing(persons: str) -> Path:
    """The people file."""
    path = Path(persons)
    if not path.is_file():
        raise InputError(
            f"--persons {path} is neither auto, folder nor a file; name a people.csv or a ledger"
        )
    return path


def _spots(photos: Sequence[SeenPhoto]) -> list[Spot]:
    return [(n, i) for n, photo in enumerate(photos) for i in range(len(photo.faces))]


def _clusters(
    photos: Sequence[SeenPhoto], scratch: Scratch
) -> tuple[dict[Spot, int], list[tuple[Spot, Spot]]]:
    """Cluster every face, of the inputs and of the reference set, by its identity embedding."""
    from ksame.vision import cluster_people

    spots = _spots(photos)
    if not spots:
        return {}, []
    embeddings = np.stack([load_array(scratch, photos[n].sha256, i, "sface") for n, i in spots])
    labels, uncertain = cluster_people(embeddings, [n for n, _ in spots])
    pairs = [(spots[int(pair[0])], spots[int(pair[1])]) for pair in uncertain]
    return dict(zip(spots, map(int, labels), strict=True)), pairs


def _reference_people(
    named: Mapping[Spot, str], clusters: Mapping[Spot, int], inputs: int
) -> dict[Spot, str]:
    """The reference faces whose cluster holds nobody of the inputs.

    A reference person who is also to be released would be counted twice, and is left out.
    """
    taken = {clusters[spot] for spot in clusters if spot[0] < inputs}
    names = {spot: f"reference-{label:05d}" for spot, label in clusters.items()}
    return {
        spot: name
        for spot, name in names.items()
        if spot[0] >= inputs and clusters[spot] not in taken
    }


def _folder_of(path: Path, roots: Sequence[Path]) -> str:
    """The person of a photo: the first folder below the input, or the input folder itself.

    Folders further down are sessions of the same person: the safe reading merges.
    """
    for root in roots:
        if root.is_dir() and root in path.parents:
            below = path.relative_to(root).parts
            return below[0] if len(below) > 1 else root.resolve().name
    return path.resolve().parent.name


def _one_per_photo(photos: Sequence[SeenPhoto], person_of: Mapping[int, str]) -> Who:
    """One named person per photo; where a photo shows more faces, the largest one is theirs."""
    persons: dict[Spot, str] = {}
    strangers: dict[Spot, str] = {}
    for n, name in person_of.items():
        faces = photos[n].faces
        if not faces:
            continue
        # the largest face comes first, also where it cannot be replaced: naming a bystander instead
        # would put that bystander into two groups
        persons[n, 0] = name
        strangers.update({(n, i): BYSTANDER for i in range(1, len(faces))})
    return Who(persons, strangers)


def _from_csv(photos: Sequence[SeenPhoto], path: Path) -> Who:
    """People and label columns from ``image,person[,...]``."""
    from ksame.datasets import read_people_csv

    table = read_people_csv(path)
    rows = {image.resolve(): number for number, image in enumerate(table.images)}
    found = {n: rows.get(photo.path.resolve()) for n, photo in enumerate(photos)}
    person_of = {n: table.persons[row] for n, row in found.items() if row is not None}
    who = _one_per_photo(photos, person_of)
    labels = {
        n: {name: column[row] for name, column in table.columns.items()}
        for n, row in found.items()
        if row is not None
    }
    unlisted = frozenset(n for n, row in found.items() if row is None)
    return Who(who.persons, who.strangers, unlisted, labels)


def _from_ledger(photos: Sequence[SeenPhoto], path: Path) -> Who:
    """People as an earlier run's ledger, corrected by hand, names them."""
    ledger = read_ledger(path)
    faces: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for face in ledger["faces"]:
        faces[ledger["originals"].get(face["file"], "")].append(face)
    persons: dict[Spot, str] = {}
    strangers: dict[Spot, str] = {}
    for n, photo in enumerate(photos):
        for i, face in enumerate(faces.get(photo.sha256, ())):
            if face["person"]:
                persons[n, i] = str(face["person"])
            else:
                strangers[n, i] = "the ledger names nobody for it"
    unlisted = frozenset(n for n, photo in enumerate(photos) if photo.sha256 not in faces)
    return Who(persons, strangers, unlisted)


def _merge_same_pixels(photos: Sequence[SeenPhoto], persons: Mapping[Spot, str]) -> dict[Spot, str]:
    """Merge people who are named differently on copies of one and the same photo."""
    by_face: dict[tuple[str, int], list[str]] = defaultdict(list)
    for (n, i), name in persons.items():
        by_face[photos[n].sha256, i].append(name)
    find = merge_all(by_face.values())
    return {spot: find(name) for spot, name in persons.items()}


def merge_all(sets: Iterable[Sequence[str]]) -> Callable[[str], str]:
    """Union-find: returns a function from a name to the name of everybody it was merged with."""
    parent: dict[str, str] = {}

    def find(name: str) -> str:
        while (above := parent.get(name, name)) != name:
            parent[name] = parent.get(above, above)
            name = above
        return name

    for names in sets:
        for name in names[1:]:
            first, second = sorted((find(names[0]), find(name)))
            parent[second] = first
    return find
