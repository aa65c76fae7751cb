"""A head cut out of its photo: colours without the wall behind them, alpha, and the neck's share.

Distances are in eye distances below the jaw unless they say otherwise. They were chosen on photos
of the five test sets, for edges that neither glow nor show the wall.
"""

from typing import Final, TypeVar, cast

import cv2
import numpy as np

from ksame import geometry
from ksame.arrays import Floats, Floats32, Image
from ksame.composite import frame
from ksame.composite.blend import smoothstep
from ksame.composite.fill import push_pull
from ksame.composite.frame import BETWEEN_EYES, HEAD, MATTE, SCENE, HeadFrame
from ksame.composite.masks import hull
from ksame.composite.matte import Maps, depth_below_jaw

_NECK: Final = (0.15, 0.7)  # between which the neck fades out
_SURELY_WALL: Final = 0.05  # of the person mask: less is certainly nobody
_GLOW: Final = 15  # grey levels that an edge may become lighter by
_RIM: Final = (0.03, 0.12)  # eye distances outside the face: neither surely head nor surely neck
_ABOVE_JAW: Final = (-0.25, -0.05)  # where the jaw line begins to count
_BARE_FADE, _COLLAR_FADE = (0.15, 0.4), (0.0, 0.08)  # where it ends, over skin and over a collar
_JAW_LINE: Final = (0.0, 0.06)  # where the head ends and what hangs from it begins
_BELOW: Final = 0.03  # surely below the jaw
_HANGING: Final = (0.35, 0.75)  # of the head matte between which hanging hair becomes solid
_NECK_TRUST: Final = 1.3  # times the neck mask: three quarters are enough to be sure
_LEAVES: Final = 0.4  # eye distances above the frame's lower edge, where leaving hair fades
_UNDER_JAW: Final = (0.1, 0.5)  # the band that tells skin from a collar
_BARE_SHARE: Final = (0.15, 0.45)  # of that band that is skin
_COLUMN_BLUR: Final = 2.0  # columns
_LOCK: Final = 0.2  # eye distances: narrower is no lock of hair
_SOLID: Final = 0.25  # of the head matte: enough to hold two parts together
_SOFT: Final = 4  # columns over which an edge fades
_JAW: Final = (172, 397)  # landmarks between which the jaw has its full width
_DISC = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
Picture = TypeVar("Picture", Image, Floats32)


def cut_out(view: Image, scene: Image, maps: Maps, points: Floats) -> tuple[Image, Image]:
    """Head and fading neck, premultiplied, the wall's share taken out; and the neck's share."""
    small = _alpha(maps, points / 2)
    x0, y0, x1, y1 = frame.bounding_box(as_matte(small[0]))  # most of the frame is no head
    at = np.s_[2 * y0 : 2 * y1, 2 * x0 : 2 * x1]
    size = (2 * (x1 - x0), 2 * (y1 - y0))
    alpha, neck, through = (
        cv2.resize(part[y0:y1, x0:x1], size, interpolation=cv2.INTER_LINEAR) for part in small
    )
    opacity, shown = as_matte(alpha), np.ascontiguousarray(view[at])
    own = cv2.multiply(shown, cv2.merge((opacity,) * 3), scale=1 / 255)
    # the edge of hair shows the wall through it; below the jaw there is skin behind, not the wall
    edge = np.flatnonzero((opacity > 0) & (opacity < 255) & (through > 0))
    wall = maps.person < _SURELY_WALL
    behind = as_matte(push_pull(scene.astype(np.float32), wall, finest=2), 1)
    seen, back = (i.reshape(-1, 3).take(edge, axis=0) for i in (shown, _seen_in(HEAD, behind, at)))
    share, open_ = (part.take(edge)[:, None] for part in (alpha, through))
    hair = seen * np.maximum(share, open_) - back * (open_ * (1 - share))
    # where the matte is too low, taking the wall out of skin would leave it glowing
    most = np.minimum(seen + np.float32(_GLOW), 255) * share
    own.reshape(-1, 3)[edge] = np.rint(np.clip(hair, 0, most))
    layer, necks = (
        np.zeros((HEAD.height, HEAD.width, 4), np.uint8),
        np.zeros((HEAD.height, HEAD.width), np.uint8),
    )
    layer[at] = cv2.merge([*cv2.split(own), opacity])
    necks[at] = as_matte(neck)
    return layer, necks


