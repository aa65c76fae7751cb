"""One segment of a clip: every face of every frame, with landmarks, kept in the store.

A face is followed from frame to frame: its landmarks are looked for where they were, and where
they are found a face is held that the detector does not see for a moment. Identity, looks and light
are measured on a few good frames of each face.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ksame.arrays import Arrays, Floats, Image
from ksame.faces import Face, Faces
from ksame.geometry import iou
from ksame.release.clips.facts import load_facts
from ksame.release.clips.moments import Moments
from ksame.release.clips.turning import Turns
from ksame.release.clips.watching import DOUBTFUL, SURE, watched
from ksame.store import Store

if TYPE_CHECKING:
    from ksame.vision import Landmarks

FRAMES: Final = "frames"  # the kind under which the store keeps what a segment shows
FOLLOWED: Final = DOUBTFUL  # the score of a face that was followed and not detected
_GOOD: Final = 0.5  # of the landmark model's score
_SAME: Final = 0.3  # intersection over union of a face with where it was a frame before
_AGAIN: Final = 12  # frames until a face without landmarks is looked at from all sides again
_UNSEEN: Final = 12  # frames that a face is followed without being detected: landmarks drift
_OFF: Final = 0.12  # of a face's size, by which landmarks may be off the detector's five points
_OPINIONS: Final = 3  # opinions of each other network that are asked about a doubtful face
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


@dataclass
class _Held:
    """A face while it is followed through a segment."""

    number: int
    box: Floats
    marks: "Landmarks | None" = None
    missed: int = 0  # frames since landmarks were last looked for from all sides
    opinions: int = 0
    thirds: int = 0
    unseen: int = 0  # frames since the detector last saw it
    sure: bool = False  # whether a detection of it may begin a track
    faint: list[int] = field(default_factory=list)  # frames in which it was asked about as faint


def search_segment(search: SegmentSearch) -> str:
    """Search a segment, unless that was done before; returns the key of what was kept."""
    from ksame.media.clips import Segment, read_frames

    if search.store.note(FRAMES, search.key) is not None:
        return search.key
    facts = load_facts(search.store, search.clip)
    cuts = set(facts.cuts)
    rows, moments, turns = _Rows(), Moments(), Turns(float(facts.rate))
    held: list[_Held] = []
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
    held = _Held(moments.next_held(), np.zeros(4), missed=_AGAIN)
    for number, rgb, face in seen:
        marks, opinion = _marks(rgb, face, held)
        row = rows.add(number, face, marks, held.number, (opinion, np.nan))
        turns.see(rgb, number, row, face, marks)
        held.marks = marks if marks.score >= _GOOD else None
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
    before: list[_Held],
    found: Faces,
    kept: tuple[_Rows, Moments, Turns],
) -> list[_Held]:
    """One frame: faces found and faces followed; returns those that go on."""
    from ksame.vision import follow_landmarks

    rows, moments, turns = kept
    left = list(before)
    now: list[_Held] = []
    sure = np.flatnonzero(found.score >= SURE)
    for place, face in enumerate(found):
        one = _taken(left, face) or _Held(moments.next_held(), face.box, missed=_AGAIN)
        if one in left:
            left.remove(one)
        marks, opinion = _marks(rgb, face, one)
        one.box, one.unseen = face.box, 0
        third = _third(rgb, number, face, one)
        face = _confirmed(rgb, number, found[[*sure, place]], one)
        row = rows.add(number, face, marks, one.number, (opinion, third))
        turns.see(rgb, number, row, face, marks)
        if marks.score >= _GOOD:
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
        if marks.score < _GOOD or any(iou(_hull(marks), other.box) > _SAME for other in now):
            continue
        one.marks, one.box = marks, _hull(marks)
        face = Face(one.box, FOLLOWED, marks.five)
        row = rows.add(number, face, marks, one.number)
        turns.see(rgb, number, row, face, marks)
        moments.see(rgb, number, row, one.number, face, marks)
        now.append(one)
    return now


def _taken(held: list[_Held], face: Face) -> _Held | None:
    """The face of the frame before that this one goes on with."""
    if not held:
        return None
    shares = [float(iou(face.box, one.box)) for one in held]
    best = int(np.argmax(shares))
    return held[best] if shares[best] > _SAME else None


def _agrees(marks: "Landmarks", face: Face) -> bool:
    """Whether landmarks lie where the detector sees eyes, nose and mouth: followed, they drift."""
    apart = np.hypot(*(marks.five - face.points).T).mean()
    return bool(apart < _OFF * face.size)


def _hull(marks: "Landmarks") -> Floats:
    """The box of landmarks."""
    box: Floats = np.concatenate([marks.points.min(axis=0), marks.points.max(axis=0)])
    return box


def _marks(rgb: Image, face: Face, held: _Held) -> "tuple[Landmarks, float]":
    """Landmarks of a face, posed by its five points if need be, and a second opinion on it."""
    from ksame.codecs.face import FaceModel
    from ksame.release.styles.poses import on_face
    from ksame.render import rough_landmarks
    from ksame.vision import Landmarks, find_landmarks, follow_landmarks
    from ksame.vision.second_look import find_landmarks_again, second_opinion

    if held.marks is not None:
        followed = follow_landmarks(rgb, held.marks)
        if followed.score >= _GOOD and on_face(followed, face) and _agrees(followed, face):
            return followed, np.nan
    looks: list[Any] = [find_landmarks]
    held.missed += 1
    if held.missed >= _AGAIN and face.score > DOUBTFUL:
        looks.append(find_landmarks_again)
        held.missed = 0
    for look in looks:
        marks = look(rgb, face)
        if isinstance(marks, Landmarks) and on_face(marks, face):
            # what the second look accepts by agreement counts as found
            return (marks if marks.score >= _GOOD else _sure(marks)), np.nan
    opinion = np.nan
    if held.opinions < _OPINIONS:
        held.opinions += 1
        opinion = second_opinion(rgb, face)
    return rough_landmarks(FaceModel.load(), face), opinion


def _third(rgb: Image, frame: int, face: Face, held: _Held) -> float:
    """The third network's opinion on a face of which the detector is not sure, now and then."""
    from ksame.vision.second_look import SURE as CERTAIN
    from ksame.vision.second_look import third_opinion

    if held.thirds >= _OPINIONS or frame % _APART or not SURE <= face.score < CERTAIN:
        return np.nan
    held.thirds += 1
    return third_opinion(rgb, face)


def _confirmed(rgb: Image, frame: int, found: Faces, held: _Held) -> Face:
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


def _sure(marks: "Landmarks") -> "Landmarks":
    return replace(marks, score=_GOOD)
