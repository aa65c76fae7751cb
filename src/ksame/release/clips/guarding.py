"""Tracks that are still known in the written clip are drawn anew, higher over the forehead.

As faces of photos are (``release.guarding``), with two differences. Faces of clips keep no hair in
front, so that what is left to be known by is the line where their hair begins: drawing over it
takes as much from recognisers as drawing the whole face wider, while a wider jaw takes nothing and
is seen by everybody. And a guard is the whole track's, or its face would change on the way.

What is compared is the mean of the finished frames, so that the choice is a function of the clip
and of its collection alone: neither the number of processes nor a kill in between changes it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ksame.arrays import Arrays
from ksame.release.clips.motion import WIDTHS, Motion
from ksame.release.guarding import GUARDS, guarded, known_faces
from ksame.release.orders import PhotoOrder
from ksame.render.numbers import FINE, MOST_OUTLINE

# steps by which the outline of a guarded track is drawn further out: forehead, temple, side, and
# the lower half, which stays; then the other side's. As high at the temples it would look square
_HIGHER: Final = {1: (9, 5, 1, 0, 0, 0, 0, 1, 5), 2: (13, 8, 2, 0, 0, 0, 0, 2, 8)}
_OUTLINE: Final = slice(sum(WIDTHS[:3]), sum(WIDTHS[:4]))
BARE: Final = GUARDS[-1]  # the guard of a track in front of which nothing is kept


def guarded_more(order: PhotoOrder, described: Arrays) -> PhotoOrder:
    """A clip's order with the guard of each track raised that is known; the same if none is.

    ``described`` are the clip's tracks as they were written for this order.
    """
    for number in known_faces(order, described):
        guard = next(face.guard for face in order.faces if face.number == number)
        if guard < GUARDS[-1]:
            order = guarded(order, (number,), guard + 1)
    return order


def within(order: PhotoOrder, found: Mapping[str, Any], start: int, stop: int) -> PhotoOrder:
    """The order of the frames ``start`` to ``stop - 1``: guards of tracks elsewhere are no matter.

    So a segment in which no guarded track is seen is not written again.
    """

    def seen(number: int) -> bool:
        first, last = found.get(f"{number}/cover", (start, stop))
        return bool(first < stop and last > start)

    away = [face.number for face in order.faces if face.guard and not seen(face.number)]
    return guarded(order, away, 0) if away else order


def raised(motion: Motion, guard: int) -> Motion:
    """The motion of a track with its outline as high as its guard asks for."""
    if not guard:
        return motion
    steps = motion.steps.copy()
    further = steps[:, _OUTLINE] + FINE * np.array(_HIGHER[guard])
    steps[:, _OUTLINE] = np.minimum(further, FINE * MOST_OUTLINE)
    return replace(motion, steps=steps)
