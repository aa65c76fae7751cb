"""A face as it lies in its photo: what an attacker sees who does not align it first.

Recognisers cut a face out and bring it to one place and size. Whoever looks at the photo as it is
also sees where it lies, how large it is and how it is turned, in what light and how sharp it is,
what is left of the person inside the replaced region, and what was done around it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

from ksame.arrays import Bools, Floats, Image
from ksame.faces import Face
from ksame.geometry import inverse, similarity
from ksame.recognition.crops import POINTS, SIDE
from ksame.vision.sampling import sample

if TYPE_CHECKING:
    from ksame.vision import Landmarks

_CELLS: Final = 40  # of a view's side
_VIEW: Final = 240  # pixels of a view's side
_WIDE: Final = 0.5  # of a crop's scale: the view around the head, with eyes 31 pixels apart
# half axes of the head in a crop, and how far around it a fill can reach, in crop pixels
_HEAD: Final = ((120.0, 118.0), (72.0, 98.0))
_AROUND: Final = 2.2
_CHIN: Final = 205.0  # row of a crop
_FINE: Final = 1.5  # pixels (sigma): what is finer is grain
_EDGE: Final = 12.0  # levels: stronger detail is an edge, and all edges count alike


@dataclass(frozen=True)
class Sighted:
    """Faces as they lie in their photos, in parallel rows; NaN where something cannot be read.

    `places` are logarithm of size, roll and place over the photo's size; `regions` the colours
    of the face's cells, placement undone; `around` the strength of detail in the cells around the
    head, `silhouettes` how much of each is person; `numbers` what a model face would take over
    (`ksame.render.FaceNumbers`), in steps.
    """

    places: Floats = field(repr=False)
    regions: Floats = field(repr=False)
    around: Floats = field(repr=False)
    silhouettes: Floats = field(repr=False)
    numbers: Floats = field(repr=False)

    @classmethod
    def of(cls, rows: list[dict[str, Floats]]) -> Sighted:
        """Rows of single faces together."""
        return cls(
            **{
                name: np.stack([row[name] for row in rows]) if rows else np.zeros((0, 1))
                for name in ("places", "regions", "around", "silhouettes", "numbers")
            }
        )


def sight(photo: Image, face: Face) -> dict[str, Floats]:
    """All that is seen of one face in its photo."""
    from ksame.vision import NoLandmarks, find_landmarks

    points = np.asarray(face.points, np.float64)
    found = find_landmarks(photo, face)
    marks = None if isinstance(found, NoLandmarks) else found
    to_crop = similarity(points, POINTS)
    around, silhouette = _around(photo, to_crop)
    return {
        "places": place(points if marks is None else _eyes(marks.points), photo.shape),
        "regions": _region(photo, to_crop),
        "around": around,
        "silhouettes": silhouette,
        "numbers": _numbers(photo, marks),
    }


def _eyes(marks: Floats) -> Floats:
    """The middles of both eyes, by their corners."""
    return np.stack([marks[[33, 133]].mean(axis=0), marks[[263, 362]].mean(axis=0)])


def place(points: Floats, shape: tuple[int, ...]) -> Floats:
    """Log size, roll in degrees, and the middle of the eyes, over the size of the photo."""
    across = points[1] - points[0]
    unit = np.sqrt(shape[0] * shape[1])
    middle = ((points[0] + points[1]) / 2 - np.array([shape[1], shape[0]]) / 2) / unit
    size = np.log(max(float(np.hypot(*across)), 1e-3) / unit)
    return np.array([size, np.degrees(np.arctan2(across[1], across[0])), *middle])


def _region(photo: Image, to_crop: Floats) -> Floats:
    """The mean colours of the cells of the face, without its overall colour."""
    view = sample(np.ascontiguousarray(photo), inverse(to_crop), (SIDE, SIDE))
    cells = _cells(view)[_inside()]
    found: Floats = (cells - cells.mean(axis=0)).ravel()
    return found


def _around(photo: Image, to_crop: Floats) -> tuple[Floats, Floats]:
    """How strong fine detail is in each cell around the head, and how much of it is person."""
    from ksame.vision import person_mask

    wide = to_crop * _WIDE
    wide[:, 2] += _VIEW * (1 - _WIDE) / 2
    # detail is measured on the photo's own pixels: a view would smooth it
    fine = photo.astype(np.float32) - cv2.GaussianBlur(photo, (0, 0), _FINE).astype(np.float32)
    power = np.minimum((fine**2).mean(axis=2), _EDGE**2).astype(np.float32)
    factor = max(int(1 / np.hypot(wide[0, 0], wide[1, 0])), 1)
    smooth = cv2.blur(power, (factor, factor))
    seen = sample(np.ascontiguousarray(photo), inverse(wide), (_VIEW, _VIEW))
    view = cv2.warpAffine(
        smooth, wide, (_VIEW, _VIEW), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    strength = np.log(_cells(view[..., None])[..., 0][_outside()] + 0.05)
    person = _cells(np.asarray(person_mask(seen), np.float64)[..., None])[..., 0][_outside()]
    return strength, person


def _cells(view: Any) -> Floats:
    """Means over the cells of a view (240, 240, c)."""
    side = _VIEW // _CELLS
    found: Floats = (
        np.asarray(view, np.float64).reshape(_CELLS, side, _CELLS, side, -1).mean(axis=(1, 3))
    )
    return found


@lru_cache(maxsize=1)
def _inside() -> Bools:
    """The cells of a crop that lie on the head."""
    return _reach(*_grid()) < 1


@lru_cache(maxsize=1)
def _outside() -> Bools:
    """The cells of the wider view around the head, above the chin."""
    x, y = ((value - _VIEW * (1 - _WIDE) / 2) / _WIDE for value in _grid())
    reach = _reach(x, y)
    found: Bools = (reach > 1) & (reach < _AROUND) & (y < _CHIN)
    return found


def _grid() -> tuple[Floats, Floats]:
    middle = (np.arange(_CELLS) + 0.5) * (_VIEW / _CELLS)
    x, y = np.meshgrid(middle, middle)
    return x, y


def _reach(x: Floats, y: Floats) -> Floats:
    (a, b), (half_x, half_y) = _HEAD
    found: Floats = np.hypot((x - a) / half_x, (y - b) / half_y)
    return found


def _numbers(photo: Image, marks: Landmarks | None) -> Floats:
    """The numbers that a model face would take over from this one, measured with the mean face."""
    from ksame.codecs.face import FaceModel
    from ksame.render import measure
    from ksame.render.numbers import LIGHT_SIZES, OUTLINE_SIZE

    model = FaceModel.load()
    if marks is None:
        # nine of the pose, black and blur, and three of grain
        return np.full(9 + len(model.neutral) + sum(LIGHT_SIZES) + OUTLINE_SIZE + 5, np.nan)
    told = measure(model, photo, marks, np.zeros(model.identity_size, np.float32))
    return numbers_row(told.as_json(), photo.shape)


def numbers_row(told: Any, shape: tuple[int, ...]) -> Floats:
    """The numbers of a face as one row; its place is counted from the middle of the photo."""
    from ksame.render.numbers import PLACE_STEP, SIZE_STEP

    pose = np.array(told["pose"], np.float64)
    unit = float(np.sqrt(shape[0] * shape[1]))
    scale = SIZE_STEP ** pose[0]
    # places are steps of the size: as shares of the photo they do not depend on it
    pose[7:] = (pose[7:] * PLACE_STEP * scale - np.array([shape[1], shape[0]]) / 2) / unit
    pose[0] = np.log(scale / unit)
    rest = [*told["expression"], *told["light"], *told["outline"], told["black"], told["blur"]]
    return np.array([*pose, *rest, *told["grain"]], np.float64)
