"""The tracks of a clip as a recogniser sees them, before and after: means over some frames.

This is the attacker who averages a whole track.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from ksame.arrays import Floats, Image
from ksame.release.clips.packing import unpacked
from ksame.release.last_look import face_at

SAMPLED: Final = 8  # frames of a track that are described: more change its mean little


@dataclass(frozen=True, slots=True)
class ClipPair:
    """A clip before and after, and where its tracks are: the frame and box of each sample."""

    original: Path = field(repr=False)
    released: Path
    tracks: tuple[tuple[tuple[int, tuple[float, ...]], ...], ...] = field(repr=False)
    recogniser: str
    max_pixels: int


def sampled(track: dict[str, Any]) -> tuple[tuple[int, tuple[float, ...]], ...]:
    """Frames, evenly spaced, and the boxes of a track of the ledger in them."""
    rows = unpacked(track)
    places = np.unique(np.linspace(0, len(rows) - 1, SAMPLED).round().astype(int)).tolist()
    first = int(track["first"])
    return tuple((first + at, tuple(map(float, rows[at, -4:]))) for at in places)


def describe_clips(pair: ClipPair) -> tuple[Floats, Floats]:
    """Embeddings (unit rows) of the tracks of one clip, before and after."""
    from ksame.vision import embed_dlib, embed_sface

    embed = {"sface": embed_sface, "dlib": embed_dlib}[pair.recogniser]
    before, after = (_described(path, pair, embed) for path in (pair.original, pair.released))
    return before, after


def described_tracks(path: Path, pair: ClipPair) -> Floats:
    """Embeddings of the tracks in one of the two files, by the recogniser that tells people."""
    from ksame.vision import embed_sface

    return _described(path, pair, embed_sface)


def _described(path: Path, pair: ClipPair, embed: Callable[..., Any]) -> Floats:
    from ksame.media.clips import read_facts, read_frames
    from ksame.vision import find_faces

    wanted: dict[int, list[tuple[int, tuple[float, ...]]]] = {}
    for number, samples in enumerate(pair.tracks):
        for frame, box in samples:
            wanted.setdefault(frame, []).append((number, box))
    rows: list[list[Floats]] = [[] for _ in pair.tracks]
    facts = read_facts(path, pair.max_pixels)
    for frame, rgb in enumerate(read_frames(path, facts)):
        if frame not in wanted:
            continue
        found = find_faces(rgb, turned=False)
        for number, box in wanted[frame]:
            if (face := face_at(found, box)) is not None:
                rows[number].append(_embedded(embed, rgb, face))
    return means(rows)


def _embedded(embed: Callable[..., Any], rgb: Image, face: Any) -> Floats:
    return np.asarray(embed(rgb, face), np.float64)


def means(rows: Sequence[Sequence[Floats]]) -> Floats:
    """The unit mean of each list of vectors; NaN for an empty one."""
    width = next((len(many[0]) for many in rows if many), 1)
    found = []
    for many in rows:
        mean = np.mean(many, axis=0) if many else np.full(width, np.nan)
        found.append(mean / max(float(np.linalg.norm(mean)), 1e-12) if many else mean)
    return np.stack(found)