def _seen_in(place: HeadFrame, part: Picture, at: tuple[slice, slice] = np.s_[0:, 0:]) -> Picture:
    """What another frame, or a part of it, shows of the scene frame."""
    to_place = geometry.then(geometry.inverse(SCENE.from_head()), place.from_head())
    (y0, y1, _), (x0, x1, _) = at[0].indices(place.height), at[1].indices(place.width)
    to_place[:, 2] -= (x0, y0)
    placed = cv2.warpAffine(
        part, to_place, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return cast(Picture, placed)


def _alpha(maps: Maps, points: Floats) -> tuple[Floats32, Floats32, Floats32]:
    """The layer's alpha, the neck's share of it, and where the wall may show through it.

    All of it, and ``points``, in the matte frame.
    """
    person, head, neck = (_seen_in(MATTE, part) for part in (maps.person, maps.head, maps.neck))
    face = hull(points, 1.0, MATTE)
    outside = cv2.distanceTransform((face < 0.5).astype(np.uint8), cv2.DIST_L2, 3)
    outside *= np.float32(1 / MATTE.eyes)
    depth = np.minimum(depth_below_jaw(points, MATTE), outside - np.float32(1e-3))
    fade = 1 - smoothstep(depth, *_NECK)
    # at the jaw line itself neither head nor neck is sure: what is person there is solid
    rim = 1 - smoothstep(outside, *_RIM)
    bare = _bare_columns(neck, depth)
    line = person * smoothstep(depth, *_ABOVE_JAW)
    line *= (
        1 - smoothstep(depth, *_BARE_FADE) * bare - smoothstep(depth, *_COLLAR_FADE) * (1 - bare)
    )
    line *= np.maximum(_between(points[_JAW[0], 0], points[_JAW[1], 0]), np.maximum(rim, face))
    below = smoothstep(depth, *_JAW_LINE)
    hanging = smoothstep(_thick(head * (depth > _BELOW)), *_HANGING)
    head = head + (hanging - head) * below
    head = _joined(head, points)
    throat = np.maximum(np.clip(_NECK_TRUST * neck, 0, 1), line) * fade
    alpha = np.maximum(head, throat)
    share = np.clip(1 - head / np.maximum(alpha, 1e-3), 0, 1) * (depth > 0) * (1 - rim)
    end = np.clip((MATTE.height - 2 - np.arange(MATTE.height)) / (_LEAVES * MATTE.eyes), 0, 1)
    alpha = alpha * end.astype(np.float32)[:, None]  # hair that leaves the frame fades
    return alpha, share.astype(np.float32), (depth < 0).astype(np.float32)


def _bare_columns(neck: Floats32, depth: Floats32) -> Floats32:
    """In which columns there is skin under the jaw, and not a collar; one row of 0 to 1."""
    band = ((depth > _UNDER_JAW[0]) & (depth < _UNDER_JAW[1])).astype(np.float32)
    share = (neck * band).sum(axis=0) / np.maximum(band.sum(axis=0), 1)
    columns: Floats32 = cv2.GaussianBlur(
        smoothstep(share, *_BARE_SHARE)[None], (0, 0), _COLUMN_BLUR
    )
    return columns


def _thick(head: Floats32) -> Floats32:
    """Without slivers narrower than a lock of hair: shadows at the neck's edge look like hair."""
    side = int(_LOCK * MATTE.eyes)
    lock = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
    opened = cv2.morphologyEx(as_matte(head), cv2.MORPH_OPEN, lock)
    opened = cv2.GaussianBlur(opened, (0, 0), 1.0).astype(np.float32)
    kept: Floats32 = np.minimum(head, np.float32(1.5 / 255) * opened)
    return kept


def _joined(head: Floats32, points: Floats) -> Floats32:
    """Without what does not hang together with the face."""
    _, labels = cv2.connectedComponents((head > _SOLID).astype(np.uint8))
    x, y = np.clip(points[BETWEEN_EYES].astype(int), 0, (MATTE.width - 1, MATTE.height - 1))
    joined: Floats32 = head * (cv2.dilate((labels == labels[y, x]).astype(np.uint8), _DISC) > 0)
    return joined


def _between(left: float, right: float) -> Floats32:
    """1 in the columns between two, with soft ends."""
    x = np.arange(MATTE.width, dtype=np.float32)[None, :]
    return smoothstep(x, left, left + _SOFT) * (1 - smoothstep(x, right - _SOFT, right))


def as_matte(values: Floats32, scale: float = 255) -> Image:
    """Values of 0 and more as bytes, rounded."""
    rounded: Image = cv2.convertScaleAbs(values, alpha=scale)
    return rounded
