"""One segment of a clip: every face of every frame, with landmarks, kept in the store.

A face is followed from frame to frame: its landmarks are looked for where they were, and where
they are found a face is held that the detector does not see for a moment. Identity, looks and light
are measured on a few good frames of each face.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from ksame.arrays import Arrays, Floats, Image
from ksame.faces import Face, Faces
from ksame.geometry import iou
from ksame.release.clips.facts import load_facts
from ksame.release.clips.following import AGAIN, GOOD, OPINIONS, Held, marks_of
from ksame.release.clips.moments import Moments
from ksame.release.clips.turning import Turns
from ksame.release.clips.watching import DOUBTFUL, SURE, watched
from ksame.store import Store

if TYPE_CHECKING:
    from ksame.vision import Landmarks

FRAMES: Final = "frames"  # the kind under which the store keeps what a segment shows
FOLLOWED: Final = DOUBTFUL  # the score of a face that was followed and not detected
_SAME: Final = 0.3  # intersection over union of a face with where it was a frame before
_UNSEEN: Final = 12  # frames that a face is followed without being detected: landmarks drift
_APART: Final = 2  # frames between those in which the third network may be asked
_FAINT_APART: Final = 5  # the same, about a face of which the detector was never sure
_FAINT_ASKED: Final = 6  # ... and how often in a segment


@dataclass(frozen=True, slots=True)
class SegmentSearch:
    """The order to search the frames ``start`` to ``stop - 1`` of a clip."""

    path: Path = field(repr=False)
    store: Store
    clip: str  # the clip's facts lie in the store under this
    key: str
    start: int
    stop: int
    detector: str = "yunet"

    @property
    def steps(self) -> int:
        """What it counts for in the progress: frames."""
        return self.stop - self.start


def search_segment(search: SegmentSearch) -> str:
    """Search a segment, unless that was done before; returns the key of what was kept."""
    from ksame.media.clips import Segment, read_frames

    if search.store.note(FRAMES, search.key) is not None:
        return search.key
    facts = load_facts(search.store, search.clip)
    cuts = set(facts.cuts)
    rows, moments, turns = _Rows(), Moments(), Turns(float(facts.rate))
    held: list[Held] = []
    levels: list[int] = []
    frames = read_frames(search.path, facts, Segment(search.start, search.stop))
    for seen in watched(frames, search.start, cuts, search.detector):
        before = [] if seen.number in cuts else held
        held = _step(seen.rgb, seen.number, before, seen.faces, (rows, moments, turns))
        levels.append(seen.level)
    arrays = rows.as_arrays() | moments.as_arrays() | turns.as_arrays()
    arrays["level"] = np.array(levels, np.int64)
    search.store.save(FRAMES, search.key, arrays, True)
    return search.key


def search_along(seen: Iterable[tuple[int, Image, Face]], rate: float) -> Arrays:
    """What `search_segment` keeps, of one face whose place in every frame a person told."""
    rows, moments, turns = _Rows(), Moments(), Turns(rate)
    held = Held(moments.next_held(), np.zeros(4), missed=AGAIN)
    for number, rgb, face in seen:
        marks, opinion = marks_of(rgb, face, held)
        row = rows.add(number, face, marks, held.number, (opinion, np.nan))
        turns.see(rgb, number, row, face, marks)
        held.marks = marks if marks.score >= GOOD else None
        if held.marks is not None:
            moments.see(rgb, number, row, held.number, face, marks)
    return rows.as_arrays() | moments.as_arrays() | turns.as_arrays()


@dataclass
class _Rows:
    """Detections as they are found, frame after frame."""

    frame: list[int] = field(default_factory=list)
    face: list[Face] = field(default_factory=list)
    mesh: list[Floats] = field(default_factory=list)
    mesh_score: list[float] = field(default_factory=list)
    opinion: list[float] = field(default_factory=list)
    third: list[float] = field(default_factory=list)
    held: list[int] = field(default_factory=list)

    def add(
        self,
        frame: int,
        face: Face,
        marks: "Landmarks",
        held: int,
        opinions: tuple[float, float] = (np.nan, np.nan),
    ) -> int:
        """Note one detection with the other networks' opinions; returns its number."""
        self.frame.append(frame)
        self.face.append(face)
        self.mesh.append(np.column_stack([marks.points, marks.depth]).astype(np.float32))
        self.mesh_score.append(marks.score)
        self.opinion.append(opinions[0])
        self.third.append(opinions[1])
        self.held.append(held)
        return len(self.frame) - 1

    def as_arrays(self) -> Arrays:
        """Parallel arrays, one row a detection."""
        count = len(self.frame)
        return {
            "frame": np.array(self.frame, np.int64),
            "xyxy": np.array([face.box for face in self.face], np.float64).reshape(count, 4),
            "points": np.array([f.points for f in self.face], np.float64).reshape(count, 5, 2),
            "score": np.array([face.score for face in self.face], np.float64),
            "mesh": np.array(self.mesh, np.float32).reshape(count, 478, 3),
            "mesh_score": np.array(self.mesh_score, np.float64),
            "opinion": np.array(self.opinion, np.float64),
            "third": np.array(self.third, np.float64),
        }


