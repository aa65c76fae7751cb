"""The colours of a face's parts, and what of them does not change with the light.

A change of the light's colour or strength multiplies each channel of all pixels alike. Ratios
between skin, whites of the eyes, lips, brows and iris stay as they are, and so does a small copy
of the face whose channels are divided by their own medians.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from ksame.arrays import Bools, Floats, Floats32, Image, percentile, percentiles
from ksame.geometry import apply, inverse, similarity
from ksame.vision.illuminant import linear, logarithm, luminance
from ksame.vision.sampling import sample

SIDE = 192  # px of the view; 69 px between the outer corners of the eyes resolve their whites
CHIP = 20  # px of the small copy
_PLACED = {33: (0.32, 0.40), 263: (0.68, 0.40), 2: (0.5, 0.62)}  # corners of eyes, base of nose
_CHIP_PART = (slice(38, 170), slice(30, 162))  # of the view: forehead to chin, cheek to cheek
_MIDDLE = slice(64, 128)  # of the view, both ways
_PATCHES = (
    (117, 118, 101, 36, 205, 187, 123),  # right cheek
    (346, 347, 330, 266, 425, 411, 352),  # left cheek
    (108, 151, 337, 336, 9, 107),  # forehead above the brows
    (6, 196, 197, 419, 3, 248, 195),  # bridge of the nose
)
_CHIN = (199, 208, 171, 175, 396, 428)
_EYES = (
    ((33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7), 468),
    ((263, 466, 388, 387, 386, 385, 384, 398, 362, 382, 381, 380, 374, 373, 390, 249), 473),
)
_LIPS = (61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291, 375, 321, 405, 314, 17, 84, 181, 91, 146)
_MOUTH = (78, 191, 80, 81, 82, 13, 312, 311, 310, 415, 308, 324, 318, 402, 317, 14, 87, 178, 88, 95)
_BROWS = (
    (70, 63, 105, 66, 107, 55, 65, 52, 53, 46),
    (300, 293, 334, 296, 336, 285, 295, 282, 283, 276),
)
_FEWEST = 4  # pixels that tell a colour
_SHADE, _SHINE = 30, 90  # percentiles of a patch's luminance between which skin shows its colour
_RED, _GREEN, _BLUE = range(3)
_COLOURED = 2.0  # grey levels by which red or blue of coloured photos leave the curve of green


@dataclass(frozen=True)
class FaceView:
    """A level view of a face, ``SIDE`` px, and the landmarks in it."""

    pixels: Image
    points: Floats

    @classmethod
    def of(cls, image: Image, points: Floats) -> "FaceView":
        """The view of the face with these 478 points of the photo."""
        places = np.array(list(_PLACED.values())) * SIDE
        to_view = similarity(points[list(_PLACED)], places)
        return cls(sample(image, inverse(to_view), (SIDE, SIDE)), apply(to_view, points))


def colours(view: FaceView) -> Floats:
    """Logarithms of a face's colours: the skin's first, the rest as ratios to the skin.

    Skin; lit part of it; its range of brightness; whites of the eyes, iris, lips, brows, chin,
    nose and forehead. NaN where a part cannot be seen.
    """
    light = linear(view.pixels)
    patches = np.array([_patch(light, view.points, patch) for patch in _PATCHES])
    if np.isnan(patches).any():  # a head turned far away hides some
        seen = patches[~np.isnan(patches).any(axis=1)]
        patches = seen if len(seen) else _colour(light[_MIDDLE, _MIDDLE].reshape(-1, 3))[None]
    skin = np.median(patches, axis=0)
    lit = patches[np.argmax(patches[:, _GREEN])]
    spread = np.ptp(patches[:, _GREEN])
    whites, iris = _eyes(light, view.points)
    lips = _inside(view.points, _LIPS) & ~_inside(view.points, _MOUTH)
    brows = [_colour(light[_inside(view.points, brow)], 30) for brow in _BROWS]
    parts = (
        whites,
        iris,
        _colour(light[lips]),
        np.mean(brows, axis=0),
        _patch(light, view.points, _CHIN),
        _patch(light, view.points, _PATCHES[3]),
        _patch(light, view.points, _PATCHES[2]),
    )
    hue = [skin[_RED] - skin[_GREEN], skin[_GREEN] - skin[_BLUE]]
    return np.concatenate([skin, lit - skin, [spread], *(part - skin for part in parts), hue])


def unlit_chip(view: FaceView) -> Floats:
    """A small copy of the face that the light's colour and strength do not change.

    Logarithms, less each channel's median. Both halves are averaged: a light from the side cancels.
    """
    part = view.pixels[_CHIP_PART]
    small = cv2.resize(part, (CHIP, CHIP), interpolation=cv2.INTER_AREA)
    logs = np.log(linear(small).astype(np.float64) + 4e-3)
    logs -= np.median(logs, axis=(0, 1))
    half: Floats = (logs + logs[:, ::-1])[:, : CHIP // 2].ravel() / 2
    return half


def is_coloured(view: FaceView) -> bool:
    """Whether a face has colour; not so in grey photos and toned prints, where one curve rules."""
    red, green, blue = view.pixels[::4, ::4].reshape(-1, 3).T.astype(np.float64)
    terms = np.stack([np.ones_like(green), green, green**2], axis=1)
    for channel in (red, blue):
        curve = np.linalg.lstsq(terms, channel, rcond=None)[0]
        if float(np.std(channel - terms @ curve)) >= _COLOURED:
            return True
    return False


def _inside(points: Floats, outline: tuple[int, ...]) -> Bools:
    mask = np.zeros((SIDE, SIDE), np.uint8)
    cv2.fillPoly(mask, [np.round(points[list(outline)]).astype(np.int32)], 1)
    return mask > 0


def _around(points: Floats) -> tuple[slice, slice]:
    """The rows and columns of the view in which points lie, with two more on each side."""
    low = np.clip(np.floor(points.min(axis=0)).astype(int) - 2, 0, SIDE - 1)
    high = np.clip(np.ceil(points.max(axis=0)).astype(int) + 3, low + 1, SIDE)
    return slice(low[1], high[1]), slice(low[0], high[0])


def _patch(light: Floats32, points: Floats, outline: tuple[int, ...]) -> Floats:
    """The colour of a patch of skin, without its shadows and highlights."""
    hull = cv2.convexHull(np.round(points[list(outline)]).astype(np.int32))
    x, y, width, height = cv2.boundingRect(hull)
    part = light[max(y, 0) : max(y + height, 0), max(x, 0) : max(x + width, 0)]
    mask = np.zeros(part.shape[:2], np.uint8)
    if mask.size:
        cv2.fillConvexPoly(mask, hull - np.array([max(x, 0), max(y, 0)], np.int32), 1)
    pixels = part[mask > 0]
    if len(pixels) < _FEWEST:
        return np.full(3, np.nan)
    bright = luminance(pixels)
    low, high = percentiles(bright, (_SHADE, _SHINE))
    return _colour(pixels[(bright >= low) & (bright <= high)])


def _colour(pixels: Floats32, at: float = 50) -> Floats:
    """The logarithm of a percentile of each channel; NaN of too few pixels."""
    if len(pixels) < _FEWEST:
        return np.full(3, np.nan)
    return logarithm(np.array([percentile(channel, at) for channel in pixels.T]))


def _eyes(light: Floats32, points: Floats) -> tuple[Floats, Floats]:
    """The whites of the eyes, by their brighter part, and the iris; means of both eyes."""
    whites, irises = [], []
    for outline, pupil in _EYES:
        centre = points[pupil]
        radius = np.linalg.norm(points[pupil + 1 : pupil + 5] - centre, axis=1).mean()
        part = _around(points[list(outline)])
        down, across = np.mgrid[part]
        apart = np.hypot(across - centre[0], down - centre[1])
        eye, seen = _inside(points, outline)[part], light[part]
        inner = cv2.erode(eye.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        white = seen[inner & (apart > 1.1 * radius)]
        if len(white) >= _FEWEST:
            bright = luminance(white)
            white = white[bright >= percentile(bright, 60)]
            whites.append(logarithm(white.mean(axis=0)))
        irises.append(_colour(seen[eye & (apart < 0.9 * radius)]))
    unseen = np.full(3, np.nan)
    return (
        np.mean(whites, axis=0) if whites else unseen,
        np.mean(irises, axis=0),
    )
