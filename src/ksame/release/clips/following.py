"""Landmarks of a face from frame to frame: followed where they were, or looked for anew."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ksame.arrays import Floats, Image
from ksame.faces import Face
from ksame.release.clips.watching import DOUBTFUL

if TYPE_CHECKING:
    from ksame.vision import Landmarks

GOOD: Final = 0.5  # of the landmark model's score
AGAIN: Final = 12  # frames until a face without landmarks is looked at from all sides again
OPINIONS: Final = 3  # opinions of each other network that are asked about a doubtful face
_OFF: Final = 0.12  # of a face's size, by which landmarks may be off the detector's five points
_TILTED: Final = (
    0.25  # radians of roll by which these must differ for the points to be the wrong ones
)
_SEEKS: Final = 6  # looks in which a head that is tilted by 70 degrees becomes upright
_SURE: Final = 0.9  # of the landmark model's score, where landmarks must have come to rest
_AT_REST: Final = 0.04  # of a face's size, by which they still move then


@dataclass
class Held:
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


def marks_of(rgb: Image, face: Face, held: Held) -> "tuple[Landmarks, float]":
    """Landmarks of a face, posed by its five points if need be, and a second opinion on it."""
    from ksame.codecs.face import FaceModel
    from ksame.release.styles.poses import on_face
    from ksame.render import rough_landmarks
    from ksame.vision import Landmarks, find_landmarks, follow_landmarks
    from ksame.vision.second_look import find_landmarks_again, second_opinion

    if held.marks is not None:
        followed = follow_landmarks(rgb, held.marks)
        lies_there = followed.score >= GOOD and on_face(followed, face)
        if lies_there and (_agrees(followed, face) or _found_anew(rgb, face, followed)):
            return followed, np.nan
    looks: list[Any] = [find_landmarks]
    held.missed += 1
    if held.missed >= AGAIN and face.score > DOUBTFUL:
        looks += [_sought, find_landmarks_again]
        held.missed = 0
    for look in looks:
        marks = look(rgb, face)
        if isinstance(marks, Landmarks) and on_face(marks, face):
            # what the second look accepts by agreement counts as found
            return (marks if marks.score >= GOOD else _sure(marks)), np.nan
    opinion = np.nan
    if held.opinions < OPINIONS:
        held.opinions += 1
        opinion = second_opinion(rgb, face)
    return rough_landmarks(FaceModel.load(), face), opinion


def _found_anew(rgb: Image, face: Face, followed: "Landmarks") -> bool:
    """Whether landmarks that are off the five points of a tilted head are right all the same.

    The detector knows upright faces: of a head that is tilted by forty degrees its points may tell
    ten. Where it sees the face, turned as the landmarks say, these are looked for as if nothing was
    known of them; what has drifted is not found there again.
    """
    from ksame.vision import Landmarks, find_landmarks

    turn = _roll(followed.five) - _roll(face.points)
    turn = float((turn + np.pi) % (2 * np.pi) - np.pi)
    if abs(turn) < _TILTED:
        return False
    cos, sin = np.cos(turn), np.sin(turn)
    middle = (face.box[:2] + face.box[2:]) / 2
    points = middle + (face.points - middle) @ np.array([[cos, sin], [-sin, cos]])
    found = find_landmarks(rgb, replace(face, points=points), min_score=GOOD)
    return isinstance(found, Landmarks) and _off(found.five, followed.five, face) < _OFF


def _sought(rgb: Image, face: Face) -> "Landmarks | None":
    """Landmarks of a tilted head: each look shows it a little more upright than the one before.

    The first ones are those of a face that is turned as the five points say, whatever their score.
    They count where they come to rest. Only a face of which the detector is sure is looked at so:
    a hand would become one, too.
    """
    from ksame.vision import Landmarks, find_landmarks, follow_landmarks
    from ksame.vision.second_look import SURE as CERTAIN

    found = find_landmarks(rgb, face, min_score=0.0) if face.score >= CERTAIN else None
    if not isinstance(found, Landmarks):
        return None
    for _ in range(_SEEKS):
        before, found = found, follow_landmarks(rgb, found)
        if found.score >= _SURE and _off(found.five, before.five, face) < _AT_REST:
            return found
    return None


def _roll(five: Floats) -> float:
    """The angle of the line from the right eye to the left one."""
    across = five[1] - five[0]
    return float(np.arctan2(across[1], across[0]))


def _off(one: Floats, other: Floats, face: Face) -> float:
    """How far five points lie from others, as a share of the face's size."""
    return float(np.hypot(*(one - other).T).mean()) / face.size


def _agrees(marks: "Landmarks", face: Face) -> bool:
    """Whether landmarks lie where the detector sees eyes, nose and mouth: followed, they drift."""
    return _off(marks.five, face.points, face) < _OFF


def _sure(marks: "Landmarks") -> "Landmarks":
    return replace(marks, score=GOOD)
