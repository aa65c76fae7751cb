"""What a photo shows where a head has been: wall, shoulders and neck go on behind it."""

from typing import Final

import cv2
import numpy as np

from ksame import geometry
from ksame.arrays import Bools, Floats, Floats32, Image, Indices, medians
from ksame.composite import frame
from ksame.composite.blend import mix
from ksame.composite.fill import enlarged, mirror, push_pull
from ksame.composite.frame import CHIN, SCENE
from ksame.composite.masks import hull
from ksame.composite.matte import JAW_SIDES
from ksame.composite.necks import Neck, below_line, narrowed
from ksame.composite.portrait import Portrait

_WIDER: Final = 1.12  # of the face's outline: always replaced, whatever the matte says
_UNSURE: Final = (
    26  # of 255: what is less is certainly not a person, what is as near to 255 certainly is
)
_NEAR: Final = 40  # pixels around a head from which the wall's grain is taken
_NECK_BASE: Final = 0.4  # eye distances below the chin at which a hidden neck becomes shoulders
_HEAD: Final = 20  # of 255: what has more of the head matte is removed,
_HEAD_RIM = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7))  # and so is its soft rim
_PERSON: Final = 127  # of 255: more is somebody rather than the wall
_SKIN: Final = 0.6 * 255  # of 255: more is bare skin of the neck
_DRESSED: Final = 76  # of 255: less is no skin, but clothes
_SOFT = np.ones((5, 5), np.uint8)  # the soft rim of a mask
_SLIVER = np.ones((11, 11), np.uint8)  # what is narrower is no body
_THROAT_BLUR: Final = 1.0  # pixels between throat and clothes
_GRAIN: Final = 2.0  # pixels: what is finer is the wall's grain
_SINGLE_HAIRS: Final = 5  # times the grain's usual strength: more is not the wall's
_NEIGHBOURHOOD: Final = 1.2  # eye distances from the neck within which shoulders tell its base
_SLOPE: Final = 0.35  # rows a column by which hidden shoulders fall
_HANGING: Final = 0.45  # eye distances: hair that hides no more than this hides the wall


def head_to_remove(portrait: Portrait) -> Floats32:
    """Which pixels of the scene frame are filled anew: head and face, each with a margin."""
    head = (portrait.maps[..., 1] > _HEAD).astype(np.uint8)
    head = cv2.dilate(head, _HEAD_RIM)
    points = geometry.apply(SCENE.from_head(), portrait.points)
    mask: Floats32 = np.maximum(head.astype(np.float32), hull(points, _WIDER, SCENE))
    return mask


def with_region(mask: Floats32, region: Image, portrait: Portrait) -> Floats32:
    """What is removed, widened to the region that a group shares; the own body stays.

    Above the chin the border of what is filled is then the group's, and not that of one
    person's hair.
    """
    person, head, _ = cv2.split(portrait.maps)
    body = ((person > _PERSON) & (head < _HEAD)).astype(np.uint8)
    # slivers beside the hair are its rim, and no shoulder
    body = cv2.morphologyEx(body, cv2.MORPH_OPEN, _SLIVER)
    shared = (region > 0) & (body == 0)
    wider: Floats32 = np.maximum(mask, shared.astype(np.float32))
    return wider


def region_above_chin(portrait: Portrait, chin: float) -> Image:
    """What a photo needs removed above a row of the scene frame, as a mask of 0 and 255."""
    mask = (head_to_remove(portrait) > 0).astype(np.uint8) * np.uint8(255)
    mask[max(round(chin), 0) :] = 0
    return mask


def shoulder_line(seen: Bools, portrait: Portrait, own: Neck, theirs: Neck) -> Floats:
    """The row of the scene frame at which the body begins, for each column.

    ``seen`` is what of the photo stays, ``own`` its neck, and ``theirs`` that of the head which
    will be laid over it: a wider one is narrowed, if there is a wall to be seen beside it.
    """
    person, _, neck = cv2.split(portrait.maps)
    points = geometry.apply(SCENE.from_head(), portrait.points)
    wall = seen & (person < _UNSURE)
    line = _shoulders(seen & (person > _PERSON), wall, seen, points, (own.left, own.right))
    if not wall.any():
        return line
    dressed = (seen & (person > _PERSON) & (neck < _DRESSED)).astype(np.uint8)
    dressed = cv2.erode(dressed, _SOFT) > 0  # soft rims of the neck are none
    clothes = np.where(dressed.any(axis=0), dressed.argmax(axis=0), SCENE.height)
    return narrowed(line, own, theirs, clothes.astype(np.float64))


