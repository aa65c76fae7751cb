"""Where a head is laid: in coarse steps, and the same place for a group wherever captures allow.

Position, size and roll of a head are the person's as much as the face is: measured on a released
photo and compared with originals they named people of a group three times as often as guessing.
So a group's heads are laid at one common place of the photo, if none has to leave its shoulders for
that, and what cannot be shared falls on one of few steps, up or down by a secret chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from ksame import geometry
from ksame.arrays import Bools, Floats
from ksame.composite.frame import HEAD, SCENE
from ksame.composite.portrait import Portrait

# the steps are part of the ledger's format: the verifier has them too
SIZE_STEP: Final = 1.08  # ratio of neighbouring sizes
ROLL_STEP: Final = 4.0  # degrees
PLACE_STEP: Final = 0.15  # eye distances
# how far a head may be brought off its own place and still sit on its shoulders
_MOST_SCALED: Final = 1.25  # times larger or smaller
_MOST_TURNED: Final = 11.0  # degrees
_MOST_MOVED: Final = 0.6  # eye distances
_DROPPED: Final = 0.1  # of the faces that are left out at a time while others lie too far off


@dataclass(frozen=True, slots=True)
class Place:
    """Where a head lies, in whole steps: its size over the photo's, its roll, and the middle of
    its eyes from the middle of the photo, in eye distances."""

    size: int
    roll: int
    x: int
    y: int

    def matrix(self, photo: tuple[int, int]) -> Floats:
        """The (2, 3) similarity from a photo of a size (width, height) to the head frame."""
        eyes = _unit(photo) * SIZE_STEP**self.size
        angle = np.radians(self.roll * ROLL_STEP)
        middle = np.array(photo) / 2 + np.array([self.x, self.y]) * PLACE_STEP * eyes
        scale = HEAD.eyes / eyes
        cos, sin = scale * np.cos(angle), scale * np.sin(angle)
        turn = np.array([[cos, sin], [-sin, cos]])
        matrix: Floats = np.c_[turn, np.array([HEAD.width / 2, HEAD.level]) - turn @ middle]
        return matrix


def measured(matrix: Floats, photo: tuple[int, int]) -> Floats:
    """Logarithm of the size over the photo's, roll in degrees, and place over the photo's size."""
    eyes = HEAD.eyes / geometry.scale(matrix)
    roll = np.degrees(np.arctan2(matrix[0, 1], matrix[0, 0]))
    middle = geometry.apply(geometry.inverse(matrix), np.array([[HEAD.width / 2, HEAD.level]]))[0]
    unit = _unit(photo)
    return np.array([np.log(eyes / unit), roll, *((middle - np.array(photo) / 2) / unit)])


def stepped(place: Floats, rng: np.random.Generator | None = None) -> Place:
    """A measured place in whole steps; with ``rng`` up or down by chance, as near as each is."""

    def whole(value: float) -> int:
        return int(np.floor(value + (0.5 if rng is None else rng.random())))

    size = whole(place[0] / np.log(SIZE_STEP))
    step = PLACE_STEP * SIZE_STEP**size
    x, y = (whole(value / step) for value in place[2:])
    return Place(size, whole(place[1] / ROLL_STEP), x, y)


def places_to_take(places: Floats, seed: int) -> list[Place]:
    """One place for every head: the same for all that can sit there.

    Guarantee: a head keeps its own place, in steps, only where the common one is further off than
    `_MOST_SCALED`, `_MOST_TURNED` and `_MOST_MOVED`. The common place is the middle of those who
    take it and lies on whole steps itself.

    Parameters
    ----------
    places : (n, 4) measured places, of the heads of a group that show one look
    seed : decides the steps of those who cannot take the common place
    """
    common, takes = _common(places)
    rng = np.random.default_rng(seed)
    return [common if own else stepped(row, rng) for row, own in zip(places, takes, strict=True)]


def _common(places: Floats) -> tuple[Place, Bools]:
    """The common place and who can take it; who lies furthest off is left out first."""
    takes = np.ones(len(places), bool)
    while True:
        inside = places[takes]
        common = stepped((inside.min(axis=0) + inside.max(axis=0)) / 2)
        far = _too_far(places, common)
        if not (far[takes] > 1).any() or takes.sum() == 1:
            return common, np.asarray(far <= 1)
        off = _too_far(places, stepped(np.median(inside, axis=0)))
        off[~takes] = -1
        takes[np.argsort(-off)[: max(int(_DROPPED * takes.sum()), 1)]] = False


def _too_far(places: Floats, common: Place) -> Floats:
    """How far each place is off the common one; more than 1 is too far."""
    eyes = SIZE_STEP**common.size
    scaled = np.abs(places[:, 0] - np.log(eyes)) / np.log(_MOST_SCALED)
    turned = np.abs(places[:, 1] - common.roll * ROLL_STEP) / _MOST_TURNED
    there = np.array([common.x, common.y]) * PLACE_STEP * eyes
    moved = np.hypot(*(places[:, 2:] - there).T) / (_MOST_MOVED * eyes)
    return np.asarray(np.max([scaled, turned, moved], axis=0), np.float64)


def moved_to(portrait: Portrait, matrix: Floats) -> Portrait:
    """A portrait as seen from another place of the head frame: a head will be laid there.

    ``matrix`` is the similarity from the photo to the head frame at that place.
    """
    shift = geometry.then(geometry.inverse(portrait.matrix), matrix)
    to_scene = SCENE.from_head()
    in_scene = geometry.then(geometry.then(geometry.inverse(to_scene), shift), to_scene)
    maps = cv2.warpAffine(
        portrait.maps, in_scene, SCENE.size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return replace(
        portrait, matrix=matrix, points=geometry.apply(shift, portrait.points), maps=maps
    )


def _unit(photo: Sequence[int]) -> float:
    """The photo's size: the side of a square of its area."""
    return float(np.sqrt(photo[0] * photo[1]))