def _step(
    rgb: Image,
    number: int,
    before: list[Held],
    found: Faces,
    kept: tuple[_Rows, Moments, Turns],
) -> list[Held]:
    """One frame: faces found and faces followed; returns those that go on."""
    from ksame.vision import follow_landmarks

    rows, moments, turns = kept
    left = list(before)
    now: list[Held] = []
    sure = np.flatnonzero(found.score >= SURE)
    for place, face in enumerate(found):
        one = _taken(left, face) or Held(moments.next_held(), face.box, missed=AGAIN)
        if one in left:
            left.remove(one)
        marks, opinion = marks_of(rgb, face, one)
        one.box, one.unseen = face.box, 0
        third = _third(rgb, number, face, one)
        face = _confirmed(rgb, number, found[[*sure, place]], one)
        row = rows.add(number, face, marks, one.number, (opinion, third))
        turns.see(rgb, number, row, face, marks)
        if marks.score >= GOOD:
            one.marks = marks
            moments.see(rgb, number, row, one.number, face, marks)
        else:
            one.marks = None
        now.append(one)
    for one in left:
        one.unseen += 1
        if one.marks is None or one.unseen > _UNSEEN:
            continue
        marks = follow_landmarks(rgb, one.marks)
        if marks.score < GOOD or any(iou(_hull(marks), other.box) > _SAME for other in now):
            continue
        one.marks, one.box = marks, _hull(marks)
        face = Face(one.box, FOLLOWED, marks.five)
        row = rows.add(number, face, marks, one.number)
        turns.see(rgb, number, row, face, marks)
        moments.see(rgb, number, row, one.number, face, marks)
        now.append(one)
    return now


def _taken(held: list[Held], face: Face) -> Held | None:
    """The face of the frame before that this one goes on with."""
    if not held:
        return None
    shares = [float(iou(face.box, one.box)) for one in held]
    best = int(np.argmax(shares))
    return held[best] if shares[best] > _SAME else None


def _hull(marks: "Landmarks") -> Floats:
    """The box of landmarks."""
    box: Floats = np.concatenate([marks.points.min(axis=0), marks.points.max(axis=0)])
    return box


def _third(rgb: Image, frame: int, face: Face, held: Held) -> float:
    """The third network's opinion on a face of which the detector is not sure, now and then."""
    from ksame.vision.second_look import SURE as CERTAIN
    from ksame.vision.second_look import third_opinion

    if held.thirds >= OPINIONS or frame % _APART or not SURE <= face.score < CERTAIN:
        return np.nan
    held.thirds += 1
    return third_opinion(rgb, face)


def _confirmed(rgb: Image, frame: int, found: Faces, held: Held) -> Face:
    """The last of some faces, as a sure one where it is faint and CenterFace sees it too.

    As in photos; the others are the sure ones of the frame. One such frame is enough: it begins
    a track, which doubtful detections go on with, back and ahead.
    """
    from ksame.vision.faint import confirmed

    face = found[-1]
    held.sure |= face.score >= SURE
    due = not held.faint or frame - held.faint[-1] >= _FAINT_APART
    if held.sure or not due or len(held.faint) == _FAINT_ASKED:
        return face
    held.faint.append(frame)
    kept = confirmed(rgb, found, SURE)
    held.sure = len(kept) == len(found)
    return kept[-1] if held.sure else face
