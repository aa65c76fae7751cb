"""Who is seen together: two faces of one frame are two people."""

from collections.abc import Sequence
from itertools import combinations

from ksame.arrays import Ints


def meetings(spans: Sequence[Ints]) -> list[tuple[int, int]]:
    """Pairs of tracks, by their place, that have a detection in one and the same frame.

    ``spans`` are the frames in which each track was detected: where one is only supposed to be,
    the other may be the same face, found again.
    """
    seen = [set(frames.tolist()) for frames in spans]
    return [(i, j) for i, j in combinations(range(len(seen)), 2) if not seen[i].isdisjoint(seen[j])]
