"""Which faces a frame shows: a fast look at every frame, a thorough one every few frames.

The fast look is as fine as the thorough one has shown to be needed: where it missed a face that
the thorough look found, every frame is looked at thoroughly until the next comparison.
"""

from typing import Final

import numpy as np

from ksame.arrays import Image
from ksame.faces import Faces
from ksame.geometry import share_inside

EVERY: Final = 12  # frames between thorough looks: half a second, in which nobody comes and goes
FAST_SIDE: Final = 832  # px of a 4:3 picture, 960 of 16:9: there, faces of 24 px in 1080p are found
DOUBTFUL: Final = 0.35  # of the score; what is less sure is no face as often as one
SURE: Final = 0.6  # as for photos
_SMALL: Final = 1024  # px: of smaller frames the thorough look takes no longer than the fast one
_SAME: Final = 0.5  # of a face's box inside another one: it is the same face


class Watch:
    """Looks at the frames of one segment in their order; begins anew with each segment."""

    def __init__(self, size: tuple[int, int], detector: str = "yunet") -> None:
        self._detector = detector
        self._small = max(size) <= _SMALL
        self._careful = True
        self._count = 0

    def look(self, rgb: Image, fresh: bool = False) -> Faces:
        """The faces of the next frame, doubtful ones too; ``fresh`` where a new shot begins."""
        found = self._look(rgb, fresh)
        if self._detector == "yunet":
            return found
        from ksame.vision import find_faces_by, merge_faces

        return merge_faces([found, find_faces_by(self._detector, rgb)])

    def _look(self, rgb: Image, fresh: bool) -> Faces:
        due = fresh or self._count == 0
        self._count = (self._count + 1) % EVERY
        if self._small:
            return _thorough(rgb, due)
        if not due:
            return _thorough(rgb, False) if self._careful else _fast(rgb)
        self._count = 1
        found, fast = _thorough(rgb, True), _fast(rgb)
        self._careful = _missed(found, fast)
        return found


def _thorough(rgb: Image, turned: bool) -> Faces:
    """As photos are looked at; heads that lie on their side too where nobody else is found."""
    from ksame.vision import find_faces

    found = find_faces(rgb, DOUBTFUL, turned=False)
    if turned and not (found.score >= SURE).any():
        found = find_faces(rgb, SURE, turned=None)
    return found


def _fast(rgb: Image) -> Faces:
    from ksame.vision import find_faces

    return find_faces(rgb, DOUBTFUL, finest=FAST_SIDE, turned=False)


def _missed(found: Faces, fast: Faces) -> bool:
    """Whether a face of the thorough look is in none of the fast look's boxes."""
    sure = found[np.flatnonzero(found.score >= SURE)]
    if not len(sure):
        return False
    if not len(fast):
        return True
    return any(float(share_inside(face.box, fast.xyxy).max()) < _SAME for face in sure)
