"""Where a track's face is and how it is turned, frame by frame: smooth, and without lag.

Landmarks tell it where they are sure, a detector's five points where these are missing, and of a
head that is turned far the looks at its silhouette. Between two of these a face goes on turning
evenly, and is moved by its eyes, nose and mouth, which are found in every frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ksame.arrays import Bools, Floats, Floats32, Ints
from ksame.codecs.face import FaceModel
from ksame.release.clips.footage import Stretch
from ksame.release.clips.turning import every
from ksame.render.posing import fit_matrix
from ksame.render.rough import FIVE
from ksame.render.silhouette import LEAST_TURN_SURE, turn_of, turned_far
from ksame.tracking import interpolate, smooth
from ksame.vision.landmarks import Landmarks

_POSE: Final = 0.15  # seconds: half width of the filter, in which a head moves like a parabola
# ... and in which a head that is turned far turns evenly: looks at it differ by some degrees
_TURNED: Final = 0.35
_LEAST: Final = 2  # frames
_GOOD: Final = 0.5  # of the landmark model's score
_ROUGH: Final = 3  # frames from landmarks beyond which a pose by five points is better than none
_ROUGH_TRUST: Final = 0.2  # of a pose by five points, beside one by landmarks
_LOOKS: Final = 2  # times the frames between two looks, for which a look tells how a head is turned
# radians of yaw in which sure landmarks give way to the silhouette: at once it would be a jump
_GIVES_WAY: Final = float(np.radians(10.0))


def poses(
    model: FaceModel,
    seen: Stretch,
    identity: Floats32,
    frames: Ints,
    shapes: Sequence[Floats32],
    rate: float,
) -> Floats:
    """The (n, 8) poses of consecutive frames: maps (2, 4) of the shape, one row each.

    Looks as far back and ahead as its filters and no further. ``shapes`` are those of the frames.
    """
    half, wide = (max(round(width * rate), _LEAST) for width in (_POSE, _TURNED))
    known = _Known.of(model, seen, identity, frames, shapes, rate)
    turns = interpolate(seen.frame[known.rows], known.maps[:, :, :3].reshape(-1, 6), frames)
    beside = interpolate(seen.frame[known.rows], known.beside, frames)
    fives = interpolate(seen.frame[known.moves], known.fives, frames)
    trust = np.full(len(frames), _ROUGH_TRUST)
    trust[np.isin(frames, seen.frame[known.sure])] = 1.0
    middle = model.shape(identity, model.neutral)[list(FIVE)].mean(axis=0).astype(np.float64)
    every_one = np.column_stack([turns, fives + beside])
    every_one[:, 6:] -= turns.reshape(-1, 2, 3) @ middle
    steady = smooth(_woven(every_one), half, weights=trust)
    if not known.turned.any():
        return steady
    share = interpolate(seen.frame[known.rows], known.turned.astype(np.float64), frames)
    share = np.clip(smooth(share, wide, degree=1), 0, 1)
    calm_ones = smooth(np.column_stack([turns, beside]), wide, degree=1, weights=trust)
    places = smooth(fives, half, weights=trust) + calm_ones[:, 6:]
    places -= calm_ones[:, :6].reshape(-1, 2, 3) @ middle
    calm_ones[:, 6:] = places
    result: Floats = steady + (_woven(calm_ones) - steady) * share
    return result


def carried(model: FaceModel, seen: Stretch, rate: float) -> Bools:
    """Which detections show a head turned far, whose turn a look at its silhouette tells instead.

    Their landmarks lie beside the face, and tell nothing of its outline.
    """
    return _between_looks(seen, _yaws(model, seen), rate)


@dataclass(frozen=True)
class _Known:
    """What detections tell: where the face is in all of them, how it is turned in some.

    ``rows`` tell the turn, by landmarks or a look (``turned``); ``beside`` is how far the middle of
    eyes, nose and mouth then lies from where it was found. ``moves`` are those and all others that
    tell where a face is; the frames of ``sure`` ones count in full.
    """

    rows: Ints
    maps: Floats = field(repr=False)
    beside: Floats = field(repr=False)
    turned: Bools
    moves: Ints
    fives: Floats = field(repr=False)
    sure: Ints

    @classmethod
    def of(
        cls,
        model: FaceModel,
        seen: Stretch,
        identity: Floats32,
        frames: Ints,
        shapes: Sequence[Floats32],
        rate: float,
    ) -> "_Known":
        good = seen.mesh_score >= _GOOD
        looked = dict(zip(seen.turned_row.tolist(), seen.turned_mesh, strict=True))
        yaws = _yaws(model, seen)
        carried = _between_looks(seen, yaws, rate)
        rows = np.flatnonzero((good | _lonely(seen, good)) & ~carried)
        rows = np.union1d(rows, np.array(list(looked), np.int64)).astype(np.int64)
        neutral, low = model.shape(identity, model.neutral), int(frames[0])
        maps = []
        for row in rows.tolist():
            place = int(seen.frame[row]) - low
            shape = shapes[place] if good[row] and 0 <= place < len(shapes) else neutral
            told = fit_matrix(shape, seen.mesh[row][:, :2].astype(np.float64))
            if row in looked:
                other = fit_matrix(shape, looked[row][:, :2].astype(np.float64))
                beyond = (abs(yaws[row]) - LEAST_TURN_SURE) / _GIVES_WAY
                told += (other - told) * (min(max(beyond, 0.0), 1.0) if good[row] else 1.0)
            maps.append(told)
        found = np.array(maps)
        fives = seen.mesh[:, list(FIVE), :2].mean(axis=1).astype(np.float64)
        middle = neutral[list(FIVE)].mean(axis=0).astype(np.float64)
        beside = found[:, :, :3] @ middle + found[:, :, 3] - fives[rows]
        turned = np.isin(rows, seen.turned_row)
        moves = np.union1d(rows, np.flatnonzero(carried)).astype(np.int64)
        sure = np.union1d(np.flatnonzero(good), [*rows[turned], *np.flatnonzero(carried)])
        return cls(rows, found, beside, turned, moves, fives[moves], sure.astype(np.int64))


def _lonely(seen: Stretch, good: Bools) -> Bools:
    """Which detections are so far from landmarks that five points tell more than these."""
    marked = seen.frame[good]
    away = [
        not len(marked) or int(np.abs(marked - frame).min()) > _ROUGH
        for frame in seen.frame.tolist()
    ]
    return np.array(away, bool)


def _between_looks(seen: Stretch, yaws: Floats, rate: float) -> Bools:
    """Which detections show a head turned far of which a look, a little away, tells more.

    Sure landmarks that a look left as they are tell themselves.
    """
    looks = seen.frame[seen.turned_row]
    if not len(looks):
        return np.zeros(len(seen.frame), bool)
    good = seen.mesh_score >= _GOOD
    far = [turned_far(*told) for told in zip(yaws.tolist(), seen.mesh_score.tolist(), strict=True)]
    near = np.abs(seen.frame[:, None] - looks).min(axis=1) <= _LOOKS * every(rate)
    kept = good & (seen.frame % every(rate) == 0)
    carried: Bools = np.array(far, bool) & near & ~kept
    carried[seen.turned_row] = False
    return carried


def _yaws(model: FaceModel, seen: Stretch) -> Floats:
    """The yaw of each detection by its own landmarks, in radians; 0 where nobody looked."""
    if not len(seen.turned_row):
        return np.zeros(len(seen.frame))
    marks = (Landmarks(m[:, :2], m[:, 2], 1.0) for m in seen.mesh.astype(np.float64))
    return np.array([turn_of(model, one)[0] for one in marks])


def _woven(rows: Floats) -> Floats:
    """Rows of six turns and two places as rows of (2, 4) maps."""
    maps = np.concatenate([rows[:, :6].reshape(-1, 2, 3), rows[:, 6:, None]], axis=2)
    return maps.reshape(-1, 8)
