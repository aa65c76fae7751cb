"""A glance at a face before it is looked at: what lies in front of it, at half the resolution.

The network that tells a head's parts takes 42 ms for a picture of 256 px, and 11 ms for one of 128.
Most faces have nothing in front of them, and the smaller picture tells that as well.
"""

import struct
from collections.abc import Sequence
from importlib.util import find_spec

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32, Image
from ksame.errors import WeightsError
from ksame.geometry import apply, inverse
from ksame.vision.images import check_rgb
from ksame.vision.parts import (
    FACE_SKIN,
    LARGE,
    LEAST,
    Parts,
    extent_of,
    find_parts,
    looks,
    scores_of,
    tile,
)
from ksame.vision.sampling import sample
from ksame.weights.session import session

_SIDE = 128
_GLANCES = 3  # so many cost less than one look at a mosaic of all of them
# A texel that may be no skin, and the share of a face's texels: with fewer of them nothing lies in
# front. Of 23 faces of scenes with hair, hands, masks or glasses in front the least has 0.078; of
# London's faces, which have nothing in front, the median has 0.046.
_DOUBTFUL, _COVERED = 0.25, 0.06


def glance_at_parts(rgb: Image, faces: Sequence[Floats]) -> list[Parts | None]:
    """As `find_parts`, with less to do where a glance is enough.

    A face alone is looked at closely if the glance leaves it open whether something lies in front.
    Two or three are told as finely as in a mosaic; more are left to one.
    """
    found: list[Parts | None] = [None] * len(faces)
    if find_spec("ai_edge_litert") is None:
        return found
    image = check_rgb(rgb)
    for rows, _ in looks(faces):
        chosen = [faces[i] for i in rows]
        if len(rows) > _GLANCES:
            told = find_parts(image, chosen)
        else:
            told = [_glance(image, points) for points in chosen]
        if len(rows) == 1 and extent_of(chosen[0]) >= LARGE and may_hide(told[0], chosen[0]):
            told = find_parts(image, chosen)
        for i, parts in zip(rows, told, strict=True):
            found[i] = parts
    return found


def quick_glances(rgb: Image, faces: Sequence[Floats]) -> list[Parts | None]:
    """As `find_parts`, at half the resolution; more faces than are quickly told are left to it."""
    found: list[Parts | None] = [None] * len(faces)
    if find_spec("ai_edge_litert") is None:
        return found
    image = check_rgb(rgb)
    if len(faces) > _GLANCES:
        return find_parts(image, faces)
    return [_glance(image, points) if extent_of(points) >= LEAST else None for points in faces]


def may_hide(parts: Parts | None, points: Floats) -> bool:
    """Whether something may lie in front of the face with these landmarks."""
    if parts is None:
        return True
    bare = on_face(parts, points)[:, FACE_SKIN]
    return not len(bare) or float((bare < 1 - _DOUBTFUL).mean()) > _COVERED


def on_face(parts: Parts, points: Floats) -> Floats32:
    """The scores (n, 6) of the texels that the landmarks of a face surround."""
    side = len(parts.scores)
    hull = cv2.convexHull(np.round(apply(inverse(parts.to_photo), points)).astype(np.int32))
    face = np.zeros((side, side), np.uint8)
    cv2.fillConvexPoly(face, hull, 1)
    return parts.scores[face > 0]


def _glance(image: Image, points: Floats) -> Parts:
    to_photo = tile(points, _SIDE)
    shown = sample(image, to_photo, (_SIDE, _SIDE), cv2.BORDER_REPLICATE)
    return Parts(scores_of(session("parts", for_half_the_side), shown), to_photo)


def for_half_the_side(model: bytes) -> bytes:
    """The network for pictures of half the side.

    Its layers take any size, but for the sizes that are written into it: of enlarged layers, and of
    the patches into which two blocks cut a layer. Both blocks make patches of 4 x 4; there is one
    size for cutting and for joining in the second of them, where half the side needs two, and the
    first, which needs one less now, lends its own.

    Raises
    ------
    WeightsError
        The bytes are not the network that is known.
    """
    # the weights between them are sixteen megabytes that need not be searched
    head, tail = model[:_HEAD], model[-_TAIL:]
    for before, after in (
        *((_numbers(*a), _numbers(*b)) for a, b in _SIZES),
        *((_takes(*a), _takes(*b)) for a, b in _TAKEN),
    ):
        if head.count(before) + tail.count(before) != 1:
            raise WeightsError(
                "the network of parts is not the one that is known. Install it again"
            )
        head, tail = head.replace(before, after), tail.replace(before, after)
    return b"".join((head, memoryview(model)[_HEAD:-_TAIL], tail))


_HEAD, _TAIL = 16_000, 96_000  # bytes that hold sizes and steps
# sizes as they are in the file, and for half the side; in this order no two are alike at a time
_SIZES = (
    ((1, 16, 1, 16), (1, 16, 1, 4)),  # second block: attention over its patches
    ((1, 16, 16, 1), (1, 16, 4, 1)),
    ((1, 16, 1, 64), (1, 16, 1, 16)),  # first block: the same
    ((1, 16, 64, 1), (1, 16, 16, 1)),
    ((-1, 4, 4, 768), (-1, 4, 2, 768)),  # second block: cut
    ((-1, 16, 16, 192), (-1, 4, 16, 192)),
    ((-1, 8, 4, 512), (-1, 2, 4, 768)),  # first block: joined; now the second block's
    ((-1, 32, 32, 128), (-1, 8, 8, 192)),
    ((-1, 4, 8, 512), (-1, 4, 4, 512)),  # first block: cut, and now joined
    ((-1, 64, 16, 128), (-1, 16, 16, 128)),
    ((32, 32), (16, 16)),  # enlarged layers
    ((64, 64), (32, 32)),
    ((128, 128), (64, 64)),
    ((1, 256, 256, 32), (1, 128, 128, 32)),
)
# what the steps that join patches take: a layer and its size, by their numbers in the file
_TAKEN = (
    ((254, 182), (254, 184)),
    ((256, 181), (256, 183)),
    ((334, 180), (334, 182)),
    ((336, 179), (336, 181)),
)


def _numbers(*values: int) -> bytes:
    """Whole numbers as the file keeps them: how many bytes they have, then the numbers."""
    return struct.pack(f"<I{len(values)}i", 4 * len(values), *values)


def _takes(layer: int, size: int) -> bytes:
    """The two inputs of a step as the file keeps them: how many, then their numbers."""
    return struct.pack("<I2i", 2, layer, size)
