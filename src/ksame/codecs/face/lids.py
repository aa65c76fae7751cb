"""The skin of closing eyes: what an open eye's texture holds above the lid's edge is no lid.

There an open eye has the shadow of its socket and its lashes. Stretched over an eye that closes,
they make a black hole, which nobody reads as a closed eye. A closing lid gets the colour of the
cheek instead, a crease above and one line of lashes where the lids meet.
"""

from dataclasses import dataclass, field

import cv2
import numpy as np

from ksame.arrays import Floats32, Image, Indices, Ints32

# subject's left eye, then the right one, as blink weights are ordered: the upper lid's edge from
# the outer to the inner corner, the lower lid's edge back, the lid's crease from the inner corner
_UPPER = (
    (263, 466, 388, 387, 386, 385, 384, 398, 362),
    (33, 246, 161, 160, 159, 158, 157, 173, 133),
)
_LOWER = ((382, 381, 380, 374, 373, 390, 249), (155, 154, 153, 145, 144, 163, 7))
_CREASE = ((414, 286, 258, 257, 259, 260, 467), (190, 56, 28, 27, 29, 30, 247))
_CHEEKS = ((330, 329, 347, 348, 280), (101, 100, 118, 119, 50))
# of the texture's side: how softly the lid ends, and how wide lashes and crease are
_SOFT, _LASH, _FOLD = 0.007, 0.005, 0.006
_LID = 0.9  # of the cheek's brightness: lids lie in the brow's shade
_LASHES, _FOLDED = 0.75, 0.16  # share of the brightness that lashes and crease take
# share of the brightness that lashes of an open eye take: of 315 portraits of nobody the upper
# lid's edge is so much darker than on faces that are drawn in their place
_OPEN_LASHES = 0.4
_MARGIN = 0.03  # of the side: what is changed around an eye at most
_FULL = 0.7  # of the way to closed from which on a lid is all lid


@dataclass(frozen=True)
class _Lid:
    """One eye of the texture: its corner, and how much of each pixel is lid and darker line."""

    corner: tuple[int, int]
    lid: Floats32 = field(repr=False)
    dark: Floats32 = field(repr=False)
    upper: Floats32 = field(repr=False)
    cheek: Indices = field(repr=False)


class Lids:
    """Paints the lids of a texture as far as they are closed."""

    def __init__(self, places: Floats32, side: int) -> None:
        self._eyes = tuple(_lid(places, side, eye) for eye in range(2))

    def paint(self, texture: Image, closed: Floats32) -> None:
        """Close the lids of a texture (side, side, 3) by 0 to 1, in place, the left one first."""
        for eye, amount in zip(self._eyes, closed.tolist(), strict=True):
            share = np.float32(min(amount / _FULL, 1.0))
            x, y = eye.corner
            part = texture[y : y + eye.lid.shape[0], x : x + eye.lid.shape[1]]
            if share <= 0:
                part[:] = np.rint(part * (1 - eye.upper)[..., None]).astype(np.uint8)
                continue
            cheek = np.median(texture[eye.cheek[:, 1], eye.cheek[:, 0]], axis=0) * _LID
            skin = part.astype(np.float32)
            skin += (cheek.astype(np.float32) - skin) * (eye.lid * share)[..., None]
            skin *= 1 - (eye.dark * share + eye.upper * (1 - share))[..., None]
            part[:] = np.clip(np.rint(skin), 0, 255).astype(np.uint8)


def _lid(places: Floats32, side: int, eye: int) -> _Lid:
    """What of the texture belongs to one eye."""
    around = places[list(_UPPER[eye] + _LOWER[eye] + _CREASE[eye])]
    margin = _MARGIN * side
    x0, y0 = np.maximum(np.floor(around.min(axis=0) - margin), 0).astype(int).tolist()
    x1, y1 = np.minimum(np.ceil(around.max(axis=0) + margin), side).astype(int).tolist()
    size = (y1 - y0, x1 - x0)

    def pixels(points: tuple[int, ...]) -> Ints32:
        return np.asarray(np.round((places[list(points)] - (x0, y0)) * 16), np.int32)

    def line(points: tuple[int, ...], wide: float) -> Floats32:
        """A soft line, 1 in its middle."""
        drawn = np.zeros(size, np.uint8)
        cv2.polylines(drawn, [pixels(points)], False, 255, 1, cv2.LINE_AA, shift=4)
        soft = cv2.GaussianBlur(drawn.astype(np.float32), (0, 0), max(wide * side, 0.5))
        return np.asarray(soft / max(float(soft.max()), 1e-6), np.float32)

    lid = np.zeros(size, np.uint8)
    cv2.fillPoly(lid, [pixels(_UPPER[eye] + _CREASE[eye])], 255, shift=4)
    cv2.fillPoly(lid, [pixels(_UPPER[eye] + _LOWER[eye])], 255, shift=4)
    soft = cv2.GaussianBlur(lid.astype(np.float32) / 255, (0, 0), _SOFT * side)
    corners = _UPPER[eye][0], *_LOWER[eye][::-1], _UPPER[eye][-1]
    lashes = np.maximum(line(_UPPER[eye], _LASH), line(corners, _LASH))
    dark = np.maximum(_LASHES * lashes, _FOLDED * line(_CREASE[eye], _FOLD))
    cheek = np.round(places[list(_CHEEKS[eye])]).astype(np.intp)
    return _Lid(
        (x0, y0),
        np.clip(soft * 1.6, 0, 1).astype(np.float32),
        dark.astype(np.float32),
        (_OPEN_LASHES * line(_UPPER[eye], _LASH)).astype(np.float32),
        cheek,
    )
