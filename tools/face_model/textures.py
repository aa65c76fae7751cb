"""From pictures to the texture frame: skin, eyeballs and the inside of the mouth."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from tools.face_model.frame import SIDE, Frame
from tools.face_model.sources import Reading, read_picture
from tools.face_model.warp import Box, TextureWarp

from ksame.codecs.face.geometry import EYES, LANDMARKS, SKIN, complete, eyeball, gaze_of
from ksame.codecs.face.pose import find_pose

Floats32 = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]

SKIN_TRIANGLES = 852 + 4 * 36  # MediaPipe's and those of the rings
_RIGHT_LIDS = (33, 246, 161, 160, 159, 158, 157, 173, 133, 155, 154, 153, 145, 144, 163, 7)
_LEFT_LIDS = (263, 466, 388, 387, 386, 385, 384, 398, 362, 382, 381, 380, 374, 373, 390, 249)
_INNER_LIPS = (
    78,
    191,
    80,
    81,
    82,
    13,
    312,
    311,
    310,
    415,
    308,
    324,
    318,
    402,
    317,
    14,
    87,
    178,
    88,
    95,
)


@dataclass(frozen=True)
class Textures:
    """What the pictures show, row by row.

    `eyes` (n, 2, h, w, 4) and `mouths` (n, h, w, 4) are the islands in RGB; their fourth channel
    says how far the eyeball, or what is behind the lips, is seen there.
    """

    skin: Bytes  # (n, side, side, 3)
    classes: Bytes  # (n, side / 2, side / 2, 3): hair, skin, other
    eyes: Bytes
    mouths: Bytes
    eye_box: Box
    mouth_box: Box


def photo_points(
    frame: Frame, points: npt.NDArray[np.floating], rest: Floats32 | None = None
) -> npt.NDArray[np.float64]:
    """All points of the mesh, (n, 3), in the pixels of a picture with these landmarks.

    `rest` (468, 3) is the frontal shape of the same face without expression.
    """
    pose = find_pose(frame.mean, points)
    own = pose.to_model(points)
    skin = own[:SKIN].astype(np.float32)
    still = skin if rest is None else rest
    full = complete(still, skin, np.zeros(2, np.float32), frame.rings.astype(np.float32))
    ring = LANDMARKS + len(frame.rings)
    for number, (corners, gaze) in enumerate(zip(EYES, gaze_of(own), strict=True)):
        patch = eyeball(skin, corners, gaze.astype(np.float32))
        full[SKIN + 5 * number : SKIN + 5 * number + 5] = patch[:5]
        count = len(patch) - 5
        full[ring + count * number : ring + count * (number + 1)] = patch[5:]
    return pose.to_photo(full)


def take_textures(folder: Path, people: Reading, frame: Frame, rests: Floats32) -> Textures:
    """The textures of all pictures; `rests` (n, 468, 3) are their shapes without expression."""
    eye_triangles = (len(frame.triangles) - SKIN_TRIANGLES - 36) // 2
    cuts = np.cumsum([0, SKIN_TRIANGLES, eye_triangles, eye_triangles, 36])
    warps = [
        TextureWarp(frame.places, frame.triangles[a:b], SIDE) for a, b in itertools.pairwise(cuts)
    ]
    eye_box, mouth_box = warps[1].box, warps[3].box
    count = len(people.names)
    out = Textures(
        np.zeros((count, SIDE, SIDE, 3), np.uint8),
        np.zeros((count, SIDE // 2, SIDE // 2, 3), np.uint8),
        np.zeros((count, 2, *warps[1].inside[eye_box].shape, 4), np.uint8),
        np.zeros((count, *warps[3].inside[mouth_box].shape, 4), np.uint8),
        eye_box,
        mouth_box,
    )
    for row, name in enumerate(people.names):
        rgb = read_picture(folder / str(name))
        spots = photo_points(frame, people.points[row], rests[row])[:, :2]
        out.skin[row][warps[0].box] = warps[0].take(rgb, spots)
        place = people.places[row]
        moved = spots @ place[:, :2].T + place[:, 2]
        found = warps[0].take(np.ascontiguousarray(people.classes[row][..., :3]), moved)
        whole = np.zeros((SIDE, SIDE, 3), np.uint8)
        whole[warps[0].box] = found
        out.classes[row] = cv2.resize(whole, (SIDE // 2, SIDE // 2), interpolation=cv2.INTER_AREA)
        for eye, lids in enumerate((_RIGHT_LIDS, _LEFT_LIDS)):
            seen = _with_mask(rgb, people.points[row][list(lids), :2])
            out.eyes[row, eye] = warps[1 + eye].take(seen, spots)
        seen = _with_mask(rgb, people.points[row][list(_INNER_LIPS), :2])
        out.mouths[row] = warps[3].take(seen, spots)
    return out


def _with_mask(rgb: Bytes, outline: Floats32) -> Bytes:
    """The picture with the inside of an outline as fourth channel."""
    mask = np.zeros(rgb.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(outline * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    return np.dstack([rgb, mask])
