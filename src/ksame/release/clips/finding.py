"""The first stage for clips: facts, then segments searched one by one, then tracks."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from ksame._version import __version__
from ksame.errors import MediaError
from ksame.faces import Faces
from ksame.files import sha256_of
from ksame.release.clips.by_hand import Clip, with_hands
from ksame.release.clips.facts import load_facts, save_facts
from ksame.release.clips.gathering import gather
from ksame.release.clips.known import as_listed
from ksame.release.clips.searching import SegmentSearch, search_segment
from ksame.release.find import (
    CHANGED,
    FAULTS,
    FOUND,
    UNWORKABLE,
    Picture,
    Search,
    restored,
    save_picture,
)
from ksame.release.job import Job
from ksame.release.listed import Listed
from ksame.release.media import without_name
from ksame.release.unread import UNOPENED, digest_of
from ksame.store import key_of

log = logging.getLogger(__name__)

UNREADABLE: Final = "cannot be read as a clip"
ONLY_MODEL: Final = "clips are released with faces of the model alone"
SURVEYS: Final = "surveys"


@dataclass(frozen=True, slots=True)
class Survey:
    """A clip after it was read once: how it is divided, or why it cannot be worked on."""

    search: Search
    sha256: str = ""
    clip: str = ""  # its facts lie in the store under this
    failure: str | None = None
    segments: tuple[tuple[int, int], ...] = field(default=(), repr=False)

    @property
    def path(self) -> Path:
        """The clip's file."""
        return self.search.path

    @property
    def keys(self) -> tuple[str, ...]:
        """Where what each segment shows is kept."""
        asked = [self.sha256, self.search.max_pixels, self.search.detector]
        return tuple(key_of("frames", __version__, asked, list(part)) for part in self.segments)

    @property
    def searches(self) -> list[SegmentSearch]:
        """One task a segment."""
        store = self.search.store
        return [
            SegmentSearch(self.path, store, self.clip, key, *part, self.search.detector)
            for key, part in zip(self.keys, self.segments, strict=True)
        ]


def find(job: Job, searches: Sequence[Search]) -> list[Picture]:
    """Find the faces of clips: one after the other, each by all workers."""
    surveys = list(job.runner.run("read clips", survey_clip, searches))
    tasks = [task for survey in surveys for task in survey.searches]
    failed = dict(job.runner.run("find in clips", search_safely, tasks))
    surveys = [
        replace(one, failure=next((failed[k] for k in one.keys if failed[k]), one.failure))
        for one in surveys
    ]
    return list(job.runner.run("tracks", gather_clip, surveys))


def survey_clip(search: Search) -> Survey:
    """Read a clip once, and divide it for the work."""
    from ksame.media.clips import read_facts, split

    sha256 = digest_of(search.path)
    if not sha256:
        return Survey(search, failure=UNOPENED)
    if search.style != "model":
        return Survey(search, sha256, failure=ONLY_MODEL)
    key = key_of("clip", __version__, sha256, search.max_pixels)
    note = search.store.note(SURVEYS, key)
    if note is None:
        try:
            facts = read_facts(search.path, search.max_pixels)
        except MediaError as error:
            why = f"{UNREADABLE}: {without_name(str(error), search.path)}"
            return Survey(search, sha256, key, why)
        if sha256_of(search.path) != sha256:
            return Survey(search, sha256, key, CHANGED)
        save_facts(search.store, key, facts)
        note = [[part.start, part.stop] for part in split(facts)]
        search.store.save(SURVEYS, key, {}, note)
    return Survey(search, sha256, key, None, tuple((start, stop) for start, stop in note))


def search_safely(search: SegmentSearch) -> tuple[str, str | None]:
    """Search a segment; its key, and why that failed."""
    try:
        search_segment(search)
    except MediaError as error:
        return search.key, f"{UNREADABLE}: {without_name(str(error), search.path)}"
    except FAULTS as fault:
        log.warning("a clip %s: %s", UNWORKABLE, type(fault).__name__)
        return search.key, f"{UNWORKABLE}: {type(fault).__name__}"
    return search.key, None


def gather_clip(survey: Survey) -> Picture:
    """A clip with its tracks as faces."""
    search, sha256 = survey.search, survey.sha256
    none = Faces.empty()
    if survey.failure is not None:
        return Picture(search.path, sha256, "", survey.failure, none, medium="clip")
    key = search.key(sha256)
    if (record := search.store.note(FOUND, key)) is not None:
        return restored(search.path, sha256, key, search.store, record)
    facts = load_facts(search.store, survey.clip)
    try:
        faces, arrays = gather(search.store, survey.keys, facts, search.attributes)
    except FAULTS as fault:
        log.warning("a clip %s: %s", UNWORKABLE, type(fault).__name__)
        why = f"{UNWORKABLE}: {type(fault).__name__}"
        return Picture(search.path, sha256, key, why, none, medium="clip")
    keys = survey.keys
    if (given := search.given(sha256)) is not None:
        listed = Listed(**given)
        clip = Clip(search.path, sha256, search.store, facts, keys)
        try:
            faces, arrays = as_listed(faces, arrays, listed)
            faces, arrays, keys = with_hands(clip, faces, arrays, listed, search.attributes)
            faces, arrays = listed.with_looks(faces, arrays)
        except (MediaError, *FAULTS) as fault:
            log.warning("a clip %s: %s", UNWORKABLE, type(fault).__name__)
            why = f"{UNWORKABLE}: {type(fault).__name__}"
            return Picture(search.path, sha256, key, why, none, medium="clip")
    note: dict[str, Any] = {"clip": survey.clip, "segments": list(keys)}
    picture = Picture(search.path, sha256, key, None, faces, "mp4", facts.upright_size, "clip")
    save_picture(search.store, picture, arrays, note)
    return picture
