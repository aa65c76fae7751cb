"""Expression apart from identity: how one and the same person's points move.

Learned from what differs between pictures of one person, so that nobody's shape is in it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tools.face_model.frame import Frame

from ksame.codecs.face.geometry import EYES, LID_PAIRS, SKIN, eyeball
from ksame.codecs.face.pose import find_pose
from ksame.codecs.face.weights import EXPRESSION_NAMES, UNITS
from ksame.vision import BLENDSHAPE_NAMES, blendshapes

Floats32 = npt.NDArray[np.float32]
MOVING = EXPRESSION_NAMES[:-2]  # the gaze moves eyeballs alone
_RIDGE = 0.6  # of the regression, in units of the weights' own variance times the samples' share


@dataclass(frozen=True)
class Samples:
    """Frontal points (n, 478, 3), weights (n, 22) and the number of each one's person."""

    points: Floats32
    weights: Floats32
    person: npt.NDArray[np.int64]


def frontal(frame: Frame, points: npt.NDArray[np.floating]) -> Floats32:
    """Landmarks (n, 478, 3) in the model's units, seen from the front."""
    return np.stack([find_pose(frame.mean, p).to_model(p) for p in points]).astype(np.float32)


def weights_of(points: Floats32) -> Floats32:
    """What MediaPipe's network says of frontal points, gathered to the model's weights."""
    units = np.stack([blendshapes(p[:, :2].astype(np.float64) * 256) for p in points])
    index = {name: number for number, name in enumerate(BLENDSHAPE_NAMES)}
    rows = [units[:, [index[unit] for unit in UNITS[name]]].mean(axis=1) for name in MOVING]
    return np.stack(rows, axis=1).astype(np.float32)


def samples_of(frame: Frame, points: npt.NDArray[np.floating], person: npt.ArrayLike) -> Samples:
    """Samples of landmarks and their mirror images."""
    own = frontal(frame, points)
    both = np.concatenate([own, mirrored(frame, own)])
    number = np.asarray(person, np.int64)
    return Samples(both, weights_of(both), np.concatenate([number, number + 1_000_000]))


def mirrored(frame: Frame, points: Floats32) -> Floats32:
    """The mirror images of frontal points (n, 478, 3)."""
    order = np.concatenate([frame.mirror, [473, 476, 475, 474, 477, 468, 471, 470, 469, 472]])
    return points[:, order] * np.array([-1, 1, 1], np.float32)


def learn_expressions(frame: Frame, samples: Samples) -> Floats32:
    """The movement (22, 468 * 3) of each weight from 0 to 1, where that weight moves the face."""
    shapes = samples.points[:, :SKIN].reshape(len(samples.points), -1).astype(np.float64)
    weights = samples.weights.astype(np.float64)
    for number in np.unique(samples.person):
        own = samples.person == number
        shapes[own] -= shapes[own].mean(axis=0)
        weights[own] -= weights[own].mean(axis=0)
    reach = _reach(frame.mean)
    found = np.zeros((len(MOVING), shapes.shape[1]))
    # each region of the face is explained by the weights that move it alone
    for region in np.unique(reach > 0.02, axis=1).T:
        rows = np.nonzero(region)[0]
        columns = np.repeat((region == (reach > 0.02).T).all(axis=1), 3)
        if not len(rows):
            continue
        gram = weights[:, rows].T @ weights[:, rows]
        gram += np.diag(np.full(len(rows), _RIDGE + 0.004 * np.trace(gram) / len(rows)))
        found[np.ix_(rows, columns)] = np.linalg.solve(
            gram, weights[:, rows].T @ shapes[:, columns]
        )
    return (found * np.repeat(reach, 3, axis=1)).astype(np.float32)


def _reach(mean: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """How far each weight may move each point, 0 to 1: lids do not move the chin."""
    x, y = mean[:, 0], mean[:, 1]
    eye = np.stack([np.hypot(x - side * 0.35, 1.25 * (y + 0.35)) for side in (-1, 1)])
    right, left = np.exp(-((eye / 0.26) ** 4))
    lids = np.maximum(right, left)
    brows = _step((-0.30 - y) / 0.05)
    mouth = _step((y + 0.16) / 0.06) * (1 - 0.8 * lids)
    jaw = _step((y - 0.10) / 0.05)
    nose = np.exp(-((np.hypot(x, y - 0.05) / 0.5) ** 4))
    table = {
        "jawOpen": jaw, "sneer": nose, "browDown": brows, "browInnerUp": brows,
        "browOuterUp": brows, "blinkLeft": left, "blinkRight": right, "squint": lids, "wide": lids,
    }  # fmt: skip
    return np.stack([table.get(name, mouth) for name in MOVING])


def _step(value: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return 1 / (1 + np.exp(-value))


def calibrated(mean: Floats32, modes: Floats32, rest: Floats32) -> Floats32:
    """Movements so scaled that the network reads off the mean face what was put into it."""
    out = modes.copy()
    iris = mean_irises(mean)
    for row, name in enumerate(MOVING):
        if name.startswith("blink"):
            continue
        asked = rest[row] + 0.6 * (1 - rest[row])
        gains = np.linspace(0.6, 2.0, 15)
        faces = mean[None] + gains[:, None, None] * ((asked - rest[row]) * modes[row]).reshape(
            -1, 3
        )
        full = np.concatenate([faces, np.repeat(iris[None], len(gains), 0)], axis=1)
        said = weights_of(full.astype(np.float32))[:, row]
        out[row] *= gains[int(np.argmin(np.abs(said - asked)))]
    return out


def mean_irises(mean: Floats32) -> Floats32:
    """The ten iris points of the mean face that looks ahead."""
    still = np.zeros(2, np.float32)
    return np.concatenate([eyeball(mean, corners, still)[:5] for corners in EYES])


def closing(mean: Floats32, modes: Floats32) -> Floats32:
    """Movements (2, 468 * 3) that just close the left and the right eye of the mean face."""
    out = []
    for name, pairs in (("blinkLeft", LID_PAIRS[1]), ("blinkRight", LID_PAIRS[0])):
        mode = modes[MOVING.index(name)].reshape(-1, 3)
        upper, lower = np.array(pairs).T
        gap = (mean[lower] - mean[upper])[2:-2, 1].mean()
        closes = (mode[upper] - mode[lower])[2:-2, 1].mean()
        out.append(mode.ravel() * np.clip(gap / max(float(closes), 1e-3), 0.2, 5))
    return np.stack(out).astype(np.float32)


def symmetrised(frame: Frame, modes: Floats32) -> Floats32:
    """Movements whose mirror images are those of the partner weight."""
    flipped = modes.reshape(len(modes), SKIN, 3)[:, frame.mirror] * np.array([-1, 1, 1])
    swapped = flipped[[MOVING.index(_partner(name)) for name in MOVING]]
    return ((modes + swapped.reshape(modes.shape)) / 2).astype(np.float32)


def _partner(name: str) -> str:
    if name.endswith("Left"):
        return name.removesuffix("Left") + "Right"
    return name.removesuffix("Right") + "Left" if name.endswith("Right") else name
