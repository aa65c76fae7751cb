"""What of a frame is head, what is neck and what is neither.

The person mask of the segmentation model tells people from background. Below the jaw that is not
enough: hair on the shoulders belongs to the head and clothes do not. Colour decides there, with
models taken from the picture itself: hair above the brow, skin on the cheeks, clothes below. Locks
that the segmentation model overlooks are found as what differs from the wall near the head.
"""

from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np
import numpy.typing as npt

from ksame.composite.blend import largest, smooth, smoothstep
from ksame.composite.frame import CHIN, NOSE, OUTLINE, Floats, Frame, Image

Floats32 = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]

_BINS = (16, 12, 12)
_CRUMB = 0.35  # squared eye distances
_ALIKE = 0.03  # of clothes or wall: if more has the colour of hair, it tells nothing there
_PLAIN = 5.0  # grey levels that a plain wall differs from its mean by
_UNDER_LIP = 17
_JAW_SIDES = (58, 288)  # where the jaw turns up to the ears


@dataclass(frozen=True)
class Maps:
    """Soft masks of a frame, (height, width) float32 in 0 to 1.

    Attributes
    ----------
    person : array
        Anybody, as the segmentation model sees it.
    head : array
        Face, ears and hair, hair on the shoulders too; not the neck.
    neck : array
        Bare skin below the jaw.
    hair : array
        What has the colour of the hair, wherever it is.
    """

    person: Floats32 = field(repr=False)
    head: Floats32 = field(repr=False)
    neck: Floats32 = field(repr=False)
    hair: Floats32 = field(repr=False)


def find_maps(
    view: Image, person: Floats32, points: Floats, frame: Frame, seen: Bools | None = None
) -> Maps:
    """Split a frame's view of a photo into head, neck and the rest.

    ``points`` lie in that frame; ``seen`` says which of its pixels the photo covers.
    """
    face = hull(points, 1.0, frame)
    person = np.maximum(person.astype(np.float32), face)
    below = depth_below_jaw(points, frame) > 0
    reach = _reach(points, frame)
    known = person if seen is None else person * seen
    hair, skin = _hair_and_skin(view, known, points, frame, reach)
    # far from the face only hair belongs to the head: an arm or a neighbour does not
    above = np.where(reach < 1.0, 1.0, np.clip(1.5 * hair, 0, 1) * (reach < 1.7))
    # beside the jaw a collar can stand as high as hair hangs down
    collar = np.arange(frame.height)[:, None] > points[_UNDER_LIP, 1]
    collar = collar & (hull(points, 1.1, frame) == 0)
    above = np.where(collar, np.minimum(above, np.clip(1.5 * np.maximum(hair, skin), 0, 1)), above)
    above = cv2.GaussianBlur(above.astype(np.float32), (0, 0), 1.5)
    hanging = _attached(hair * person, (reach < 0.8) & ~below, points)
    head = np.where(below, hanging, above).astype(np.float32)
    guide = cv2.cvtColor(view, cv2.COLOR_RGB2GRAY).astype(np.float32) / 255
    matte = guided(guide, person * head, round(frame.eyes / 10), 2e-4)
    matte = np.clip((matte - 0.15) / 0.8, 0, 1)  # the model is unsure by a little everywhere
    neck = guided(guide, person * skin * below, round(frame.eyes / 12), 1e-3)
    return Maps(person, np.maximum(matte, face), neck, hair)


def hull(points: Floats, width: float, frame: Frame) -> Floats32:
    """The face's outline widened around its centre, filled with 1."""
    outline = points[list(OUTLINE)]
    centre = (outline.min(axis=0) + outline.max(axis=0)) / 2
    mask = np.zeros((frame.height, frame.width), np.float32)
    corners = np.round((centre + (outline - centre) * width) * 16).astype(np.int32)
    cv2.fillPoly(mask, [corners], 1.0, cv2.LINE_AA, shift=4)
    return mask