def surroundings(
    view: Image, seen: Bools, wanted: Bools, portrait: Portrait, line: Floats, own: Neck
) -> Floats32:
    """The scene frame without the head; ``seen``: what of it is in the photo and stays.

    Above the line of the shoulders the wall goes on, below it clothes and skin. The grain of the
    wall is drawn only where it is ``wanted``, because it will be seen.
    """
    person, _, neck = cv2.split(portrait.maps)
    known = view.astype(np.float32)
    wall = seen & (person < _UNSURE)
    body = seen & (person > 255 - _UNSURE)
    below = below_line(line)
    skin_first = body & (neck > _SKIN)
    columns = np.arange(SCENE.width)[None, :]
    throat = ((columns >= own.left) & (columns <= own.right)).astype(np.float32)
    throat = np.repeat(cv2.GaussianBlur(throat, (0, 0), _THROAT_BLUR), SCENE.height, axis=0)
    filled = _filled(known, body)
    if skin_first.any():
        filled = mix(_filled(known, skin_first), filled, throat)
    if wall.any():
        filled = mix(filled, _wall(known, wall, wanted), below)
    return _put(known, wall | body, filled)


def _filled(view: Floats32, known: Bools) -> Floats32:
    return push_pull(view, known, finest=2)


def _put(view: Floats32, where: Bools, over: Floats32) -> Floats32:
    """The view where it is known, something else elsewhere."""
    both: Floats32 = cv2.copyTo(view, where.astype(np.uint8), over.copy())
    return both


def _wall(view: Floats32, known: Bools, wanted: Bools) -> Floats32:
    """The wall goes on smoothly, with its own grain and pattern mirrored in."""
    half = (SCENE.width // 2, SCENE.height // 2)
    even = cv2.resize(_put(view, known, _filled(view, known)), half, interpolation=cv2.INTER_AREA)
    low = enlarged(cv2.GaussianBlur(even, (0, 0), _GRAIN), view)
    detail = cv2.copyTo(view - low, known.view(np.uint8))  # nothing of the head itself
    every = np.abs(detail[::2, ::2][known[::2, ::2]]).ravel()
    # single hairs are not the wall's grain
    usual = _SINGLE_HAIRS * float(medians(every)) + 1 if len(every) else 1.0
    detail = np.clip(detail, -usual, usual)
    sure = cv2.erode(known.astype(np.uint8), _SOFT) > 0
    x0, y0, x1, y1 = frame.bounding_box(wanted)
    near = np.s_[max(y0 - _NEAR, 0) : y1 + _NEAR, max(x0 - _NEAR, 0) : x1 + _NEAR]
    low[near] += mirror(detail[near], sure[near], wanted[near])
    return low


def _neck_base(base: float, top: Indices, known: Bools, columns: Indices, edge: float) -> float:
    """Where shoulders meet the neck: no lower than they are seen to be near by."""
    near = known & (np.abs(columns - edge) < _NEIGHBOURHOOD * SCENE.eyes)
    if not near.any():
        return base
    nearest = columns[near][np.argmin(np.abs(columns[near] - edge))]
    return min(base, float(top[nearest]))


def _shoulders(
    body: Bools, wall: Bools, seen: Bools, points: Floats, neck: tuple[float, float]
) -> Floats:
    """The row at which the body begins, for each column.

    Read off where the head did not cover it, and drawn straight between where it did.
    """
    start = int(np.clip(points[list(JAW_SIDES), 1].mean(), 1, SCENE.height - 2))
    low = body.copy()
    low[:start] = False
    has = low.any(axis=0)
    top = np.where(has, low.argmax(axis=0), SCENE.height)
    columns = np.arange(SCENE.width)
    above = np.clip(top - 3, 0, SCENE.height - 1)
    sure = np.where(has, seen[above, columns], seen[start:].all(axis=0))
    inside = (columns >= neck[0]) & (columns <= neck[1])
    known = sure & ~inside
    base = points[CHIN, 1] + _NECK_BASE * SCENE.eyes
    left, right = (_neck_base(base, top, known, columns, edge) for edge in neck)
    ends = [(0.0, left + _SLOPE * neck[0]), (neck[0] - 1, left), (neck[1] + 1, right)]
    ends.append((SCENE.width - 1.0, right + _SLOPE * (SCENE.width - 1 - neck[1])))
    spots = {float(x): float(y) for x, y in ends}
    spots.update({float(x): float(top[x]) for x in columns[known]})
    x = np.array(sorted(spots))
    line: Floats = np.interp(columns, x, np.array([spots[value] for value in x]))
    # hair beside the neck hides wall, hair on the chest hides clothes
    line = np.where(has & (top - line < _HANGING * SCENE.eyes), np.maximum(line, top), line)
    # where wall is seen there are no shoulders
    rows = np.arange(SCENE.height, dtype=np.int16)[:, None]
    open_wall = wall & (rows >= start) & (rows < top.astype(np.int16))
    lowest = np.where(open_wall, rows + np.int16(1), np.int16(0)).max(axis=0)
    return np.where(inside, start, np.maximum(line, lowest))
