"""What lies on the desk: the album and its people, as the corrections so far leave them.

Everything here is computed by the code that makes the release: a corrected ledger is read, changed
photos are looked at again, people are named and grouped. Nothing is rendered.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from safetensors import safe_open

from ksame.arrays import Array, Floats
from ksame.people.ledgers import LedgerPeople, Place
from ksame.release.corrections import Corrections
from ksame.release.find import (
    FOUND,
    Album,
    Picture,
    Search,
    Spot,
    find_one,
    keep_known_faces,
    search_for,
)
from ksame.release.job import Job
from ksame.release.listing import corrected, listing
from ksame.release.name import People, listed_people
from ksame.release.scratch import Scratch
from ksame.review.footage import Clips
from ksame.store import Store

_SMALL: Final = ("looks", "sface")  # what is asked for again and again, and fits into memory


@dataclass(frozen=True)
class _Remembering(Store):
    """A store that reads the small arrays of a photo once: people are counted at every step."""

    kept: dict[str, dict[str, Array]] = field(default_factory=dict, repr=False, compare=False)

    def load(
        self,
        kind: str,
        key: str,
        start: str = "",
        names: Collection[str] | None = None,
        without: Collection[str] = (),
    ) -> dict[str, Array]:
        if kind != FOUND or names is None or not set(names) <= set(_SMALL):
            return super().load(kind, key, start, names, without)
        if key not in self.kept:
            with safe_open(self._path(kind, key), "np") as file:
                small = [n for n in file.keys() if n.rpartition("/")[2] in _SMALL]  # noqa: SIM118
                self.kept[key] = {name: file.get_tensor(name) for name in small}
        return {name: self.kept[key][start + name] for name in names}


@dataclass(frozen=True)
class _Scratch(Scratch):
    """The scratch folder of the run, with the store that remembers."""

    remembering: Store = field(default_factory=lambda: Store.__new__(Store), repr=False)

    @property
    def store(self) -> Store:
        return self.remembering


def remembering(job: Job) -> Job:
    """The same job with a store that remembers what is asked for at every step."""
    store = _Remembering(job.store.root)
    return replace(job, scratch=_Scratch(job.scratch.root, store))


@dataclass(frozen=True, slots=True)
class Now:
    """The album and its people after some corrections."""

    album: Album
    people: People

    def place(self, spot: Spot) -> Place:
        """A face as corrections name it."""
        picture = self.album.pictures[spot[0]]
        return picture.sha256, tuple(picture.faces.xyxy[spot[1]].tolist())


class Desk:
    """Applies corrections to what was found first."""

    def __init__(self, job: Job, album: Album, people: People) -> None:
        self.job = job
        self._album, self._people = album, people
        self._book = listing(album, people, job.store)
        self._first = LedgerPeople(self._book)
        self._listed = self._first.known_faces()
        self._again: dict[tuple[str, str], Picture] = {}  # photos that were looked at again

    def after(self, corrections: Corrections) -> Now:
        """What the corrections lead to; photos whose faces change are looked at again."""
        source = LedgerPeople(corrected(self._book, corrections))
        album = self._looked_at_again(source)
        people = listed_people(album, source, self.job.plan.inputs)
        unseen = {s: p for s, p in self._people.persons.items() if p in self._people.reference}
        people = replace(
            people,
            persons={**people.persons, **unseen},
            reference=self._people.reference,
            strangers={**self._strangers(people), **people.strangers},
        )
        return Now(album, people)

    def _strangers(self, people: People) -> Mapping[Spot, str]:
        """Why nobody was named for a face that is still nobody's."""
        return {s: why for s, why in self._people.strangers.items() if s in people.strangers}

    def _looked_at_again(self, source: LedgerPeople) -> Album:
        known = source.known_faces()
        changed = {photo for photo, listed in known.items() if listed != self._listed.get(photo)}
        if not changed:
            return self._album
        pictures = list(self._album.pictures)
        for n, picture in enumerate(pictures[: self._album.shown]):
            if picture.sha256 in changed:
                pictures[n] = self._look(picture, source, known[picture.sha256])
        return replace(self._album, pictures=tuple(pictures))

    def _look(self, picture: Picture, source: LedgerPeople, listed: Any) -> Picture:
        key = (picture.sha256, str(listed))
        if key not in self._again:
            one = {picture.sha256: listed}
            known = keep_known_faces(_Only(one), self.job.store)
            beside = self._album.shown < len(self._album.pictures)
            search = replace(search_for(self.job, source, beside, known), path=picture.path)
            self._again[key] = _found_again(search, picture.moves)
        return replace(self._again[key], path=picture.path)

    def clips(self, now: Now) -> Clips:
        """What is known of the clips on the desk."""
        return Clips(self.job.store, now.album, self._album)

    def likeness(self, now: Now, spot: Spot) -> Floats | None:
        """How a recogniser sees a face, as a unit vector; None where it was not asked."""
        try:
            row: Floats = np.asarray(now.album.kept(self.job.store, spot, "sface"), np.float64)
        except (KeyError, OSError):
            return None
        return row / max(float(np.linalg.norm(row)), 1e-12)


def _found_again(search: Search, moves: bool) -> Picture:
    """A photo or a clip with the faces that a ledger lists; what was searched is not again."""
    if not moves:
        return find_one(search)
    from ksame.release.clips.finding import gather_clip, survey_clip

    return gather_clip(survey_clip(search))


class _Only:
    """A source that tells the faces of a single photo."""

    columns: tuple[str, ...] = ()

    def __init__(self, listed: dict[str, Any]) -> None:
        self._listed = listed

    def people_of(self, *_: Any) -> tuple[None, ...]:
        """Nothing else is told."""
        return ()

    def known_faces(self) -> dict[str, Any]:
        """The faces of that photo."""
        return self._listed
