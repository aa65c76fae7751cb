"""What lies in front of the faces of a segment: hands, microphones, cups, masks.

A network tells the parts of each head twice a second, within an eighth of a second where something
about the head changes, and in every frame while something is in front. It glances first: a look
at half the resolution costs a quarter, and most faces have nothing in front.
Its answer lies in a tile that moves with the face's own smooth pose, so that it is carried on
between two looks, and mixed with the one before, so that its edges do not flicker.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32, Image
from ksame.render import Front, Rendered
from ksame.render.front import held_mask
from ksame.vision.glances import on_face, quick_glances
from ksame.vision.parts import BODY_SKIN, CLOTHES, FACE_SKIN, HAIR, THINGS, Parts, find_parts, tile
from ksame.vision.sampling import sample

EVERY: Final = 3  # frames after which a head that changes is looked at again
LONGEST: Final = 12  # ... and one that does not
_CHANGE: Final = 18.0  # grey levels of a cell of a coarse picture: a hand that comes, not a word
_CELLS: Final = 12  # of the sides of that picture
_FACE: Final = np.s_[3:9, 3:9]  # its cells that show the face: what moves behind it does not count
_SIDE: Final = 96  # px of a tile: as fine as the bitmaps that are made of it
_NEW: Final = 0.6  # weight of a new answer beside the one before
_LARGE: Final = 48.0  # px of the landmarks' extent: of smaller faces nobody sees what is in front
# A texel that may show a hand or a thing, and the share of a face's texels from which on it is
# looked at closely: of 152 looks at ten clips, where a close one sees something on .03 of a face or
# more (14) the glance has .08 at least, and of all others eight have .04
_DOUBTFUL, _SUSPECT = 0.25, 0.04


@dataclass
class _Seen:
    """The last answer about one face."""

    scores: Floats32 = field(repr=False)
    frame: int
    coarse: Floats32 = field(repr=False)  # the head when the network looked at it
    something: bool  # whether anything may be in front of the face
    held: bool = False  # whether something was in front when it was last drawn


class Fronts:
    """Looks at the frames of one segment in their order; begins anew with each segment."""

    def __init__(self) -> None:
        self._seen: dict[int, _Seen] = {}
        self._places: dict[int, Floats] = {}

    def look(self, rgb: Image, frame: int, faces: dict[int, Floats]) -> None:
        """Take notice of a frame; ``faces`` are the landmarks (n, 2) of each face that is shown."""
        large = {n: marks for n, marks in faces.items() if np.ptp(marks, axis=0).max() >= _LARGE}
        self._places = large
        # who left the picture is forgotten
        self._seen = {n: seen for n, seen in self._seen.items() if n in large}
        due = [n for n in large if self._is_due(n, frame, rgb)]
        # one look tells several faces: those that will be due soon are told at once
        asked = [n for n in large if n in due or self._age(n, frame) >= EVERY] if due else []
        for number, parts in self._told(rgb, asked).items():
            self._take(number, parts, frame, _coarse(rgb, large[number]))

    def front(self, rgb: Image, number: int, rendered: Rendered) -> Front | None:
        """What lies in front of a face of the frame that was looked at; None for nothing."""
        seen = self._seen.get(number)
        if seen is None or not seen.something:
            return None
        place = tile(self._places[number], _SIDE)
        found = held_mask(rgb, rendered, Parts(seen.scores, place))
        seen.held = found is not None
        return found

    def _told(self, rgb: Image, asked: Sequence[int]) -> dict[int, Parts]:
        """The parts of some heads: closely of those in front of which something is or may be."""
        held = {n for n in asked if n in self._seen and self._seen[n].held}
        rest = [n for n in asked if n not in held]
        told = dict(zip(rest, quick_glances(rgb, [self._places[n] for n in rest]), strict=True))
        suspect = {n for n, parts in told.items() if parts and _may_hide(parts, self._places[n])}
        close = [n for n in asked if n in held or n in suspect]
        told |= zip(close, find_parts(rgb, [self._places[n] for n in close]), strict=True)
        return {n: parts for n, parts in told.items() if parts is not None}

    def _age(self, number: int, frame: int) -> int:
        """Frames since the network was asked about a face."""
        seen = self._seen.get(number)
        return LONGEST if seen is None else frame - seen.frame

    def _is_due(self, number: int, frame: int, rgb: Image) -> bool:
        seen, age = self._seen.get(number), self._age(number, frame)
        if seen is None or seen.held or age >= LONGEST:
            return True
        if age < EVERY:
            return False
        apart = np.abs(_coarse(rgb, self._places[number]) - seen.coarse)
        return bool(apart.max() > _CHANGE)

    def _take(self, number: int, parts: Parts, frame: int, coarse: Floats32) -> None:
        scores = _without_hair(_sized(parts.scores))
        seen = self._seen.get(number)
        if seen is not None:
            scores = seen.scores + (scores - seen.scores) * np.float32(_NEW)
        points = self._places[number]
        something = _may_hide(Parts(scores, tile(points, _SIDE)), points)
        self._seen[number] = _Seen(scores, frame, coarse, something)


def _may_hide(parts: Parts, points: Floats) -> bool:
    """Whether a hand or a thing may lie in front of the face with these landmarks."""
    scores = on_face(parts, points)
    other = scores[:, BODY_SKIN] + scores[:, THINGS] + scores[:, CLOTHES]
    return not len(other) or float((other > _DOUBTFUL).mean()) >= _SUSPECT


def _coarse(rgb: Image, points: Floats) -> Floats32:
    """A face in its own pose, as few cells without their common brightness."""
    cells = sample(rgb, tile(points, _CELLS), (_CELLS, _CELLS), cv2.BORDER_REPLICATE)
    grey: Floats32 = cells[_FACE].mean(axis=2, dtype=np.float32)
    return grey - np.median(grey)


def _without_hair(scores: Floats32) -> Floats32:
    """Hair counted as skin: a fringe that comes and goes would flicker; the forehead is drawn."""
    scores[..., FACE_SKIN] += scores[..., HAIR]
    scores[..., HAIR] = 0
    return scores


def _sized(scores: Floats32) -> Floats32:
    """An answer on the tile's own grid, whichever mosaic it was told in."""
    halves = [
        cv2.resize(np.ascontiguousarray(part), (_SIDE, _SIDE), interpolation=cv2.INTER_AREA)
        for part in (scores[..., :3], scores[..., 3:])
    ]
    return np.concatenate(halves, axis=2)
