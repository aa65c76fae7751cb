"""Which frames a track covers: all between its first and its last detection, and a few around."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ksame.arrays import Ints


@dataclass(frozen=True)
class Cover:
    """The frames ``first`` to ``stop`` (exclusive) of one track, in none of which it is left out.

    ``rows`` are its detections, in the order of frames.
    """

    track: int
    first: int
    stop: int
    rows: Ints

    def __len__(self) -> int:
        return self.stop - self.first


def cover(
    frame: Ints,
    labels: Ints,
    count: int,
    cuts: Collection[int] = (),
    beyond: int = 0,
    to_cut: int = 0,
) -> list[Cover]:
    """The frames that each track covers, without a gap.

    Parameters
    ----------
    frame, labels : (n,) ints
        The detections' frames and tracks, as `ksame.tracking.link` gives them.
    count : int
        The clip's number of frames.
    beyond : int
        Frames before the first and after the last detection that are covered too: a face can be
        seen for a moment before a detector sees it. Never over a cut.
    to_cut : int
        The same of a track with no more frames than these to the begin or the end of its shot: who
        is seen as soon as a shot begins was there before, in the dark or turned away.
    """
    borders = np.array([0, *sorted(cuts), count], np.int64)
    found = []
    for track in range(int(labels.max(initial=-1)) + 1):
        rows = np.flatnonzero(labels == track)
        first, last = int(frame[rows[0]]), int(frame[rows[-1]])
        shot = int(np.searchsorted(borders, first, side="right"))
        start, end = int(borders[shot - 1]), int(borders[min(shot, len(borders) - 1)])
        before = to_cut if first - start <= to_cut else beyond
        after = to_cut if end - 1 - last <= to_cut else beyond
        found.append(Cover(track, max(first - before, start), min(last + 1 + after, end), rows))
    return found
