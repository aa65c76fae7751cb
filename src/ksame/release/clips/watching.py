"""Which faces a frame shows: a quick look at every frame, a complete one every few frames.

A quick look is as fine as the complete ones have shown to be needed. Frames wait until the next
complete look, so that a face that comes into view is looked for in the frames before as well.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

import numpy as np

from ksame.arrays import Floats, Image
from ksame.faces import Face, Faces
from ksame.geometry import share_inside

EVERY: Final = 12  # frames between complete looks: half a second, in which nobody comes and goes
DOUBTFUL: Final = 0.35  # of the score; what is less sure is no face as often as one
SURE: Final = 0.6  # as for photos
# px of a 4:3 picture in the finest pass of a quick look: 640 and 960 of 16:9, where faces of 36 and
# of 24 px in 1080p are found
SIDES: Final = (555, 832)
THOROUGH: Final = len(SIDES)  # the level of a look as fine as that at photos
COMPLETE: Final = THOROUGH + 1  # ... and of one for heads that lie and veiled faces, too
_CLEAR: Final = 20.0  # px of a face in a quick look, for its box to be as good as a complete look's
_SMALL: Final = 1024  # px: of smaller frames a thorough look takes no longer than a quick one
_NOTHING: Final[Mapping[int, Faces]] = MappingProxyType({})
_SAME: Final = 0.5  # of a face's box inside another one: it is the same face
_HELD: Final = 26_000_000  # pixels of frames that wait for a complete look: 78 MB, 12 in 1080p


@dataclass(frozen=True)
class Seen:
    """A frame after it was looked at, and how finely."""

    number: int
    rgb: Image = field(repr=False)
    faces: Faces
    level: int


def watched(
    frames: Iterator[Image], start: int, cuts: Collection[int], detector: str = "yunet"
) -> Iterator[Seen]:
    """Look at the frames of a segment, which begins with the frame ``start``, in their order.

    Guarantee: a frame is looked at as finely as it takes to see, in the completely searched frames
    before and after it of the same shot, every face that is seen there.
    """
    waiting: list[tuple[int, Image]] = []
    head = Faces.empty(), 0
    for number, rgb in enumerate(frames, start):
        most = max(min(EVERY, _HELD // (rgb.shape[0] * rgb.shape[1])), 1)
        if waiting and number in cuts:
            yield from _ended(waiting, head, detector)
            waiting = []
        if not waiting or len(waiting) == most:
            found = _compared(rgb)
            yield from _looked(waiting, head[0], max(head[1], found[1]), detector)
            waiting, head = [], found
        waiting.append((number, rgb))
    yield from _ended(waiting, head, detector)


def _ended(
    waiting: Sequence[tuple[int, Image]], head: tuple[Faces, int], detector: str
) -> Iterator[Seen]:
    """The last frames of a shot: the very last one is looked at completely too."""
    if len(waiting) < 2:
        yield from _looked(waiting, head[0], head[1], detector)
        return
    number, rgb = waiting[-1]
    found, level = _compared(rgb)
    yield from _looked(waiting[:-1], head[0], max(head[1], level), detector)
    yield Seen(number, rgb, _by_all(rgb, found, detector), COMPLETE)


def _looked(
    waiting: Sequence[tuple[int, Image]], first: Faces, level: int, detector: str
) -> Iterator[Seen]:
    """Frames of which the first was looked at completely, the others at one level."""
    for place, (number, rgb) in enumerate(waiting):
        found = _at(rgb, level) if place else first
        own = level if place else COMPLETE
        yield Seen(number, rgb, _by_all(rgb, found, detector), own)


class Watch:
    """The last look at the frames of one segment in their order, as fine as the first one was.

    Complete looks fall between those of the first search, and are at all of the frame. In the
    frames between them, what a frame's first look was sure of counts where nothing was changed
    since, and what was changed is searched again with its surroundings.
    """

    def __init__(
        self,
        levels: Sequence[int] = (),
        detector: str = "yunet",
        first: Callable[[int], Faces] | None = None,
    ) -> None:
        self._levels, self._detector, self._first = levels, detector, first
        self._needed = 0
        self._count = 0
        self._usual: Faces | None = None  # what looks as those at the frames before see
        self.asks = False  # whether faint detections of this frame are to be asked about

    def look(self, rgb: Image, fresh: bool = False, changed: Floats | None = None) -> Faces:
        """The faces of the next frame, where it ``asks`` doubtful ones too.

        ``fresh`` where a new shot begins. ``changed`` is a box (xyxy) around all that differs from
        the frame that was searched first.
        """
        place, self._count = self._count, self._count + 1
        due = fresh or place % EVERY == min(EVERY, len(self._levels)) // 2
        self.asks = due or not self._levels
        level = self._levels[place] if place < len(self._levels) else COMPLETE
        level = max(level, self._needed)
        self._usual = None
        if due and level < COMPLETE:
            self._usual = _at(rgb, level)
            found, self._needed = _compared(rgb, {level: self._usual})
        elif not due and changed is not None and (first := self._known(place)) is not None:
            found = _near(rgb, changed, level, first)
        else:
            found = _at(rgb, level)
        found = _by_all(rgb, found, self._detector)
        if self._usual is None and due and self._levels:
            self._usual = found
        return found

    def _known(self, place: int) -> Faces | None:
        """What a first look as fine as is needed now saw in a frame; None where none was."""
        if self._first is None or self._needed or place >= len(self._levels):
            return None
        return self._first(place)

    def missed(self, face: Face) -> bool:
        """Whether looks as those at the frames before are not sure of a face of this frame.

        Nobody is asked about the faint ones there.
        """
        if self._usual is None:
            return False
        sure = self._usual[np.flatnonzero(self._usual.score >= SURE)]
        return not len(sure) or _outside(face, sure)


def _by_all(rgb: Image, found: Faces, detector: str) -> Faces:
    """The faces that were found, and those that a detector of the user's choice sees besides."""
    if detector == "yunet":
        return found
    from ksame.vision import find_faces_by, merge_faces

    return merge_faces([found, find_faces_by(detector, rgb)])


