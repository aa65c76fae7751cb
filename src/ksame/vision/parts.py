"""What each pixel around a face shows: hair, skin of face or body, clothes, things, background.

The network sees 256 x 256 pixels. Several faces of a photo are shown to it at once, as the tiles of
a mosaic: it tells their parts as well as one by one, in a quarter or a sixteenth of the time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32, Image
from ksame.vision.images import check_rgb
from ksame.vision.sampling import sample
from ksame.weights.runtimes import Session
from ksame.weights.session import session

BACKGROUND, HAIR, BODY_SKIN, FACE_SKIN, CLOTHES, THINGS = range(6)  # the network's order
_SIDE = 256
_AROUND = 1.8  # side of a tile over the landmarks' extent: hair and hands are told by their own
LEAST = 12.0  # px of the landmarks' extent below which nothing is told
# tiles a side: faces larger than the first figure get quarters of the mosaic, others sixteenths
LARGE, QUARTERS, SIXTEENTHS = 40.0, 2, 4
_RIGHT_EYE, _LEFT_EYE, _FOREHEAD, _CHIN = 33, 263, 10, 152
_IN_PROFILE = 0.35  # of the way from forehead to chin: eyes closer than this do not tell the roll


@dataclass(frozen=True)
class Parts:
    """What the network tells of one face and its surroundings.

    Attributes
    ----------
    scores : (n, n, 6) array
        How surely each pixel of the tile is each part, 0 to 1.
    to_photo : (2, 3) array
        From the tile's pixels to the photo's.
    """

    scores: Floats32 = field(repr=False)
    to_photo: Floats = field(repr=False)

    def over(self, box: Sequence[float], size: tuple[int, int]) -> Floats32:
        """The scores over a box (xyxy) of the photo, as (height, width, 6) of ``size``."""
        x0, y0, x1, y1 = box
        steps = np.array([(x1 - x0) / size[0], (y1 - y0) / size[1]])
        # a cell's middle, in the photo's pixels
        cells = np.column_stack([np.diag(steps), np.array([x0, y0]) + steps / 2 - 0.5])
        turn, shift = self._inverse()
        to_tile = np.column_stack([turn @ cells[:, :2], turn @ cells[:, 2] + shift])
        return self._warped(to_tile, size)

    def at(self, places: Floats32) -> Floats32:
        """The scores at places (h, w, 2) of the photo, as (h, w, 6)."""
        turn, shift = self._inverse()
        local = (places.astype(np.float64) @ turn.T + shift).astype(np.float32)
        halves = [
            cv2.remap(part, local, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
            for part in self._halves()
        ]
        return np.concatenate(halves, axis=2)

    def _inverse(self) -> tuple[Floats, Floats]:
        turn: Floats = np.linalg.inv(self.to_photo[:, :2]).astype(np.float64)
        return turn, -turn @ self.to_photo[:, 2]

    def _halves(self) -> tuple[Floats32, Floats32]:
        """Three channels each: OpenCV takes no more than four."""
        return (
            np.ascontiguousarray(self.scores[..., :3]),
            np.ascontiguousarray(self.scores[..., 3:]),
        )

    def _warped(self, to_tile: Floats, size: tuple[int, int]) -> Floats32:
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        halves = [
            cv2.warpAffine(part, to_tile, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
            for part in self._halves()
        ]
        return np.concatenate(halves, axis=2)


def find_parts(rgb: Image, faces: Sequence[Floats]) -> list[Parts | None]:
    """The parts around faces, each given by its (478, 2) landmarks; None for those too small.

    None for all where no runtime is installed that can run the network (LiteRT).
    """
    image = check_rgb(rgb)
    found: list[Parts | None] = [None] * len(faces)
    if find_spec("ai_edge_litert") is None:
        return found
    for rows, across in looks(faces):
        # one face alone is shown as large as it goes
        tiles = across if len(rows) > 1 else 1
        maps = [tile(faces[i], _SIDE // tiles) for i in rows]
        for i, to_photo, scores in zip(rows, maps, _told(image, maps, tiles), strict=True):
            found[i] = Parts(scores, to_photo)
    return found


def looks(faces: Sequence[Floats]) -> list[tuple[list[int], int]]:
    """Which faces are shown to the network at once, and as how many tiles a side."""
    extents = [extent_of(points) for points in faces]
    large = [i for i, extent in enumerate(extents) if extent >= LARGE]
    small = [i for i, extent in enumerate(extents) if LEAST <= extent < LARGE]
    return [
        (chosen[start : start + across**2], across)
        for chosen, across in ((large, QUARTERS), (small, SIXTEENTHS))
        for start in range(0, len(chosen), across**2)
    ]


def extent_of(points: Floats) -> float:
    """The longer side of the box around a face's landmarks, px."""
    return float(np.ptp(points, axis=0).max())


def tile(points: Floats, side: int) -> Floats:
    """The map to the photo of a tile of ``side`` px: the face upright in its middle."""
    extent = extent_of(points)
    across, down = points[_LEFT_EYE] - points[_RIGHT_EYE], points[_CHIN] - points[_FOREHEAD]
    if np.hypot(*across) < _IN_PROFILE * np.hypot(*down):
        across = np.array([down[1], -down[0]])
    angle = float(np.arctan2(across[1], across[0]))
    cos, sin = np.cos(angle), np.sin(angle)
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    turn = np.array([[cos, -sin], [sin, cos]]) * (_AROUND * extent / side)
    return np.column_stack([turn, centre - turn @ np.full(2, (side - 1) / 2)])


def _told(image: Image, maps: Sequence[Floats], tiles: int) -> list[Floats32]:
    """The network's answer for the tiles of one mosaic; empty tiles repeat the others."""
    side = _SIDE // tiles
    shown = [sample(image, to_photo, (side, side), cv2.BORDER_REPLICATE) for to_photo in maps]
    mosaic = np.empty((_SIDE, _SIDE, 3), np.uint8)
    for place in range(tiles * tiles):
        y, x = (side * at for at in divmod(place, tiles))
        mosaic[y : y + side, x : x + side] = shown[place % len(shown)]
    answer = scores_of(session("parts"), mosaic)
    corners = [(side * (n // tiles), side * (n % tiles)) for n in range(len(maps))]
    return [np.ascontiguousarray(answer[y : y + side, x : x + side]) for y, x in corners]


def scores_of(network: Session, picture: Image) -> Floats32:
    """The network's answer to a picture (h, w, 3), as shares of one."""
    answer = network.run(picture[None] * np.float32(1 / 255), ("Identity",))[0][0]
    # part by part: NumPy is slow along an axis of six
    likeliest = np.maximum.reduce([answer[..., part] for part in range(answer.shape[2])])
    answer = np.exp(answer - likeliest[..., None])
    total = sum((answer[..., part] for part in range(1, answer.shape[2])), answer[..., 0])
    shares: Floats32 = answer / total[..., None]
    return shares
