"""68 semantic vertices of the head, in the customary order (jaw, brows, nose, eyes, mouth)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.spatial import cKDTree
from tools.synthetic_people.assets import SKIN, Assets

# right half of the resting face (x negative) in the order of the points; the left half mirrors it
JAW = (
    (-0.72, 7.28, 0.62), (-0.715, 7.05, 0.66), (-0.69, 6.83, 0.70), (-0.645, 6.63, 0.74),
    (-0.57, 6.47, 0.80), (-0.46, 6.34, 0.92), (-0.32, 6.25, 1.08), (-0.16, 6.20, 1.24),
    (0.0, 6.185, 1.32),
)  # fmt: skip
BROW = ((-0.52, 7.43), (-0.43, 7.49), (-0.32, 7.50), (-0.21, 7.475), (-0.11, 7.44))
NOSE = ((0.0, 7.28), (0.0, 7.16), (0.0, 7.04), (0.0, 6.93))
NOSTRIL = ((-0.125, 6.855), (-0.065, 6.83), (0.0, 6.82))
EYE = (
    (-0.45, 7.28),
    (-0.385, 7.327),
    (-0.27, 7.325),
    (-0.19, 7.27),
    (-0.27, 7.245),
    (-0.385, 7.243),
)
LIPS = (
    (-0.25, 6.607), (-0.155, 6.672), (-0.055, 6.702), (0.0, 6.692),
)  # fmt: skip
LIPS_LOW = ((-0.16, 6.535), (-0.07, 6.498), (0.0, 6.49))
INNER = ((-0.225, 6.607), (-0.09, 6.617), (0.0, 6.612))
INNER_LOW = ((-0.09, 6.603), (0.0, 6.600))

Points = tuple[tuple[float, ...], ...]


def _mirror(points: Points) -> Points:
    return tuple((-p[0], *p[1:]) for p in reversed(points))


def _all_places() -> list[tuple[float, ...]]:
    """The 68 places; two coordinates mean: the front-most vertex there."""
    left_eye = [(-p[0], p[1]) for p in EYE]
    places: list[tuple[float, ...]] = [*JAW, *_mirror(JAW[:-1])]
    places += [*BROW, *_mirror(BROW), *NOSE, *NOSTRIL, *_mirror(NOSTRIL[:-1])]
    places += [*EYE, left_eye[3], left_eye[2], left_eye[1], left_eye[0], left_eye[5], left_eye[4]]
    places += [*LIPS, *_mirror(LIPS[:-1]), *_mirror(LIPS_LOW[:-1]), *reversed(LIPS_LOW)][:7]
    places += [*_mirror(LIPS_LOW[:-1]), *reversed(LIPS_LOW)]
    places += [*INNER, *_mirror(INNER[:-1]), *_mirror(INNER_LOW[:-1]), *reversed(INNER_LOW)]
    return places


@lru_cache(maxsize=1)
def _rows_of(key: bytes, count: int) -> npt.NDArray[np.int64]:
    rest = np.frombuffer(key, np.float32).reshape(count, 3)
    places = _all_places()
    solid = cKDTree(rest)
    # a slow z makes the nearest in x and y win, the front-most among equals
    flat = cKDTree(rest * [1, 1, 0.02])
    rows = []
    for place in places:
        if len(place) == 3:
            rows.append(int(solid.query(place)[1]))
        else:
            rows.append(int(flat.query([place[0], place[1], 1.6 * 0.02])[1]))
    return np.array(rows)


def landmark_rows(assets: Assets) -> npt.NDArray[np.int64]:
    """Rows of the refined vertices that are the landmarks."""
    rest = assets.rest.copy()
    rest[(assets.part != SKIN) | (assets.cavity > 0.5)] = 99
    return _rows_of(rest.tobytes(), len(rest))
