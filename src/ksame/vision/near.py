"""A picture of which a part was changed is searched again: that part, at the scales of all of it.

What lies elsewhere was seen when the picture was searched as it was before, by whoever asks here.
"""

from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np

from ksame.arrays import Bools, Floats, Image
from ksame.faces import Faces
from ksame.geometry import centre
from ksame.vision.detect import find_faces, merge_faces, passes_over
from ksame.vision.images import check_rgb, halved, halvings
from ksame.vision.passes import Pass, Search, detect_all
from ksame.vision.yunet import YuNet

# px of the finest pass. Faces with their middle so near to the change are told anew, and so much
# more is shown to the detector, whose answer for a cell hardly depends on what is further away
_NEAR, _AROUND = 16, 64
_STRIDE = 32  # px of the detector's coarsest cells: a part that begins at one has the same cells
# of the score, by which less around may make the detector less sure: of 60 faces of crowds in
# motion, two by .03, and none by more
_LESS = 0.04
_MOST = 0.6  # of the picture: for a part that is larger, all of it is searched


class Near(NamedTuple):
    """The faces with their middle in a box (xyxy), as they are seen now."""

    faces: Faces
    box: Floats

    def with_rest(self, before: Faces) -> Faces:
        """All faces of the picture; ``before`` are those that were seen before the change."""
        away = before[np.flatnonzero(~_lie_in(before.xyxy, self.box))]
        return Faces.merge([self.faces, away])


def find_faces_near(rgb: Image, changed: Floats, min_score: float, *, finest: int) -> Near:
    """The faces in and near a part of a picture.

    Guarantee: with those that `find_faces` saw elsewhere before the change, at the same scales,
    these are what it sees now. Of the finest pass, which takes most of the time, only the part is
    searched, with its surroundings; of coarser ones everything.

    Parameters
    ----------
    rgb : (h, w, 3) uint8 array
    changed : box (xyxy) of all pixels that differ from the picture that was searched before
    """
    image = check_rgb(rgb)
    height, width = image.shape[:2]
    first, *coarser = passes_over(width, height, finest)
    steps = np.array([width / first.width, height / first.height] * 2)
    part = _part(changed / steps, first)
    x0, y0, x1, y1 = part
    if not coarser or (x1 - x0) * (y1 - y0) > _MOST * first.width * first.height:
        everywhere = np.array([-1.0, -1.0, width + 1, height + 1]) * np.inf
        return Near(find_faces(image, min_score, finest=finest, turned=False), everywhere)
    search = Search(YuNet(), min_score)
    small = _resized(image, first)
    (found,) = detect_all(
        small[y0:y1, x0:x1],
        [Pass(x1 - x0, y1 - y0, bordered=False)],
        search._replace(min_score=max(min_score - _LESS, 0.01)),
    )
    found = replace(found, score=np.minimum(found.score + _LESS, 1.0))
    faces = [_enlarged(found, steps, np.array(part[:2] * 2))]
    faces += [_enlarged(f, steps, np.zeros(4)) for f in detect_all(small, coarser, search)]
    box = changed + _NEAR * steps * (-1, -1, 1, 1)
    merged = merge_faces(faces)
    return Near(merged[np.flatnonzero(_lie_in(merged.xyxy, box))], box)


def _part(changed: Floats, at: Pass) -> tuple[int, int, int, int]:
    """What is shown to the detector of a pass in which this box was changed."""
    more = (_NEAR + _AROUND) * np.array([-1, -1, 1, 1])
    x0, y0, x1, y1 = np.clip(
        (changed + more) / _STRIDE, 0, np.array([at.width, at.height] * 2) / _STRIDE
    )
    right, low = (min(int(np.ceil(v)) * _STRIDE, m) for v, m in ((x1, at.width), (y1, at.height)))
    return int(x0) * _STRIDE, int(y0) * _STRIDE, right, low


def _resized(image: Image, at: Pass) -> Image:
    """The picture as the finest pass over it sees it."""
    if (at.width, at.height) == image.shape[1::-1]:
        return image
    factor = min(image.shape[1] / at.width, image.shape[0] / at.height)
    small: Image = cv2.resize(
        halved(image, halvings(factor)), (at.width, at.height), interpolation=cv2.INTER_LINEAR
    )
    return small


def _enlarged(faces: Faces, steps: Floats, corner: Floats) -> Faces:
    """Faces of a part of the finest pass in pixels of the picture."""
    return replace(
        faces,
        xyxy=(faces.xyxy + corner) * steps,
        points=(faces.points + corner[:2]) * steps[:2],
    )


def _lie_in(boxes: Floats, area: Floats) -> Bools:
    """Which boxes (n, 4) have their middle in an area (xyxy)."""
    middle = centre(boxes)
    return np.asarray(((middle >= area[:2]) & (middle <= area[2:])).all(axis=1), bool)