def _at(rgb: Image, level: int) -> Faces:
    from ksame.vision import find_faces

    if level < THOROUGH:
        return find_faces(rgb, DOUBTFUL, finest=SIDES[level], turned=False)
    found = find_faces(rgb, SURE, turned=False, faint=DOUBTFUL)
    return found if level == THOROUGH else _completed(rgb, found)


def _completed(rgb: Image, found: Faces) -> Faces:
    """What a thorough look sees, and heads that lie, and faces in the dark, as in photos."""
    from ksame.vision import find_faces
    from ksame.vision.detect import with_lying_and_veiled

    if not (found.score >= SURE).any():
        found = find_faces(rgb, SURE, turned=True, faint=DOUBTFUL)
    return with_lying_and_veiled(rgb, found)


def _near(rgb: Image, changed: Floats, level: int, first: Faces) -> Faces:
    """The faces of which a look at a level is sure, where nothing changed those of the first."""
    from ksame.vision import FINEST_SIDE
    from ksame.vision.near import find_faces_near

    finest = FINEST_SIDE if level >= THOROUGH else SIDES[level]
    sure = first[np.flatnonzero(first.score >= SURE)]
    return find_faces_near(rgb, changed, SURE, finest=finest).with_rest(sure)


def _compared(rgb: Image, looked: Mapping[int, Faces] = _NOTHING) -> tuple[Faces, int]:
    """The faces of a complete look, and the level at which a quicker one sees all of them.

    ``looked`` are the faces of quicker looks that were taken already, by their levels.
    """
    plain = looked[THOROUGH] if THOROUGH in looked else _at(rgb, THOROUGH)
    found = _completed(rgb, plain)
    if len(found) > len(plain):
        return found, COMPLETE
    if max(rgb.shape[:2]) <= _SMALL:
        return found, THOROUGH
    sure = found[np.flatnonzero(found.score >= SURE)]
    for level, side in enumerate(SIDES):
        if len(sure) and float(sure.size.min()) * _scale(rgb, side) < _CLEAR:
            continue
        if not len(sure):
            return found, level
        quick = looked[level] if level in looked else _at(rgb, level)
        if len(quick) and not any(_outside(face, quick) for face in sure):
            return found, level
    return found, THOROUGH


def _scale(rgb: Image, side: int) -> float:
    """How large a quick look sees a pixel of a frame."""
    short, long = sorted(rgb.shape[:2])
    return float(min(side * np.sqrt(0.75 * long / short) / long, 1.0))


def _outside(face: Face, found: Faces) -> bool:
    """Whether a face is in none of the boxes of a look."""
    return float(share_inside(face.box, found.xyxy).max()) < _SAME
