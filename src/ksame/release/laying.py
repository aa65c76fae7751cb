"""Where heads are laid and what is removed for them: the same for a group as far as captures allow.

Both are decided once a group, because they must not tell whose photo it is.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from ksame.arrays import Array, Floats, Image
from ksame.release.find import FOUND, Album, Spot
from ksame.states import State
from ksame.store import Store

if TYPE_CHECKING:
    from ksame.composite import Portrait, Surrogate, Traits
    from ksame.release.ledger import FaceEntry

FaceFile = tuple[str, int]  # the store's key of a picture, number of the face in it
HEADS: Final = "heads"  # the kind under which the store keeps heads
_PLACE, _REGION = "place:", "region:"
# pictures of a portrait that are left out to lend its head, and to take it out of a photo
HEAD_ALONE, SCENE_ALONE = ("maps",), ("colour", "masks")
BESIDE: Final = (_PLACE, _REGION)  # how names begin of what is kept beside a head's looks


@dataclass(frozen=True, slots=True)
class LaidFace:
    """A face over which a group's head will be laid: where it is kept, and its photo's size."""

    file: FaceFile
    photo: tuple[int, int]  # width and height
    state: State
    alone: bool  # whether no other face is in its photo


def laid_faces(
    album: Album, faces: Mapping[str, Sequence[Spot]], people: Sequence[str]
) -> tuple[LaidFace, ...]:
    """The faces of a group that are to be released."""
    spots = sorted(spot for person in people for spot in faces[person] if spot[0] < album.shown)
    return tuple(
        LaidFace(
            file=(album.pictures[n].key, i),
            photo=album.pictures[n].size,
            state=State(album.told((n, i), "state")),
            alone=len(album.pictures[n].faces) == 1,
        )
        for n, i in spots
    )


def lay_out(
    store: Store, laid: Sequence[LaidFace], seed: int, surrogate: "Surrogate"
) -> dict[str, Array]:
    """Where each face's head is laid, and per look the region that all its photos remove.

    The place is the same for all photos of a look wherever captures allow, and the region is the
    union of what each of them needs removed above the chin: neither says whose photo it is.
    """
    from ksame.composite.behind import region_above_chin
    from ksame.composite.frame import CHIN, SCENE
    from ksame.composite.placing import measured, moved_to, places_to_take

    arrays: dict[str, Array] = {}
    by_look: dict[State, list[LaidFace]] = defaultdict(list)
    for face in laid:
        by_look[surrogate.shown_state(face.state)].append(face)
    for number, (state, faces) in enumerate(sorted(by_look.items())):
        own = [measured(load_traits(store, face.file).matrix, face.photo) for face in faces]
        places = places_to_take(np.stack(own), seed + number)
        chin = float((SCENE.from_head() @ [*surrogate.looks[state].points[CHIN], 1.0])[1])
        region = np.zeros((SCENE.height, SCENE.width), np.uint8)
        for face, place in zip(faces, places, strict=True):
            matrix = place.matrix(face.photo)
            arrays[_place_name(face.file)] = matrix
            if face.alone:
                portrait = load_portrait(store, face.file, SCENE_ALONE)
                region |= region_above_chin(moved_to(portrait, matrix), chin)
        arrays[f"{_REGION}{state}"] = region
    return arrays


def load_place(store: Store, key: str, face: FaceFile, state: State) -> tuple[Floats, Image]:
    """Where a kept head is laid over a face, and the region that its look removes."""
    place, region = _place_name(face), f"{_REGION}{state}"
    arrays = store.load(HEADS, key, names=(place, region))
    return np.asarray(arrays[place], np.float64), np.asarray(arrays[region], np.uint8)


def _place_name(face: FaceFile) -> str:
    return f"{_PLACE}{face[0]}/{face[1]}"


def load_portrait(store: Store, file: FaceFile, without: Sequence[str]) -> "Portrait":
    """The portrait of one face, without the pictures that are not needed: unpacking takes long."""
    from ksame.composite import Portrait

    left_out = ("sface", *without)
    return Portrait.from_arrays(store.load(FOUND, file[0], f"{file[1]}/", without=left_out))


def load_traits(store: Store, file: FaceFile) -> "Traits":
    """A face without its pictures: what decides whom it suits, and where it lies."""
    from ksame.composite import TRAITS, Traits

    return Traits.from_arrays(store.load(FOUND, file[0], f"{file[1]}/", TRAITS))


def people_at_places(
    faces: "Sequence[FaceEntry]", sizes: Mapping[str, tuple[int, int]], k: int
) -> dict[str, int]:
    """How many heads lie where k people or more of their group and look have theirs.

    The rest lie at a place of fewer people, in coarse steps: what their place tells passes.
    """
    from ksame.composite.placing import measured, stepped

    people: dict[tuple[object, ...], set[str]] = defaultdict(set)
    places = []
    for face in faces:
        if face.placement is not None and face.person is not None:
            where = stepped(measured(np.array(face.placement), sizes[face.file]))
            places.append((face.group, face.state, where))
            people[places[-1]].add(face.person)
    shared = sum(len(people[place]) >= k for place in places)
    return {"shared": shared, "own": len(places) - shared}
