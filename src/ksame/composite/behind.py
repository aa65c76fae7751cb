"""What a photo shows where a head has been: wall, shoulders and neck go on behind it."""

import cv2
import numpy as np

from ksame.composite import frame
from ksame.composite.blend import Floats32
from ksame.composite.fill import mirror, push_pull
from ksame.composite.frame import CHIN, SCENE, Floats, Image
from ksame.composite.matte import Bools, depth_below_jaw, hull
from ksame.composite.portrait import Portrait

_WIDER = 1.12  # of the face's outline: always replaced, whatever the matte says
_NECK_BASE = 0.4  # eye distances below the chin at which a hidden neck turns into shoulders


def gone(portrait: Portrait) -> Floats32:
    """What must go, in the scene frame: head matte, widened, and the face with a margin."""
    head = (portrait.maps[..., 1] > 20).astype(np.uint8)
    head = cv2.dilate(head, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (7, 7)))
    points = frame.apply(SCENE.from_head(), portrait.points)
    mask: Floats32 = np.maximum(head.astype(np.float32), hull(points, _WIDER, SCENE))
    return mask


def surroundings(view: Image, seen: Bools, portrait: Portrait) -> Floats32:
    """The scene frame without the head; ``seen``: what of it is in the photo and stays.

    Above the line of the shoulders the wall goes on, below it clothes and skin.
    """
    person, _, neck = np.moveaxis(portrait.maps.astype(np.float32) / 255, 2, 0)
    points = frame.apply(SCENE.from_head(), portrait.points)
    known = view.astype(np.float32)
    wall = seen & (person < 0.1)
    body = seen & (person > 0.9)
    left, right = neck_edges(portrait)
    line = _shoulders(seen & (person > 0.5), wall, seen, points, (left, right))
    rows = np.arange(SCENE.height, dtype=np.float32)[:, None]
    below = np.clip(rows - line[None, :] + 0.5, 0, 1)
    skin_first = body & (neck > 0.6)
    columns = np.arange(SCENE.width)[None, :]
    throat = ((columns >= left) & (columns <= right)).astype(np.float32)
    throat = cv2.GaussianBlur(np.broadcast_to(throat, below.shape).copy(), (0, 0), 1.0)
    torso = _filled(known, body)
    skin = _filled(known, skin_first) if skin_first.any() else torso
    torso = torso + (skin - torso) * throat[..., None]
    if not wall.any():
        return np.asarray(torso, np.float32)
    filled = torso * below[..., None] + _wall(known, wall) * (1 - below[..., None])
    return np.asarray(filled, np.float32)


def _filled(view: Floats32, known: Bools) -> Floats32:
    return push_pull(view, known.astype(np.float32))


def _wall(view: Floats32, known: Bools) -> Floats32:
    """The wall goes on smoothly, with its own grain and pattern mirrored in."""
    even = push_pull(view, known.astype(np.float32))
    low = cv2.GaussianBlur(np.where(known[..., None], view, even), (0, 0), 4.0)
    detail = np.where(known[..., None], view - low, 0).astype(np.float32)
    usual = 5 * float(np.median(np.abs(detail[known]))) + 1  # single hairs are not the wall's grain
    detail = np.clip(detail, -usual, usual)
    wall: Floats32 = low + mirror(detail, cv2.erode(known.astype(np.uint8), np.ones((5, 5))) > 0)
    return wall


def neck_edges(portrait: Portrait) -> tuple[float, float]:
    """Columns of the scene frame between which the neck shows, or would."""
    neck = portrait.maps[..., 2].astype(np.float32) / 255
    points = frame.apply(SCENE.from_head(), portrait.points)
    depth = depth_below_jaw(points, SCENE)
    band = (depth > 0.1) & (depth < 0.7)
    shown = ((neck > 0.4) & band).sum(axis=0) > 0.4 * np.maximum(band.sum(axis=0), 1)
    middle = points[CHIN, 0]
    widest = points[172, 0], points[397, 0]
    narrow = 0.7 * widest[0] + 0.3 * middle, 0.7 * widest[1] + 0.3 * middle
    columns = np.nonzero(shown)[0]
    columns = columns[(columns > widest[0]) & (columns < widest[1])]
    if len(columns) < 3:
        return 0.85 * widest[0] + 0.15 * middle, 0.85 * widest[1] + 0.15 * middle
    return min(float(columns.min()), narrow[0]), max(float(columns.max()), narrow[1])


def _shoulders(
    body: Bools, wall: Bools, seen: Bools, points: Floats, neck: tuple[float, float]
) -> Floats:
    """The row at which the body begins, for each column.

    Read off where the head did not cover it, and drawn straight between where it did.
    """
    start = int(np.clip(points[[58, 288], 1].mean(), 1, SCENE.height - 2))
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
    slope = 0.35
    ends = [(0.0, base + slope * neck[0]), (neck[0] - 1, base), (neck[1] + 1, base)]
    ends.append((SCENE.width - 1.0, base + slope * (SCENE.width - 1 - neck[1])))
    spots = {float(x): float(y) for x, y in ends}
    spots.update({float(x): float(top[x]) for x in columns[known]})
    x = np.array(sorted(spots))
    line: Floats = np.interp(columns, x, np.array([spots[value] for value in x]))
    # hair beside the neck hides wall, hair on the chest hides clothes
    line = np.where(has & (top - line < 0.45 * SCENE.eyes), np.maximum(line, top), line)
    # where wall is seen there are no shoulders
    rows = np.arange(SCENE.height)[:, None]
    lowest = np.where(wall & (rows >= start) & (rows < top), rows + 1, 0).max(axis=0)
    return np.where(inside, start, np.maximum(line, lowest))
