"""Turn a person's landmarks to the model's frontal view, and back."""

from dataclasses import dataclass

import numpy as np

from ksame.arrays import AnyFloats, Floats

# what stays where it is when a face moves: corners of the eyes, bridge and base of the nose,
# temples and the sides of the forehead
STEADY = np.array((
    33, 133, 263, 362, 168, 6, 197, 195, 5, 4, 1, 2, 98, 327, 129, 358, 10, 109, 338, 67, 297,
    103, 332, 54, 284, 21, 251, 162, 389, 127, 356, 234, 454, 151, 9, 8, 107, 336,
), np.intp)  # fmt: skip


@dataclass(frozen=True)
class Pose:
    """A similarity of space: ``photo = scale * model @ turn.T + shift``."""

    scale: float
    turn: Floats  # (3, 3)
    shift: Floats  # (3,)

    def to_photo(self, points: AnyFloats) -> Floats:
        """Points of the model in the photo's pixels."""
        moved: Floats = self.scale * np.asarray(points, np.float64) @ self.turn.T + self.shift
        return moved

    def to_model(self, points: AnyFloats) -> Floats:
        """Points of the photo in the model's units, seen from the front."""
        back: Floats = (np.asarray(points, np.float64) - self.shift) @ self.turn / self.scale
        return back

    @property
    def yaw_pitch(self) -> tuple[float, float]:
        """Degrees to the side and downwards that the face looks, from straight on."""
        ahead = self.turn @ np.array([0.0, 0.0, -1.0])
        yaw = np.degrees(np.arctan2(ahead[0], -ahead[2]))
        pitch = np.degrees(np.arcsin(np.clip(ahead[1], -1, 1)))
        return float(yaw), float(pitch)


def find_pose(mean: AnyFloats, points: AnyFloats) -> Pose:
    """The pose that brings the mean face closest to a person's points (Umeyama 1991)."""
    source = np.asarray(mean, np.float64)[STEADY]
    target = np.asarray(points, np.float64)[STEADY]
    centre, goal = source.mean(axis=0), target.mean(axis=0)
    a, b = source - centre, target - goal
    left, size, right = np.linalg.svd(b.T @ a)
    sign = np.array([1.0, 1.0, np.sign(np.linalg.det(left @ right)) or 1.0])
    turn = (left * sign) @ right
    scale = float((size * sign).sum() / max(float((a * a).sum()), 1e-12))
    scale = max(scale, 1e-9)
    return Pose(scale, turn, goal - scale * turn @ centre)
