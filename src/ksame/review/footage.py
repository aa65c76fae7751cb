"""The clips on the page: how long each track lasts, and where its face is in every frame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ksame.arrays import Floats
from ksame.release.clips.facts import load_facts
from ksame.release.find import FOUND, Album, Picture
from ksame.store import Store

if TYPE_CHECKING:
    from ksame.media.clips import ClipFacts

CHUNK: Final = 240  # frames whose boxes a tab asks for at a time: ten seconds
_TRACK: Final = ("frame", "xyxy", "cover")


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture to look at: a photo, or one frame of a clip whose facts are known."""

    path: Path = field(repr=False)
    facts: "ClipFacts | None" = field(default=None, repr=False)
    frame: int = 0


@dataclass(frozen=True, slots=True)
class Span:
    """The frames ``first`` to ``stop - 1`` of a track, and the one that its box is of."""

    first: int
    stop: int
    best: int


class Clips:
    """The clips of an album as the first stage kept them; photos have nothing here."""

    def __init__(self, store: Store, album: Album, before: Album) -> None:
        """``before`` is the album without corrections: dismissed tracks are in it alone."""
        self._store, self._album, self._before = store, album, before

    def facts(self, n: int) -> "ClipFacts | None":
        """The facts of a clip; None for a photo, or where the clip cannot be worked on."""
        picture = self._album.pictures[n]
        if not picture.moves or picture.failure is not None:
            return None
        return _facts(self._store, picture.key)

    def row(self, n: int) -> list[Any] | None:
        """What the page is told of a clip: frames, frames a second, and its cuts."""
        facts = self.facts(n)
        return None if facts is None else [facts.frames, float(facts.rate), list(facts.cuts)]

    def span(self, n: int, box: Sequence[float]) -> Span | None:
        """How long the track of a box lasts; None for a photo's face."""
        facts = self.facts(n)
        if facts is None:
            return None
        track = self._track(n, box)
        if track is None:  # dismissed before this review began: nothing of it was kept
            return Span(0, facts.frames, 0)
        first, stop = track["cover"].tolist()
        apart = np.abs(track["xyxy"] - np.array(box)).sum(axis=1)
        return Span(first, stop, int(track["frame"][apart.argmin()]))

    def boxes(self, n: int, box: Sequence[float], low: int, high: int) -> list[list[int] | None]:
        """Where a track's face is in each of some frames; None where it is not."""
        track = self._track(n, box)
        if track is None:
            return [[round(value) for value in box]] * (high - low)
        first, stop = track["cover"].tolist()
        frames = np.arange(low, high)
        sides: Floats = np.array([np.interp(frames, track["frame"], s) for s in track["xyxy"].T])
        rows = np.round(sides.T).astype(int).tolist()
        return [
            row if first <= frame < stop else None
            for frame, row in zip(frames.tolist(), rows, strict=True)
        ]

    def _track(self, n: int, box: Sequence[float]) -> Mapping[str, Any] | None:
        for picture in (self._album.pictures[n], self._before.pictures[n]):
            number = _number(picture, box)
            if number is not None:
                return _loaded(self._store, picture.key, number)
        return None


# the keys are digests, so nothing that is remembered is ever stale; every step asks again
@lru_cache(maxsize=256)
def _facts(store: Store, key: str) -> "ClipFacts":
    return load_facts(store, store.note(FOUND, key)["clip"])


@lru_cache(maxsize=4096)
def _loaded(store: Store, key: str, number: int) -> Mapping[str, Any]:
    return store.load(FOUND, key, f"{number}/", _TRACK)


def _number(picture: Picture, box: Sequence[float]) -> int | None:
    """The number of the track whose box it is."""
    own = tuple(box)
    boxes = picture.faces.xyxy.tolist()
    return next((i for i, one in enumerate(boxes) if tuple(one) == own), None)
