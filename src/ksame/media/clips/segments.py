"""Units of work: runs of frames that are encoded on their own and joined as they are."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from ksame.media.clips.facts import ClipFacts

SHORTEST = 2.0
"""Seconds: a segment is not ended by a cut or a key frame before it is this long."""

LONGEST = 8.0
"""Seconds: a segment is ended here even between key frames, so that work can be shared out."""

PARTS = 4
"""Segments that a short clip is divided into at least, for the same reason, unless they would be
shorter than `LEAST`."""

LEAST = 1.75
"""Seconds: what a segment begins with, a key frame and a thorough look, is worth it from here."""

WORTH_DECODING = 30.0
"""Seconds of frames that may be decoded in vain to begin a segment between key frames."""


@dataclass(frozen=True, order=True)
class Segment:
    """Frames ``start`` to ``stop - 1`` of a clip."""

    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


def split(facts: ClipFacts, cuts: Iterable[int] = ()) -> list[Segment]:
    """The segments of a clip, in order; together they hold every frame once.

    They begin at cuts and at the source's key frames, where decoding is cheapest. The split is a
    function of the facts and the cuts alone, never of the machine: segments are encoded apart,
    so where they begin is part of the bytes.

    Parameters
    ----------
    facts : ClipFacts
    cuts : iterable of int
        Numbers of frames at which a new shot begins, beside those in the facts.
    """
    natural = {frame for frame in (*facts.keys, *facts.cuts, *cuts) if 0 < frame < facts.frames}
    longest = min(max(facts.seconds / PARTS, LEAST), LONGEST)
    # the last one is not much shorter than the others
    longest = facts.seconds / max(round(facts.seconds / longest), 1)
    bounds = [0]
    for frame in range(1, facts.frames):
        seconds = facts.seconds_at(frame) - facts.seconds_at(bounds[-1])
        left = facts.seconds - facts.seconds_at(frame)
        if (frame in natural and seconds >= SHORTEST) or (
            seconds >= longest and left >= longest / 2 and _reachable(facts, frame)
        ):
            bounds.append(frame)
    bounds.append(facts.frames)
    return [Segment(start, stop) for start, stop in pairwise(bounds)]


def _reachable(facts: ClipFacts, frame: int) -> bool:
    """Whether the frame can be decoded without decoding too much before it."""
    key = facts.keys[max(bisect_right(facts.keys, frame) - 1, 0)] if facts.seekable else 0
    return facts.seconds_at(frame) - facts.seconds_at(key) <= WORTH_DECODING