def guided(guide: Floats32, mask: Floats32, radius: int, eps: float) -> Floats32:
    """The guided filter of He et al. (2010): a soft mask that follows the edges of ``guide``.

    Its coefficients are found on copies of half the size (He & Sun 2015) and applied to the whole.
    """
    half = (guide.shape[1] // 2, guide.shape[0] // 2)
    small, wanted = (cv2.resize(part, half, interpolation=cv2.INTER_AREA) for part in (guide, mask))
    side = (2 * (radius // 2) + 1, 2 * (radius // 2) + 1)
    mean_g, mean_m = cv2.blur(small, side), cv2.blur(wanted, side)
    cov = cv2.blur(small * wanted, side) - mean_g * mean_m
    var = cv2.blur(small * small, side) - mean_g * mean_g
    a = cov / (var + eps)
    b = mean_m - a * mean_g
    size = (guide.shape[1], guide.shape[0])
    a, b = (cv2.resize(cv2.blur(part, side), size) for part in (a, b))
    filtered: Floats32 = np.clip(a * guide + b, 0, 1)
    return filtered


def depth_below_jaw(points: Floats, frame: Frame) -> Floats32:
    """How far each pixel lies below the jaw line, in eye distances; level beside the jaw."""
    jaw = points[list(OUTLINE)]
    limit = points[list(_JAW_SIDES), 1].mean()
    lower = jaw[jaw[:, 1] >= limit - 1e-9]
    lower = lower[np.argsort(lower[:, 0])]
    curve = np.interp(np.arange(frame.width), lower[:, 0], lower[:, 1], limit, limit)
    rows = np.arange(frame.height, dtype=np.float32)[:, None]
    depth: Floats32 = (rows - curve[None, :].astype(np.float32)) * np.float32(1 / frame.eyes)
    return depth


def locks(view: Image, maps: Maps, points: Floats, frame: Frame) -> Floats32:
    """Locks of hair before the wall that the segmentation model took for wall.

    What differs from the smoothed wall by much more than the wall itself does, near the head.
    """
    wall = (maps.person < 0.05).astype(np.float32)
    if wall.sum() < 0.02 * wall.size:
        return np.zeros_like(wall)
    near = cv2.distanceTransform((maps.head < 0.5).astype(np.uint8), cv2.DIST_L2, 3) / frame.eyes
    far = wall * (near > 0.8)
    level = smooth(view.astype(np.float32), 0.5 * frame.eyes, far if far.any() else wall)
    apart = largest(np.abs(view - level))
    sample = apart[::2, ::2][far[::2, ::2] > 0]
    noise = float(np.median(sample)) if len(sample) else 20.0
    odd = (apart > 6 + 3 * noise) & (near < 1.6) & (maps.person < 0.6)
    if noise < _PLAIN:  # before a plain wall, single hairs too faint to be seen as such
        odd |= (near < 0.7) & (maps.person < 0.1)
    odd &= depth_below_jaw(points, frame) < 1.8
    found = cv2.dilate(odd.astype(np.float32), np.ones((5, 5), np.uint8))
    # shoulders keep their edge; what is thinner than an arm is hair
    body = ((maps.person > 0.5) & (maps.head < 0.2)).astype(np.uint8)
    body = cv2.morphologyEx(body, cv2.MORPH_OPEN, np.ones((15, 15), np.uint8))
    thin = (maps.person > 0.3) & (maps.head < 0.5) & (near < 1.6)
    thin &= cv2.dilate(body, np.ones((9, 9), np.uint8)) == 0
    found = np.maximum(found, cv2.dilate(thin.astype(np.float32), np.ones((5, 5), np.uint8)))
    clear: Floats32 = found * (cv2.dilate(body, np.ones((13, 13), np.uint8)) == 0)
    return clear


def crumbs(maps: Maps, removed: Floats32, points: Floats, frame: Frame) -> Floats32:
    """Small pieces of hair beside what is removed: ends of locks that lie on a shoulder.

    Only where hair differs from clothes and wall: else a dark collar would go with it.
    """
    hair = maps.hair > 0.5
    depth = depth_below_jaw(points, frame)
    torso = (maps.person > 0.8) & (maps.head < 0.2) & (depth > 0.6)
    for other in (torso, maps.person < 0.05):
        if other.any() and hair[other].mean() > _ALIKE:
            return np.zeros_like(removed)
    away = (removed > 0.5).astype(np.uint8)
    loose = (hair & (away == 0) & (depth > -0.6)).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(loose)
    beside = cv2.dilate(away, np.ones((9, 9), np.uint8)) & loose
    chosen = np.zeros(len(stats), bool)
    chosen[labels[beside > 0]] = True
    chosen &= stats[:, cv2.CC_STAT_AREA] < _CRUMB * frame.eyes**2
    found: Floats32 = cv2.dilate(chosen[labels].astype(np.float32), np.ones((5, 5), np.uint8))
    return found


def _hair_and_skin(
    view: Image, person: Floats32, points: Floats, frame: Frame, reach: Floats32
) -> tuple[Floats32, Floats32]:
    """Per pixel: how sure it is hair, and how sure it is skin, by colour."""
    lab = cv2.cvtColor(view, cv2.COLOR_RGB2LAB)
    index = _bin(lab)
    rows = np.arange(frame.height)[:, None]
    brow, chin = points[[105, 334], 1].mean(), points[CHIN, 1]
    sure = person > 0.8
    wide, inner = hull(points, 1.08, frame) > 0, hull(points, 0.8, frame) > 0
    cheeks = inner & (rows > brow + 0.15 * frame.eyes)
    skin = _histogram(index, cheeks)
    like = _like(lab, cheeks)
    beside = (rows < chin) & (reach < 1.0) & (like < 0.05)
    hair = _histogram(index, sure & ~wide & ((rows < brow) | beside))
    clothes = _histogram(index, sure & (rows > chin + 0.6 * frame.eyes))
    # long hair lies among the clothes at the bottom: what looks like hair is taken for hair
    clothes = np.where(hair > 0.5 * clothes, 0.0, clothes)
    total = hair + skin + clothes + 2e-4
    is_hair = (hair / total).astype(np.float32)[index] * (1 - smoothstep(like, 0.1, 0.5))
    is_skin = like * (1 - is_hair)
    torso = sure & (rows > chin + 0.3 * frame.eyes) & (like < 0.3)
    is_hair = is_hair * (rows < _hair_ends(is_hair, sure & ~wide, torso, points, frame)[None, :])
    front = np.abs(np.arange(frame.width)[None, :] - points[CHIN, 0]) < 0.5 * frame.eyes
    beard = is_hair[inner & front & (rows > points[_UNDER_LIP, 1])]
    if not beard.size or beard.mean() < 0.25:  # then no hair lies before the throat either
        is_hair = np.where(front & (rows > chin), 0.0, is_hair)
    blurred = [
        cv2.GaussianBlur(part.astype(np.float32), (0, 0), 1.0) for part in (is_hair, is_skin)
    ]
    return blurred[0], blurred[1]


def _hair_ends(hair: Floats32, beside: Bools, torso: Bools, points: Floats, frame: Frame) -> Floats:
    """The row of each column below which clothes are mistaken for hair.

    Below the jaw everywhere, if nearly all of the torso looks like hair; below the mouth on a side
    where much of it does, and no hair comes down past the cheek.
    """
    columns = np.arange(frame.width)
    middle = points[CHIN, 0]
    near = np.abs(columns - middle) < 2.2 * frame.eyes
    ends = np.full(frame.width, float(frame.height))
    if torso.any() and hair[torso].mean() > 0.8:
        ends[:] = points[CHIN, 1] - 0.1 * frame.eyes
    low, high = (int(np.clip(points[n, 1], 0, frame.height - 1)) for n in (NOSE, _UNDER_LIP))
    past = (hair[low : high + 1] * beside[low : high + 1]).sum(axis=0) / (high + 1 - low)
    for side in (columns < middle, columns >= middle):
        dressed = hair[:, side][torso[:, side]]
        short = past[side & near].sum() < 0.12 * frame.eyes
        if short and dressed.size and dressed.mean() > 0.3:
            ends[side] = high
    return ends


def _like(lab: Image, sample: Bools) -> Floats32:
    """How near each pixel's hue is to a sample's; shade and highlights count little."""
    colours = lab[::2, ::2][sample[::2, ::2]].astype(np.float64)
    middle = np.median(colours, axis=0)
    spread = np.maximum(1.5 * np.median(np.abs(colours - middle), axis=0), (30.0, 3.5, 3.5))
    table = -0.18 * ((np.arange(256)[:, None] - middle) / spread) ** 2
    apart = cv2.LUT(lab, table.astype(np.float32)[None])
    likeness = np.exp(cv2.transform(apart, np.ones((1, 3), np.float32)))
    limited: Floats32 = np.clip(1.6 * likeness - 0.2, 0, 1)
    return limited


def _reach(points: Floats, frame: Frame) -> Floats32:
    """Distance from the face's centre, 1 where bald heads and ears have ended."""
    outline = points[list(OUTLINE)]
    low, high = outline.min(axis=0), outline.max(axis=0)
    half = np.array([0.5, 0.5]) * (high - low) * (1.6, 1.75)
    x = (np.arange(frame.width) - (low[0] + high[0]) / 2) / half[0]
    y = (np.arange(frame.height) - (low[1] + high[1]) / 2) / half[1]
    squares = np.square(x, dtype=np.float32)[None, :] + np.square(y, dtype=np.float32)[:, None]
    distance: Floats32 = np.sqrt(squares)
    return distance


def _bin(lab: Image) -> npt.NDArray[np.intp]:
    """The colour bin of each pixel."""
    level = np.arange(256)
    table = np.empty((1, 256, 3), np.float32)
    table[0, :, 0] = level * _BINS[0] // 256 * (_BINS[1] * _BINS[2])
    for axis, step in ((1, _BINS[2]), (2, 1)):
        table[0, :, axis] = np.clip((level - 92) * _BINS[axis] // 72, 0, _BINS[axis] - 1) * step
    parts = cv2.LUT(lab, table)
    index: npt.NDArray[np.intp] = cv2.transform(parts, np.ones((1, 3), np.float32)).astype(np.intp)
    return index


def _histogram(index: npt.NDArray[np.intp], where: Bools) -> Floats:
    """The smoothed share of each colour bin among the chosen pixels."""
    counts = np.bincount(index[where], minlength=int(np.prod(_BINS))).astype(np.float64)
    light, a, b = (_blur(size) for size in _BINS)
    rows = (light @ counts.reshape(_BINS[0], -1)).reshape(_BINS)
    smoothed = (a @ rows @ b.T).ravel()
    share: Floats = smoothed / max(smoothed.sum(), 1.0)
    return share


@cache
def _blur(size: int) -> Floats:
    """The matrix that smooths a row of so many bins; beyond its ends there is nothing."""
    apart = np.subtract.outer(np.arange(size), np.arange(size))
    kernel = np.exp(-0.5 * (apart / 0.8) ** 2) * (np.abs(apart) <= 3)
    even: Floats = kernel / np.exp(-0.5 * (np.arange(-3, 4) / 0.8) ** 2).sum()
    return even


def _attached(hair: Floats32, face: Bools, points: Floats) -> Floats32:
    """Only the hair that hangs together with the head above.

    The face and the hair that comes down from beside it: shoulders reach up to the neck alone.
    """
    solid = ((hair > 0.45) | face).astype(np.uint8)
    solid = cv2.morphologyEx(solid, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    _, labels = cv2.connectedComponents(solid)
    x, y = np.clip(points[168].astype(int), 0, np.array(hair.shape)[::-1] - 1)
    near = cv2.GaussianBlur((labels == labels[y, x]).astype(np.float32), (0, 0), 2.0)
    kept: Floats32 = np.clip(hair * 1.6 - 0.3, 0, 1) * np.clip(near * 2, 0, 1)
    return kept
