"""The last look: a finished picture is searched again before it may be written."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from ksame.arrays import Floats, Image
from ksame.faces import Face
from ksame.geometry import share_inside

_COVERED: Final = 0.5  # of a found face that must lie on one protected region
_CHANGED: Final = 0.5  # of the pixels of a place in a face that must not be the original's
_POINT: Final = 0.05  # of the face's size: half of the box around an eye, the nose, a mouth corner
_BARE_POINTS: Final = 1  # of the five that may lie beside what was drawn: those of a profile do
_FILLED: Final = 0.25  # of a box that a person left as it is, which the found face fills
_SURE: Final = 0.8  # of the score: from 0.78 on no other model is asked whether it is a face


def look_again(
    result: Image,
    regions: Sequence[Sequence[float]],
    detector: str = "yunet",
    untouched: Sequence[Sequence[float]] = (),
    is_replaced: Callable[[Face], bool] | None = None,
) -> tuple[list[Face], list[Face]]:
    """The faces found in a finished picture: those on a protected region, and all others.

    The last look is as fine as the first one, on the whole picture, whatever was found or listed
    before: a face that a corrected ledger left out is found here.

    Parameters
    ----------
    regions : boxes (xyxy) in which a surrogate, a fill or a black box may be seen
    detector : who looks besides YuNet
    untouched : boxes (xyxy) of faces that a person left as they are. One excuses a face of about
        its size alone: a large box that was drawn by mistake must not excuse everybody in it.
    is_replaced : tells of a face on a protected region that nothing of the original is left of it.
        A faint detection there is a drawn face, and no other network is asked about it.
    """
    from ksame.vision import find_faces_by

    left = np.array(untouched, np.float64).reshape(-1, 4)
    is_covered = lies_on(regions)

    def is_drawn(face: Face) -> bool:
        return is_replaced is not None and is_covered(face) and is_replaced(face)

    found = find_faces_by(detector, result, is_drawn)
    covered = [is_covered(face) or _is_one_of(face.box, left) for face in found]
    return (
        [face for face, inside in zip(found, covered, strict=True) if inside],
        [face for face, inside in zip(found, covered, strict=True) if not inside],
    )


def lies_on(regions: Sequence[Sequence[float]]) -> Callable[[Face], bool]:
    """Tells of a face whether it lies on one of these regions (boxes, xyxy)."""
    boxes = np.array(regions, np.float64).reshape(-1, 4)
    return lambda face: bool((share_inside(face.box, boxes) > _COVERED).any())


def still_bare(face: Face, before: Image, after: Image, excused: Sequence[Sequence[float]]) -> bool:
    """Whether a face of the finished picture shows the original's own pixels.

    A box that is listed is no proof: a corrected ledger may list one around two people, of whom one
    was replaced, or one beside a face, of which half is hidden then. Where a face was replaced or
    hidden, hardly a pixel of its middle, eyes, nose and mouth is as it was. ``excused`` are the
    boxes (xyxy) of what is left on purpose, each of a face of about its size.
    """
    if _is_one_of(face.box, np.array(excused, np.float64).reshape(-1, 4)):
        return False
    quarter = (face.box[2:] - face.box[:2]) / 4
    middle = _share_changed(before, after, (face.box[:2] + face.box[2:]) / 2, quarter)
    near = np.full(2, _POINT * face.size)
    bare = [_share_changed(before, after, point, near) < _CHANGED for point in face.points]
    return middle < _CHANGED or sum(bare) > _BARE_POINTS


def _share_changed(before: Image, after: Image, centre: Floats, half: Floats) -> float:
    """The share of pixels that differ in a box around a point."""
    limit = np.array([before.shape[1], before.shape[0]])
    x0, y0 = np.clip(np.floor(centre - half).astype(int), 0, limit - 1)
    x1, y1 = np.clip(np.ceil(centre + half).astype(int), (x0 + 1, y0 + 1), limit)
    return float((before[y0:y1, x0:x1] != after[y0:y1, x0:x1]).any(axis=2).mean())


def _is_one_of(box: Floats, left: Floats) -> bool:
    """Whether a found face is one of those that are left as they are."""
    alike = (share_inside(box, left) > _COVERED) & (share_inside(left, box) > _FILLED)
    return bool(alike.any())


def sure_faces(rgb: Image) -> list[list[float]]:
    """The boxes (xyxy) of the faces of which the detector is sure, at every scale.

    For the verifier, which asks nobody else: what is less sure may be a lamp that shows up anew
    when a picture is compressed, and would be judged by other models first.
    """
    from ksame.vision import find_faces

    return [list(map(float, face.box)) for face in find_faces(rgb, _SURE, turned=False)]


def face_at(found: Sequence[Face], box: Sequence[float]) -> Face | None:
    """The found face in which the centre of a box lies; the smallest, if several."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    inside = [f for f in found if f.box[0] <= x <= f.box[2] and f.box[1] <= y <= f.box[3]]
    return min(inside, key=lambda face: face.size, default=None)
