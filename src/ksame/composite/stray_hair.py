"""Hair that the maps of a frame miss, and that has to go with the head.

Distances are in eye distances; squares of pixels are those of the scene frame (40 pixels between
the eyes). The figures were chosen on photos of the five test sets, where hair stood out or clothes
were taken along.
"""

from typing import Final

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32, Image, medians
from ksame.composite.blend import largest, smooth
from ksame.composite.frame import HeadFrame
from ksame.composite.matte import Maps, depth_below_jaw

_SURELY_WALL: Final = 0.05  # of the person mask: less is certainly nobody
_LEAST_WALL: Final = 0.02  # of the frame: with less wall nothing is known of it
_UNDISTURBED: Final = 0.8  # eye distances from the head: no hair lies there
_WALL_TONE: Final = 0.5  # eye distances: what is coarser is the wall's own light
_UNKNOWN_NOISE: Final = 20.0  # grey levels, where no wall is far enough to measure it
_FAINTEST, _TIMES_NOISE = 6, 3  # grey levels, and times the wall's noise, by which hair differs
_PLAIN: Final = 5.0  # grey levels that a plain wall differs from its mean by
_REACH: Final = 1.6  # eye distances from the head that locks stand out by
_HALO: Final = 0.7  # eye distances from the head that single, faint hairs stand out by
_LONGEST: Final = 1.8  # eye distances below the jaw: further down it is the body
_TORSO: Final = 0.6  # eye distances below the jaw at which clothes have begun
_HIGHEST_END: Final = -0.6  # eye distances below the jaw: ends of locks do not lie higher
_LARGEST_END: Final = 0.35  # squared eye distances
_ALIKE: Final = 0.03  # of clothes or wall: if more has the colour of hair, it tells nothing there
_RIM = np.ones((5, 5), np.uint8)  # the soft rim of hair goes with it
_EDGE = np.ones((9, 9), np.uint8)  # what touches
_WIDE_EDGE = np.ones((13, 13), np.uint8)  # shoulders keep their edge
_ARM = np.ones((15, 15), np.uint8)  # what is thinner than an arm is hair


def overlooked_locks(view: Image, maps: Maps, points: Floats, frame: HeadFrame) -> Floats32:
    """Locks of hair before the wall that the segmentation model took for wall.

    What differs from the smoothed wall by much more than the wall itself does, near the head.
    """
    wall = (maps.person < _SURELY_WALL).astype(np.float32)
    if wall.sum() < _LEAST_WALL * wall.size:
        return np.zeros_like(wall)
    near = cv2.distanceTransform((maps.head < 0.5).astype(np.uint8), cv2.DIST_L2, 3) / frame.eyes
    far = wall * (near > _UNDISTURBED)
    level = smooth(view.astype(np.float32), _WALL_TONE * frame.eyes, far if far.any() else wall)
    apart = largest(np.abs(view - level))
    sample = apart[::2, ::2][far[::2, ::2] > 0]
    noise = float(medians(sample)) if len(sample) else _UNKNOWN_NOISE
    odd = (apart > _FAINTEST + _TIMES_NOISE * noise) & (near < _REACH) & (maps.person < 0.6)
    if noise < _PLAIN:  # before a plain wall, single hairs too faint to be seen as such
        odd |= (near < _HALO) & (maps.person < 0.1)
    odd &= depth_below_jaw(points, frame) < _LONGEST
    found = cv2.dilate(odd.astype(np.float32), _RIM)
    # shoulders keep their edge; what is thinner than an arm is hair
    body = ((maps.person > 0.5) & (maps.head < 0.2)).astype(np.uint8)
    body = cv2.morphologyEx(body, cv2.MORPH_OPEN, _ARM)
    thin = (maps.person > 0.3) & (maps.head < 0.5) & (near < _REACH)
    thin &= cv2.dilate(body, _EDGE) == 0
    found = np.maximum(found, cv2.dilate(thin.astype(np.float32), _RIM))
    clear: Floats32 = found * (cv2.dilate(body, _WIDE_EDGE) == 0)
    return clear


def ends_of_locks(maps: Maps, removed: Floats32, points: Floats, frame: HeadFrame) -> Floats32:
    """Ends of locks that lie on a shoulder: small pieces of hair next to what is removed.

    Only where hair differs from clothes and wall: else a dark collar would go with it.
    """
    hair = maps.hair > 0.5
    depth = depth_below_jaw(points, frame)
    torso = (maps.person > 0.8) & (maps.head < 0.2) & (depth > _TORSO)
    for other in (torso, maps.person < _SURELY_WALL):
        if other.any() and hair[other].mean() > _ALIKE:
            return np.zeros_like(removed)
    taken = (removed > 0.5).astype(np.uint8)
    remaining = (hair & (taken == 0) & (depth > _HIGHEST_END)).astype(np.uint8)
    touching = cv2.dilate(taken, _EDGE) & remaining
    ends = np.zeros_like(removed)
    x, y, width, height = cv2.boundingRect(remaining)  # most of the frame has none
    if not touching.any():
        return ends
    part = np.s_[y : y + height, x : x + width]
    _, labels, stats, _ = cv2.connectedComponentsWithStats(remaining[part])
    chosen = np.zeros(len(stats), bool)
    chosen[labels[touching[part] > 0]] = True
    chosen &= stats[:, cv2.CC_STAT_AREA] < _LARGEST_END * frame.eyes**2
    ends[part] = chosen[labels]
    found: Floats32 = cv2.dilate(ends, _RIM)
    return found
