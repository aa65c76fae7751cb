"""Put a rendered face into a photo."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from ksame.arrays import Floats, Image
from ksame.render.draw import Rendered
from ksame.render.front import Front


def replace_face(photo: Image, rendered: Rendered, front: Front | None = None) -> None:
    """Replace a face in place.

    Parameters
    ----------
    photo : (h, w, 3) uint8 array
        Changed inside of ``rendered.box`` alone.
    front : Front, optional
        What lies in front of the face (``front_mask``).

    Where ``alpha`` is 255 and nothing lies in front, the released pixel is the render's and
    nothing of the photo's.
    """
    x0, y0, x1, y1 = rendered.box
    if x1 <= x0 or y1 <= y0:
        return
    part = photo[y0:y1, x0:x1]
    share = rendered.alpha.astype(np.float32) * np.float32(1 / 255)
    colour = rendered.colour.astype(np.float32)
    if front is not None:
        size = (x1 - x0, y1 - y0)
        front.drawn_over(colour, rendered)
        share *= 1 - cv2.resize(front.soft(), size, interpolation=cv2.INTER_LINEAR)
    change = cv2.multiply(cv2.subtract(colour, part, dtype=cv2.CV_32F), cv2.merge((share,) * 3))
    # rounds to the nearest, halves to even, and holds within 0 to 255
    part[:] = cv2.add(part, change, dtype=cv2.CV_8U)


@dataclass(frozen=True)
class Laid:
    """A face that was put into a photo, and whether a fill reaches over its box.

    ``place`` is its place among the faces of the photo's order.
    """

    rendered: Rendered
    front: Front | None
    beside_fill: bool = False
    place: int = 0

    def also_beside(self, fills: Iterable[Floats]) -> "Laid":
        """The face beside fills, given by their boxes; under one nothing of the photo is kept."""
        if self.beside_fill or not any(_reached(self.rendered, box) for box in fills):
            return self
        front = self.front.drawn_alone() if self.front else None
        return replace(self, front=front, beside_fill=True)


def with_another(photo: Image, laid: Sequence[Laid], other: Laid) -> Image:
    """What the box of a face would show if it were drawn another way.

    ``photo`` is the original, ``laid`` are its faces in the order in which they are put in.
    """
    shown = [other if one.place == other.place else one for one in laid]
    near = [one.rendered for one in shown if _meet(one.rendered.box, other.rendered.box)]
    boxes = np.array([rendered.box for rendered in near])
    (x0, y0), (x1, y1) = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    part = photo[y0:y1, x0:x1].copy()
    for one in shown:
        a, b, c, d = one.rendered.box
        if _meet(one.rendered.box, other.rendered.box):
            moved = replace(one.rendered, box=(a - x0, b - y0, c - x0, d - y0))
            replace_face(part, moved, one.front)
    a, b, c, d = other.rendered.box
    return part[b - y0 : d - y0, a - x0 : c - x0]


def lay_over_fills(photo: Image, laid: Sequence[Laid]) -> None:
    """Put faces that a fill reached over, and those in front of them, into a photo again.

    ``laid`` is in the order in which they were put in before: near ones last.
    """
    again: list[tuple[int, int, int, int]] = []
    for one in laid:
        if one.beside_fill or any(_meet(one.rendered.box, box) for box in again):
            replace_face(photo, one.rendered, one.front)
            again.append(one.rendered.box)


def _reached(rendered: Rendered, box: Floats) -> bool:
    """Whether the oval in a box (``xyxy``) reaches a pixel that a face changes."""
    x0, y0, x1, y1 = rendered.box
    if not _meet(rendered.box, box.tolist()):
        return False
    middle, half = (box[:2] + box[2:]) / 2, np.maximum((box[2:] - box[:2]) / 2, 1.0) + 1
    y, x = np.ogrid[y0:y1, x0:x1]
    out = np.hypot((x - middle[0]) / half[0], (y - middle[1]) / half[1])
    return bool((rendered.alpha[out <= 1] > 0).any())


def _meet(one: Sequence[float], two: Sequence[float]) -> bool:
    """Whether two boxes (``xyxy``) have a part in common."""
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]
