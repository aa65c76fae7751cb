"""Tracks of original and released clips: an attacker averages the good frames of each.

A ledger tells where the tracks are. Without one the faces of the original are tracked anew, and the
track seen longest is the person. A released clip is looked at in the very frames in which its
original was: it has to have the same frames.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ksame.arrays import Floats, Image, Ints
from ksame.attacks.glimpses import (
    Glimpse,
    Place,
    choose_face,
    glimpse_original,
    glimpse_released,
    scaled,
)
from ksame.attacks.sightings import sight
from ksame.errors import MediaError
from ksame.geometry import iou
from ksame.tracking import Limits, link
from ksame.vision import Face, find_faces

if TYPE_CHECKING:
    from ksame.attacks.photos import Original, Released
    from ksame.media.clips import ClipFacts

GOOD: Final = 8  # frames of a track that are averaged: more change its mean little
_TRIED: Final = 16  # frames of a track that are looked at; the better half of them is averaged
_A_SECOND: Final = 10  # frames that are searched where tracks are not known: nobody jumps in 0.1 s
_PATIENCE: Final = 10  # of these frames that a track may go without a detection: a second


@dataclass(frozen=True)
class Track:
    """Where a face is over time: its frames, and its box (xyxy) in each of them."""

    frames: Ints = field(repr=False)
    boxes: Floats = field(repr=False)

    def some(self, count: int) -> Track:
        """So many of its frames, evenly spaced."""
        rows = np.unique(np.linspace(0, len(self.frames) - 1, count).round().astype(np.intp))
        return Track(self.frames[rows], self.boxes[rows])


def ledger_track(face: Mapping[str, Any]) -> Track | None:
    """The track of a ledger's face; None where the face is a photo's."""
    told = (face.get("numbers") or {}).get("track")
    if told is None:
        return None
    count = int(told["frames"])
    data = zlib.decompress(base64.b64decode(told["steps"]))
    rows = np.cumsum(np.frombuffer(data, "<i4").reshape(-1, count).T.astype(np.int64), axis=0)
    # the last four columns are the box of the face that was found
    return Track(int(told["first"]) + np.arange(count), rows[:, -4:].astype(np.float64))


def see_originals(path: Path, wanted: Sequence[Original], look: bool) -> list[list[Glimpse]]:
    """The good frames of each wanted track, the best first; none where it cannot be seen."""
    facts = _facts(path)
    if facts is None:
        return [[] for _ in wanted]
    tracks = [one.track for one in wanted]
    if any(track is None for track in tracks):
        anew = track_anew(path, facts)
        tracks = [one.track or _meant(anew, one.box) for one in wanted]
    seen: list[list[Glimpse]] = [[] for _ in wanted]
    due = _due([None if t is None else t.some(_TRIED) for t in tracks])
    for frame, rgb, faces in _looked_at(path, facts, due):
        for number, box in due[frame]:
            face = choose_face(faces, box.tolist())
            if face is not None:
                found = glimpse_original(rgb, face, False, frame)
                seen[number].append(_sighted(found, rgb, face, seen[number], look))
    return [_best(many) for many in seen]


def see_released(
    path: Path,
    wanted: Sequence[tuple[Released, Sequence[Place]]],
    look: bool,
) -> list[list[Glimpse]]:
    """Each wanted track in the frames of its original's places, by its own points.

    Frames in which no detector finds the face count only where none of them shows it: there the
    face is placed by its original's landmarks. Without places the track of the ledger is looked
    at, or the one seen longest.
    """
    facts = _facts(path)
    if facts is None:
        return [[] for _ in wanted]
    places: dict[tuple[int, int], Place] = {}
    tracks: list[Track | None] = []
    for number, (one, known) in enumerate(wanted):
        places |= {(number, place.frame): place for place in known}
        if known:
            track: Track | None = Track(
                np.array([p.frame for p in known]), np.stack([p.box for p in known])
            )
        else:
            track = one.track or _meant(track_anew(path, facts), one.box)
        tracks.append(None if track is None else track.some(_TRIED))
    seen: list[list[Glimpse]] = [[] for _ in wanted]
    due = _due(tracks)
    for frame, rgb, faces in _looked_at(path, facts, due):
        for number, box in due[frame]:
            place = places.get((number, frame))
            there = None if place is None else scaled(place, rgb.shape[:2])
            found = glimpse_released(rgb, faces, box.tolist(), there, look and not seen[number])
            if found is not None:
                seen[number].append(found)
    shown = [[one for one in many if not one.hidden] or many for many in seen]
    return [_with_sight(_best(some), many) for some, many in zip(shown, seen, strict=True)]


def track_anew(path: Path, facts: ClipFacts) -> list[Track]:
    """The tracks of a clip, the one with most detections first."""
    from ksame.media.clips import read_frames

    step = max(round(float(facts.rate) / _A_SECOND), 1)
    frames: list[int] = []
    faces: list[Face] = []
    for number, rgb in enumerate(read_frames(path, facts)):
        if number % step == 0:
            found = list(find_faces(rgb, turned=False))
            frames += [number] * len(found)
            faces += found
    if not faces:
        return []
    at = np.array(frames, np.int64)
    boxes = np.stack([face.box for face in faces])
    scores = np.array([face.score for face in faces])
    cuts = [-(-cut // step) for cut in facts.cuts]
    labels = link(at // step, boxes, scores, cuts, Limits(patience=_PATIENCE))
    tracks = [
        Track(at[labels == label], boxes[labels == label])
        for label in np.unique(labels[labels >= 0])
    ]
    return sorted(tracks, key=lambda track: -len(track.frames))


def _facts(path: Path) -> ClipFacts | None:
    """What a clip is; None where it cannot be read: its faces count as missed."""
    from ksame.media.clips import read_facts

    try:
        return read_facts(path)
    except MediaError:
        return None


def _meant(tracks: Sequence[Track], box: Sequence[float] | None) -> Track | None:
    """The track that passes a box, or the one seen longest."""
    if not tracks or box is None:
        return tracks[0] if tracks else None
    where = np.asarray(box, np.float64)
    return max(tracks, key=lambda track: float(iou(track.boxes, where).max()))


def _due(tracks: Sequence[Track | None]) -> dict[int, list[tuple[int, Floats]]]:
    """Which tracks are looked at in which frame, and where."""
    due: dict[int, list[tuple[int, Floats]]] = {}
    for number, track in enumerate(tracks):
        if track is not None:
            for frame, box in zip(track.frames.tolist(), track.boxes, strict=True):
                due.setdefault(frame, []).append((number, box))
    return due


def _looked_at(
    path: Path, facts: ClipFacts, due: Mapping[int, Any]
) -> Iterator[tuple[int, Image, list[Face]]]:
    """The frames in which something is due, with their faces."""
    from ksame.media.clips import read_frames

    last = max(due, default=-1)
    for frame, rgb in enumerate(read_frames(path, facts)):
        if frame > last:
            return
        if frame in due:
            yield frame, rgb, list(find_faces(rgb, turned=False))


def _sighted(
    found: Glimpse, rgb: Image, face: Face, before: Sequence[Glimpse], look: bool
) -> Glimpse:
    """With what is seen of the face as it lies, where it is better than all before."""
    if not look or any(one.score >= found.score for one in before):
        return found
    return replace(found, sighted=sight(rgb, face))


def _best(many: Sequence[Glimpse]) -> list[Glimpse]:
    """The good frames of a track: those of which the detector is surest, the best first."""
    return sorted(many, key=lambda one: (-one.score, one.place.frame))[:GOOD]


def _with_sight(some: list[Glimpse], many: Sequence[Glimpse]) -> list[Glimpse]:
    """The first one with what was seen in the first frame that was looked at."""
    told = next((one.sighted for one in many if one.sighted is not None), None)
    return [replace(some[0], sighted=told), *some[1:]] if some else some
