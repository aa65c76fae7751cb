"""Which pixels of the texture show what: skin, features, islands; and the skin's directions."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from tools.face_model.frame import SIDE, Frame
from tools.face_model.warp import TextureWarp

from ksame.codecs.face.geometry import OUTLINE, complete

Floats32 = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]

HALF = SIDE // 2
# hulls of landmarks that are no plain skin, and by how many pixels of the texture they are grown
_FEATURES = (
    ((33, 133, 159, 145, 160, 158, 144, 153), 15),
    ((263, 362, 386, 374, 387, 385, 380, 373), 15),
    ((46, 53, 52, 65, 55, 70, 63, 105, 66, 107), 9),
    ((276, 283, 282, 295, 285, 300, 293, 334, 296, 336), 9),
    ((61, 291, 0, 17, 37, 267, 84, 314, 40, 270, 91, 321), 9),
    ((98, 327, 2, 97, 326, 94), 9),
)


@dataclass(frozen=True)
class Regions:
    """Masks of half the texture's side, and unit normals (towards the camera is -z)."""

    skin: Mask
    features: Mask
    core: Mask  # plain skin of the inner face
    eyes: Mask  # where glasses are
    jaw: Mask  # where beards are
    normals: Floats32
    facing: Floats32  # 0 where the surface is seen from the side, 1 where from the front
    skin_full: Mask  # at full resolution, eyes' and mouth's openings filled


def find_regions(frame: Frame, warp: TextureWarp) -> Regions:
    """The regions of a frame."""
    count = 852 + 4 * len(OUTLINE)  # the skin's triangles and the rings'
    own = (warp.owner >= 0) & (warp.owner < count)
    holes = cv2.morphologyEx(own.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((33, 33), np.uint8))
    normals = cv2.GaussianBlur(warp.spread(_normals(frame, count)), (0, 0), 4)
    normals = cv2.resize(normals, (HALF, HALF), interpolation=cv2.INTER_AREA)
    normals /= np.linalg.norm(normals, axis=2, keepdims=True) + 1e-9
    skin = _half(own)
    features = np.zeros((SIDE, SIDE), np.uint8)
    for rows, grow in _FEATURES:
        hull = np.zeros((SIDE, SIDE), np.uint8)
        spots = np.round(frame.places[list(rows)]).astype(np.int32)
        cv2.fillConvexPoly(hull, cv2.convexHull(spots), 1)
        features |= cv2.dilate(hull, np.ones((grow, grow), np.uint8))
    row, column = np.mgrid[:HALF, :HALF]
    inner = skin & (row > 25) & (row < 165) & (abs(column - HALF / 2) < 66)
    return Regions(
        skin=skin,
        features=_half(features > 0),
        core=inner & ~_half(features > 0),
        eyes=skin & (row > 45) & (row < 105) & (abs(column - HALF / 2) < 76),
        jaw=skin & (row > 108),
        normals=normals.astype(np.float32),
        facing=np.clip((-normals[..., 2] - 0.2) / 0.3, 0, 1).astype(np.float32),
        skin_full=holes > 0,
    )


def _half(mask: Mask) -> Mask:
    return cv2.resize(mask.astype(np.uint8), (HALF, HALF), interpolation=cv2.INTER_AREA) > 0


def _normals(frame: Frame, count: int) -> npt.NDArray[np.float64]:
    mean = frame.mean.astype(np.float32)
    points = complete(mean, mean, np.zeros(2, np.float32), frame.rings.astype(np.float32))
    triangles = frame.triangles[:count]
    a, b, c = (points[triangles[:, i]].astype(np.float64) for i in range(3))
    flat = np.cross(b - a, c - a)
    flat *= np.where(flat[:, 2] > 0, -1, 1)[:, None]
    out = np.zeros((len(points), 3))
    for corner in range(3):
        np.add.at(out, triangles[:, corner], flat)
    return out / (np.linalg.norm(out, axis=1, keepdims=True) + 1e-9)
