"""The last look: a finished picture is searched again before it may be written."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from ksame.arrays import Floats, Image
from ksame.faces import Face
from ksame.geometry import iou, share_inside
from ksame.release.differing import share_differing

_COVERED: Final = 0.5  # of a found face that must lie on one protected region
_CHANGED: Final = 0.5  # of the pixels of a place in a face that must not be the original's
_POINT: Final = 0.05  # of the face's size: half of the box around an eye, the nose, a mouth corner
_BARE_POINTS: Final = 1  # of the five that may lie beside what was drawn: those of a profile do
# The same for a found face that is the drawn one itself: where it fits a replaced face's box so
# well and is so much changed in its middle, the points that are bare lie before a profile
_FITS, _ALL_CHANGED, _BESIDE_PROFILE = 0.4, 0.9, 3
_FILLED: Final = 0.25  # of a box that a person left as it is, which the found face fills
# of the score: from 0.78 on no other model is asked whether it is a face, and files are compressed
SURE_IN_FILES: Final = 0.8


def look_again(
    result: Image,
    regions: Sequence[Sequence[float]],
    detector: str = "yunet",
    untouched: Sequence[Sequence[float]] = (),
    is_replaced: Callable[[Face], bool] | None = None,
    only_plain: bool = False,
) -> tuple[list[Face], list[Face]]:
    """The faces found in a finished picture: those on a protected region, and all others.

    The last look is as fine as the first one, on the whole picture, whatever was found or listed
    before: a face that a corrected ledger left out is found here.

    Parameters
    ----------
    regions : boxes (xyxy) in which a surrogate, a fill or a black box may be seen
    detector : who looks besides YuNet
    untouched : boxes (xyxy) of faces that a person left as they are; see `excused`
    is_replaced : tells of a face on a protected region that nothing of the original is left of it.
        A faint detection there is a drawn face, and no other network is asked about it.
    only_plain : whether heads that lie and veiled faces are left out. Where the photo was searched
        for them before it was changed, and showed none, it shows none now.
    """
    from ksame.vision import find_faces_by

    is_covered = lies_on(regions)

    def is_drawn(face: Face) -> bool:
        return is_replaced is not None and is_covered(face) and is_replaced(face)

    found = find_faces_by(detector, result, is_drawn, only_plain=only_plain)
    stay = excused(found, untouched)
    covered = [is_covered(face) or stays for face, stays in zip(found, stay, strict=True)]
    return (
        [face for face, inside in zip(found, covered, strict=True) if inside],
        [face for face, inside in zip(found, covered, strict=True) if not inside],
    )


def lies_on(regions: Sequence[Sequence[float]]) -> Callable[[Face], bool]:
    """Tells of a face whether it lies on one of these regions (boxes, xyxy)."""
    boxes = np.array(regions, np.float64).reshape(-1, 4)
    return lambda face: bool((share_inside(face.box, boxes) > _COVERED).any())


def still_bare(
    face: Face,
    before: Image,
    after: Image,
    replaced: Sequence[Sequence[float]] | Floats = (),
) -> bool:
    """Whether a face of the finished picture shows the original's own pixels.

    ``replaced`` are the boxes (xyxy) of faces over which others were drawn. One that lies like one
    of these and is changed all over its middle is the drawn face: up to three points may be bare.

    A box that is listed is no proof: a corrected ledger may list one around two people, of whom one
    was replaced, or one beside a face, of which half is hidden then. Where a face was replaced or
    hidden, hardly a pixel of its middle, eyes, nose and mouth is as it was, or all that is so
    around such a point is plain white or plain black.
    """
    quarter = (face.box[2:] - face.box[:2]) / 4
    middle = _share_changed(before, after, (face.box[:2] + face.box[2:]) / 2, quarter)
    near = np.full(2, _POINT * face.size)
    bare = [
        _share_changed(before, after, point, near) < _CHANGED
        and not _is_plain(before, after, point, near)
        for point in face.points
    ]
    is_drawn = middle >= _ALL_CHANGED and _fits_one(face, replaced)
    most = _BESIDE_PROFILE if is_drawn else _BARE_POINTS
    return middle < _CHANGED or sum(bare) > most


def _fits_one(face: Face, replaced: Sequence[Sequence[float]] | Floats) -> bool:
    """Whether a face has the box of one of these (xyxy)."""
    boxes = np.asarray(replaced, np.float64).reshape(-1, 4)
    return bool((iou(face.box, boxes) > _FITS).any())


def _share_changed(before: Image, after: Image, centre: Floats, half: Floats) -> float:
    """The share of pixels that differ in a box around a point."""
    return share_differing(*_parts(before, after, centre, half))


def _is_plain(before: Image, after: Image, centre: Floats, half: Floats) -> bool:
    """Whether all that is as it was in a box around a point is plain white, or plain black.

    A mask drawn over a white thing is as white. Of a face in a scan that has black and white alone
    eyes and mouth have both.
    """
    part, now = _parts(before, after, centre, half)
    same = part[(part == now).all(axis=2)]
    return bool((same == 255).all() or (same == 0).all())


def _parts(before: Image, after: Image, centre: Floats, half: Floats) -> tuple[Image, Image]:
    """A box around a point, in both pictures."""
    limit = np.array([before.shape[1], before.shape[0]])
    x0, y0 = np.clip(np.floor(centre - half).astype(int), 0, limit - 1)
    x1, y1 = np.clip(np.ceil(centre + half).astype(int), (x0 + 1, y0 + 1), limit)
    return before[y0:y1, x0:x1], after[y0:y1, x0:x1]


def excused(found: Sequence[Face], left: Sequence[Sequence[float]] | Floats) -> list[bool]:
    """Which of the found faces are left as they are on purpose, by the boxes (xyxy) of those.

    Guarantee: a box excuses one face of about its size, that which it fits best, and never
    everybody in it: it may have been drawn around two people.
    """
    spared = [False] * len(found)
    boxes = np.array([face.box for face in found], np.float64).reshape(-1, 4)
    for box in np.array(left, np.float64).reshape(-1, 4) if found else ():
        # it lies in the box, and is not much smaller
        is_like = (share_inside(boxes, box) > _COVERED) & (share_inside(box, boxes) > _FILLED)
        fit = np.where(is_like, iou(boxes, box), 0.0)
        best = int(np.argmax(fit))
        spared[best] |= bool(fit[best] > 0)
    return spared


def sure_faces(rgb: Image) -> list[list[float]]:
    """The boxes (xyxy) of the faces of which the detector is sure, at every scale.

    For the verifier, which asks nobody else: what is less sure may be a lamp that shows up anew
    when a picture is compressed, and would be judged by other models first.
    """
    from ksame.vision import find_faces

    return [list(map(float, face.box)) for face in find_faces(rgb, SURE_IN_FILES, turned=False)]


def face_at(found: Sequence[Face], box: Sequence[float]) -> Face | None:
    """The found face in which the centre of a box lies; the smallest, if several."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    inside = [f for f in found if f.box[0] <= x <= f.box[2] and f.box[1] <= y <= f.box[3]]
    return min(inside, key=lambda face: face.size, default=None)
