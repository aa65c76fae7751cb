"""The common frame in which the bench hands photos' faces to every recogniser.

A crop is 240 x 240 RGB with the eyes about 62 pixels apart and level: wide enough for the widest
recogniser (dlib's chip reaches 1.45 eye distances to each side), so that the attacker sees hair,
ears and jaw as they would in the photo.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

import cv2
import numpy as np

from ksame.arrays import AnyFloats, Array, Floats, Floats32, Image
from ksame.errors import InputError
from ksame.faces import Face
from ksame.geometry import inverse, similarity
from ksame.vision.sampling import sample

SIDE = 240

# ArcFace's five points, which SFace was trained with, at 1.75 of their size around the middle.
POINTS = np.array(
    [[89.02, 94.97], [150.68, 94.63], [120.04, 130.04], [94.71, 166.14], [145.78, 165.86]]
)
# YuNet's box in this frame: mean over faces of the London set.
_BOX = np.array([54.0, 19.0, 190.0, 216.0])
FACE = Face(box=_BOX, score=1.0, points=POINTS)

# The part of a crop that N's frame of 99 x 134 shows: eyes, nose, mouth and chin.
_INNER = (slice(21, 219), slice(47, 193))
_NEWTON = (99, 134)

Crops = Image


def crop(rgb: Image, points: Floats) -> Crops:
    """One face of a photo, `(240, 240, 3)`, placed by its five points; black beyond the photo."""
    if rgb.ndim == 2:
        rgb = np.repeat(rgb[:, :, None], 3, axis=2)
    patch: Crops = sample(
        np.ascontiguousarray(rgb), inverse(similarity(points, POINTS)), (SIDE, SIDE)
    )
    return patch


def inner_grey(crops: Array) -> Floats32:
    """The inner face of crops in grey, `(n, 134, 99)`: what Eigenfaces sees."""
    if crops.ndim != 4 or crops.shape[1:] != (SIDE, SIDE, 3):
        raise InputError(f"crops of shape {crops.shape}; (n, {SIDE}, {SIDE}, 3) is needed.")
    rows, columns = _INNER
    grey = [cv2.cvtColor(c[rows, columns], cv2.COLOR_RGB2GRAY) for c in crops]
    small = [cv2.resize(g, _NEWTON, interpolation=cv2.INTER_AREA) for g in grey]
    return np.asarray(small, dtype=np.float32).reshape(-1, *_NEWTON[::-1])


def describe_once(
    faces: Array,
    describe: Callable[[Array], AnyFloats],
    known: dict[bytes, Floats],
) -> Floats:
    """Describe each distinct face once, and none that is `known` already.

    k-anonymous releases hold every face k times or more, and a gallery is attacked again and again.
    """
    keys = [blake2b(np.ascontiguousarray(f).tobytes(), digest_size=16).digest() for f in faces]
    for key, face in zip(keys, faces, strict=True):
        if key not in known:
            known[key] = np.asarray(describe(face), dtype=np.float64)
    return np.stack([known[key] for key in keys]) if keys else np.zeros((0, 0))
