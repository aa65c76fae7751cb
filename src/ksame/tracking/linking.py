"""Link the detections of a clip's frames to tracks: one face from its first frame to its last.

Two thresholds, in both directions of time: only a detection of which the detector is sure begins a
track, but a doubtful one that lies where a track goes on belongs to it, after its last sure frame
as well as before its first. So a face is held while it turns away or a hand passes over it.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ksame import geometry
from ksame.arrays import Floats, Ints
from ksame.errors import InputError


@dataclass(frozen=True)
class Limits:
    """When two detections are one face.

    Attributes
    ----------
    sure : float
        The score with which a detection may begin a track.
    patience : int
        Frames that a track may go without a detection.
    before : int
        Frames that may lie without one when a track is followed to before its first sure frame.
    overlap : float
        Intersection over union with where a track should be.
    reach : float
        Instead of overlapping: how far centres may be apart, in sides of the face.
    slack : float
        What is added to the reach for each frame without a detection, at most as much again.
    still : float
        Intersection over union of a doubtful detection with where a track was, after ``before``
        frames without one.
    ratio : float
        How many times larger or smaller a face may have become.
    """

    sure: float = 0.6
    patience: int = 25
    before: int = 5
    overlap: float = 0.25
    reach: float = 0.5
    slack: float = 0.03
    still: float = 0.5
    ratio: float = 1.8


USUAL: Final = Limits()


@dataclass
class _Track:
    """A track while it is followed: its detections so far, and how it moves."""

    number: int
    box: Floats
    frame: int
    speed: Floats = field(default_factory=lambda: np.zeros(2))

    def predicted(self, frame: int) -> Floats:
        """Where the face should be; motion is believed for a few frames alone."""
        ahead = float(np.clip(frame - self.frame, -3, 3))
        return self.box + np.tile(self.speed, 2) * ahead

    def take(self, box: Floats, frame: int) -> None:
        """Go on with a detection."""
        moved = (geometry.centre(box[None])[0] - geometry.centre(self.box[None])[0]) / max(
            abs(frame - self.frame), 1
        )
        self.speed = 0.5 * self.speed + 0.5 * moved * np.sign(frame - self.frame)
        self.box, self.frame = box, frame


def link(
    frame: Ints, xyxy: Floats, score: Floats, cuts: Collection[int] = (), limits: Limits = USUAL
) -> Ints:
    """The number of the track of each detection, -1 for none.

    Guarantees: no track has two detections in one frame, none goes over a cut, and between two
    detections of a track lie at most ``limits.patience`` frames without one. Tracks are numbered
    by their first sure frame.

    Parameters
    ----------
    frame : (n,) ints
        The frame of each detection, ascending.
    xyxy, score : (n, 4) and (n,) arrays
    cuts : ints
        The first frame of every shot but the first.
    """
    frames, boxes, scores = np.asarray(frame, np.int64), np.asarray(xyxy), np.asarray(score)
    if len(frames) != len(boxes) or len(frames) != len(scores) or (np.diff(frames) < 0).any():
        raise InputError("detections need one frame, box and score each, in the order of frames")
    labels = np.full(len(frames), -1, np.int64)
    if not len(frames):
        return labels
    shots = _shots(frames, cuts)
    count = 0
    for shot in np.unique(shots):
        rows = np.flatnonzero(shots == shot)
        own, found = _link_shot(frames[rows], boxes[rows], scores[rows], limits)
        labels[rows] = np.where(own >= 0, own + count, -1)
        count += found
    return labels


def _shots(frames: Ints, cuts: Collection[int]) -> Ints:
    """The number of the shot that each detection lies in."""
    return np.searchsorted(np.array(sorted(cuts), np.int64), frames, side="right")


def _link_shot(frames: Ints, boxes: Floats, scores: Floats, limits: Limits) -> tuple[Ints, int]:
    """Link the detections between two cuts; the labels, and how many tracks there are."""
    labels = np.full(len(frames), -1, np.int64)
    active: list[_Track] = []
    starts: list[_Track] = []
    by_frame = _rows_of(frames)
    for now, rows in by_frame.items():
        active = [track for track in active if now - track.frame <= limits.patience + 1]
        sure = rows[scores[rows] >= limits.sure]
        rest = rows[scores[rows] < limits.sure]
        free = _match(active, sure, boxes, now, labels, limits)
        _match(free, rest, boxes, now, labels, limits, doubtful=True)
        for row in sure[labels[sure] < 0]:
            track = _Track(len(starts), boxes[row], now)
            labels[row] = track.number
            active.append(track)
            starts.append(_Track(track.number, boxes[row], now))
    _follow_back(starts, by_frame, boxes, labels, limits)
    return labels, len(starts)


def _rows_of(frames: Ints) -> dict[int, Ints]:
    """The detections of each frame that has some, in the order of frames."""
    values, first = np.unique(frames, return_index=True)
    rows = np.split(np.arange(len(frames)), first[1:])
    return dict(zip(values.tolist(), rows, strict=True))


def _follow_back(
    starts: list[_Track], by_frame: dict[int, Ints], boxes: Floats, labels: Ints, limits: Limits
) -> None:
    """Give tracks the doubtful detections before their first sure one, in place."""
    for track in starts:
        now = track.frame - 1
        while track.frame - now <= limits.before + 1 and now >= 0:
            rows = by_frame.get(now, np.zeros(0, np.int64))
            _match([track], rows[labels[rows] < 0], boxes, now, labels, limits, doubtful=True)
            now -= 1


def _match(
    tracks: list[_Track],
    rows: Ints,
    boxes: Floats,
    now: int,
    labels: Ints,
    limits: Limits,
    *,
    doubtful: bool = False,
) -> list[_Track]:
    """Give each track its nearest detection, the closest pairs first; returns those left free.

    After a longer pause a doubtful detection must lie where the track was: in a crowd it is
    somebody else's otherwise.
    """
    if not tracks or not len(rows):
        return list(tracks)
    near = np.stack([_nearness(track, boxes[rows], now, limits) for track in tracks])
    if doubtful:
        for t, track in enumerate(tracks):
            if abs(now - track.frame) > limits.before + 1:
                near[t, geometry.iou(track.box, boxes[rows]) < limits.still] = 0
    free = list(tracks)
    while near.size and near.max() > 0:
        t, r = map(int, np.unravel_index(int(near.argmax()), near.shape))
        labels[rows[r]] = tracks[t].number
        tracks[t].take(boxes[rows[r]], now)
        free.remove(tracks[t])
        near[t, :] = 0
        near[:, r] = 0
    return free


def _nearness(track: _Track, boxes: Floats, now: int, limits: Limits) -> Floats:
    """How well each box continues a track; 0 where it cannot."""
    where = track.predicted(now)
    shared = geometry.intersection(where, boxes)
    areas, own = geometry.area(boxes), float(geometry.area(where[None])[0])
    overlap = shared / np.maximum(areas + own - shared, 1e-9)
    apart = np.linalg.norm(geometry.centre(boxes) - geometry.centre(where[None]), axis=1)
    sides = np.sqrt(np.maximum(areas, 1e-9))
    side = np.sqrt(max(own, 1e-9))
    waited = limits.slack * max(abs(now - track.frame) - 1, 0)
    reach = limits.reach + min(waited, limits.reach)
    near = np.maximum(1 - apart / (np.maximum(sides, side) * reach), 0)
    alike = np.maximum(sides, side) <= limits.ratio * np.minimum(sides, side)
    able = ((overlap >= limits.overlap) | (near > 0)) & alike
    return np.where(able, overlap + 0.1 * near + 1e-6, 0.0)
