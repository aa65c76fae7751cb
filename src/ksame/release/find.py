"""The first stage: what is in each photo and clip. Runs in workers and keeps nothing in memory.

What is found is kept under the digest of the photo's bytes and of what was asked, so that a second
run, or one that goes on after a kill, does not look again.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from ksame._version import __version__
from ksame.arrays import Arrays
from ksame.errors import InputError, MediaError
from ksame.faces import Faces
from ksame.people import PeopleSource, find_source
from ksame.release.attributes import to_measure
from ksame.release.believed import believed
from ksame.release.job import Job
from ksame.release.listed import OFF_PHOTO, Listed, in_order
from ksame.release.media import PHOTO, find_by_medium, moves, without_name
from ksame.release.places import check_no_release
from ksame.release.plain_faces import searched
from ksame.release.plan import Plan
from ksame.release.reference import reference_photos
from ksame.release.styles import style_named
from ksame.release.unread import UNOPENED, check_some_are_read, digest_of, refused_by_the_system
from ksame.states import State
from ksame.store import Store, key_of

log = logging.getLogger(__name__)

Spot = tuple[int, int]  # number of the picture, number of the face in it

FOUND: Final = "found"  # the kind under which the store keeps what is found
KNOWN: Final = "known"  # ... and the faces that a ledger gives
_FACES: Final = "faces/"  # before the names of what is kept of all faces of a picture
CHANGED: Final = "changed while the release was made"
UNWORKABLE: Final = "cannot be worked on"
_PASSING: Final = (CHANGED, UNOPENED)  # not kept: the next run looks again
UNREADABLE: Final = "cannot be read as a photo"
# what arithmetic and OpenCV raise on a picture that no test foresaw; its photo is withheld
FAULTS: Final = (cv2.error, ValueError, ArithmeticError, LookupError, MemoryError)


@dataclass(frozen=True, slots=True)
class Picture:
    """A photo after the first stage; ``failure`` says why it cannot be released at all."""

    path: Path = field(repr=False)
    sha256: str
    key: str  # what was found lies in the store under this
    failure: str | None
    faces: Faces
    format: str = ""
    size: tuple[int, int] = (0, 0)  # width and height
    medium: str = PHOTO

    @property
    def moves(self) -> bool:
        """Whether its faces are tracks, seen from frame to frame."""
        return moves(self.medium)


@dataclass(frozen=True, slots=True)
class Album:
    """All pictures: first those to be released, then those of the reference people."""

    pictures: tuple[Picture, ...] = field(repr=False)
    shown: int

    def spots(self, shown: bool = False) -> list[Spot]:
        """Where every face is; with ``shown`` those of the pictures to be released alone."""
        pictures = self.pictures[: self.shown] if shown else self.pictures
        return [(n, i) for n, picture in enumerate(pictures) for i in range(len(picture.faces))]

    def failure(self, spot: Spot) -> str | None:
        """Why a face cannot be replaced."""
        failures = self.pictures[spot[0]].faces.failure
        return None if failures is None else str(failures[spot[1]]) or None

    def told(self, spot: Spot, name: str) -> str:
        """A measured text of a face; empty where it was not measured."""
        column = self.pictures[spot[0]].faces.data.get(name)
        return "" if column is None else str(column[spot[1]])

    def state(self, spot: Spot) -> State | None:
        """How a face would be shown; None where it was not measured."""
        return State(told) if (told := self.told(spot, "state")) else None

    def digests(self) -> list[str]:
        """The sha256 of every picture."""
        return [picture.sha256 for picture in self.pictures]

    def meetings(self, store: Store, n: int) -> list[tuple[int, int]]:
        """Pairs of tracks of a clip that were seen in one frame."""
        found = store.load(FOUND, self.pictures[n].key, names=("meetings",))["meetings"]
        return [(int(i), int(j)) for i, j in found]

    def kept(self, store: Store, spot: Spot, name: str) -> Any:
        """One array that the first stage kept of a face."""
        n, i = spot
        return store.load(FOUND, self.pictures[n].key, f"{i}/", (name,))[name]


@dataclass(frozen=True, slots=True)
class Search:
    """What the first stage is asked to do with one photo."""

    path: Path = field(repr=False)
    store: Store
    style: str
    max_pixels: int
    embed: bool
    attributes: tuple[str, ...] = ()
    detector: str = "yunet"
    known: str | None = None  # a corrected ledger's faces lie in the store under this

    def given(self, sha256: str) -> dict[str, Any] | None:
        """What a ledger lists of the photo; nothing of a photo that it does not know."""
        if self.known is None:
            return None
        return _listed(self.store, self.known).get(sha256, {"faces": []})

    def key(self, sha256: str) -> str:
        """What the result depends on."""
        asked = [self.style, self.max_pixels, self.embed, self.attributes, self.given(sha256)]
        return key_of("find", __version__, sha256, [*asked, self.detector])


def find(job: Job) -> Album:
    """Look at every photo and clip, those of the reference people last.

    Raises
    ------
    InputError
        There is no photo, or a class is asked for that nobody can tell.
    MediaError
        None of the inputs can be read.
    """
    shown, reference = input_photos(job.plan)
    source = find_source(job.plan.persons)
    known = keep_known_faces(source, job.store)
    one = search_for(job, source, bool(reference), known)
    pictures = tuple(find_by_medium(job, [replace(one, path=p) for p in (*shown, *reference)]))
    check_some_are_read([picture.failure for picture in pictures[: len(shown)]])
    log.info("found %d faces in %d pictures", sum(len(p.faces) for p in pictures), len(pictures))
    return Album(pictures, len(shown))


def search_for(
    job: Job, source: PeopleSource | None, beside: bool, known: str | None = None
) -> Search:
    """What the first stage is asked to do, for a photo yet to be named.

    ``beside`` tells whether there are reference people, ``known`` where the store keeps the faces
    that a ledger gives.
    """
    plan = job.plan
    wanted = to_measure(plan.classes, source.columns if source else ()) if plan.guarantees else ()
    embed = plan.guarantees and (source is None or beside or plan.attacks)
    return Search(
        Path(), job.store, plan.style, plan.max_pixels, embed, wanted, plan.detector, known
    )


def input_photos(plan: Plan) -> tuple[list[Path], list[Path]]:
    """The photos and clips to be released, and the reference photos."""
    from ksame.media import find_photos
    from ksame.media.clips.kinds import clips_in

    shown = list(dict.fromkeys([*find_photos(plan.inputs), *clips_in(plan.inputs)]))
    if not shown:
        raise InputError("the inputs hold no photo or clip; name some, or folders of them")
    check_no_release([*shown, *(reference := reference_photos(plan))])
    return shown, reference


def keep_known_faces(source: PeopleSource | None, store: Store) -> str | None:
    """Keep the faces that a corrected ledger gives, by the digest of their photo."""
    listed = source.known_faces() if source else None
    if listed is None:
        return None
    key = key_of("known", listed)
    store.save(KNOWN, key, {}, listed)
    return key


@lru_cache(maxsize=1)
def _listed(store: Store, key: str) -> Mapping[str, dict[str, Any]]:
    """The faces of a ledger; a worker reads them once."""
    listed: Mapping[str, dict[str, Any]] = store.note(KNOWN, key)
    return listed


def find_one(search: Search) -> Picture:
    """Find and keep the faces of one photo, unless that was done before."""
    sha256 = digest_of(search.path)
    if not sha256:
        return Picture(search.path, "", "", UNOPENED, Faces.empty())
    key = search.key(sha256)
    if (record := search.store.note(FOUND, key)) is not None:
        return restored(search.path, sha256, key, search.store, record)
    listed = Listed(**given) if (given := search.given(sha256)) is not None else None
    try:
        as_found = listed and _as_found(search, sha256, listed)
        if as_found and listed and not listed.looks:
            return as_found[0]
        picture, arrays = as_found or _look(search, sha256, key, listed)
        if listed and listed.looks:
            faces, arrays = listed.with_looks(picture.faces, arrays)
            picture = replace(picture, faces=faces, key=key)
    except FAULTS as fault:
        log.warning("a photo %s: %s", UNWORKABLE, type(fault).__name__)
        why = f"{UNWORKABLE}: {type(fault).__name__}"
        return Picture(search.path, sha256, key, why, Faces.empty())
    if picture.failure not in _PASSING:
        save_picture(search.store, picture, arrays)
    return picture


def save_picture(
    store: Store, picture: Picture, arrays: Arrays, note: Mapping[str, Any] | None = None
) -> None:
    """Keep what was found in a picture; ``note`` adds what its medium alone knows of it."""
    kept = {f"{_FACES}{name}": array for name, array in picture.faces.as_arrays().items()}
    record = {
        "failure": picture.failure,
        "format": picture.format,
        "size": list(picture.size),
        "medium": picture.medium,
        **(note or {}),
    }
    store.save(FOUND, picture.key, arrays | kept, record)


def _as_found(search: Search, sha256: str, listed: Listed) -> tuple[Picture, dict[str, Any]] | None:
    """What was found before without the ledger, if the ledger lists just that."""
    for embed in {search.embed, True}:
        plain = replace(search, known=None, embed=embed)
        key = plain.key(sha256)
        if (record := search.store.note(FOUND, key)) is None:
            continue
        picture = restored(search.path, sha256, key, search.store, record)
        kept = search.store.load(FOUND, key)
        arrays = {name: array for name, array in kept.items() if not name.startswith(_FACES)}
        if listed.is_as_found(picture.faces, arrays.get("dropped", np.zeros((0, 4))).tolist()):
            return picture, arrays
    return None


def _look(
    search: Search, sha256: str, key: str, listed: Listed | None
) -> tuple[Picture, dict[str, Any]]:
    """The faces of one photo, with the arrays that later stages need."""
    from ksame.media import read_photo
    from ksame.vision import embed_sface

    none = Faces.empty()
    try:
        photo = read_photo(search.path, max_pixels=search.max_pixels, writeable=False)
    except MediaError as error:
        why = f"{UNREADABLE}: {without_name(str(error), search.path)}"
        why = UNOPENED if refused_by_the_system(error) else why
        return Picture(search.path, sha256, key, why, none), {}
    if digest_of(search.path) != sha256:
        return Picture(search.path, sha256, key, CHANGED, none), {}
    beside: Arrays = {}
    if listed is None or listed.faces is None:
        found, beside = searched(photo.rgb, search.detector)
        found = in_order(found)
    elif not listed.fits(photo.rgb):
        return Picture(search.path, sha256, key, OFF_PHOTO, none), {}
    else:
        found = in_order(listed.found(photo.rgb))
    if listed is not None:
        found = listed.without_dismissed(found)
    faces, arrays = style_named(search.style).keep(photo.rgb, found, search.attributes)
    if listed is not None:
        listed = believed(listed, photo.rgb, search.style, search.detector)
        faces, arrays = listed.completed(faces, arrays)
    if search.embed:
        # of the faces that are kept: where one is left out, detections number otherwise
        arrays |= {f"{i}/sface": embed_sface(photo.rgb, face) for i, face in enumerate(faces)}
    size = (photo.rgb.shape[1], photo.rgb.shape[0])
    picture = Picture(search.path, sha256, key, None, faces, photo.release_format, size)
    return picture, arrays | beside


def restored(path: Path, sha256: str, key: str, store: Store, record: dict[str, Any]) -> Picture:
    """A picture as an earlier run saw it."""
    faces = Faces.from_arrays(store.load(FOUND, key, _FACES))
    width, height = map(int, record["size"])
    told = record["failure"], faces, record["format"], (width, height), record["medium"]
    return Picture(path, sha256, key, *told)
