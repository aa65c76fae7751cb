"""A face's mesh from five points alone: what the landmark model cannot read is posed all the same.

Profiles, masked, blurred and small faces have the detector's eyes, nose and corners of the mouth.
An average shape is turned until its own five points lie on them.
"""

from functools import lru_cache

import numpy as np

from ksame.arrays import Floats
from ksame.faces import Face
from ksame.render.anatomy import POINTS, FaceModel
from ksame.vision.landmarks import Landmarks

FIVE = (468, 473, 1, 61, 291)  # pupils, tip of the nose, corners of the mouth
_YAWS = np.radians(np.arange(-80, 81, 5))
_PITCHES = np.radians(np.arange(-30, 31, 10))
_STRAIGHT = 0.006  # of the residual per radian squared: in doubt the head is not turned


def rough_landmarks(model: FaceModel, face: Face) -> Landmarks:
    """The average face's landmarks, posed by the detector's five points; their score is 0."""
    shape = average_shape(model)
    turns = _turns()
    five = shape[list(FIVE)] @ turns.transpose(0, 2, 1)  # (t, 5, 3)
    flat, goal = five[:, :, :2], face.points
    centre, middle = flat.mean(axis=1, keepdims=True), goal.mean(axis=0)
    a, b = flat - centre, goal - middle
    spread = (a * a).sum(axis=(1, 2))
    cos = (a * b).sum(axis=(1, 2)) / spread
    sin = (a[:, :, 0] * b[:, 1] - a[:, :, 1] * b[:, 0]).sum(axis=1) / spread
    spin = np.stack([np.stack([cos, -sin], 1), np.stack([sin, cos], 1)], 1)
    rest = ((a @ spin.transpose(0, 2, 1) - b) ** 2).sum(axis=(1, 2)) / max(
        float((b * b).sum()), 1e-9
    )
    best = int(np.argmin(rest + _STRAIGHT * _angles()))
    turned = shape @ turns[best].T
    scale = float(np.hypot(cos[best], sin[best]))
    points = (turned[:, :2] - centre[best]) @ spin[best].T + middle
    return Landmarks(points, turned[:, 2] * scale, 0.0)


def average_shape(model: FaceModel) -> Floats:
    """The shape of the model's middle, without an expression."""
    identity = np.zeros(model.identity_size, np.float32)
    return model.shape(identity, model.neutral)[:POINTS].astype(np.float64)


@lru_cache(maxsize=1)
def _turns() -> Floats:
    """Rotations by yaw and pitch, as (t, 3, 3)."""
    rows = []
    for yaw in _YAWS:
        for pitch in _PITCHES:
            cy, sy, cp, sp = np.cos(yaw), np.sin(yaw), np.cos(pitch), np.sin(pitch)
            across = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
            down = np.array([[1, 0, 0], [0, cp, -sp], [0, sp, cp]])
            rows.append(down @ across)
    return np.array(rows)


@lru_cache(maxsize=1)
def _angles() -> Floats:
    """The squared turn of each rotation."""
    yaw, pitch = np.meshgrid(_YAWS, _PITCHES, indexing="ij")
    total: Floats = (yaw**2 + 4 * pitch**2).ravel()
    return total
