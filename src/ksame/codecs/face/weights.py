"""The expression weights: what they are called and how they are read off a person's landmarks."""

from dataclasses import dataclass, field

import numpy as np

from ksame.arrays import AnyFloats, Array, Floats32
from ksame.codecs.face.geometry import gaze_of

EXPRESSION_NAMES: tuple[str, ...] = (
    "jawOpen", "smileLeft", "smileRight", "pucker", "funnel", "stretch", "frown",
    "upperUp", "lowerDown", "press", "roll", "shrug", "mouthLeft", "mouthRight", "sneer",
    "browDown", "browInnerUp", "browOuterUp", "blinkLeft", "blinkRight", "squint", "wide",
    "gazeSide", "gazeDown",
)  # fmt: skip
# which of MediaPipe's 52 blendshape coefficients each weight is the mean of
UNITS: dict[str, tuple[str, ...]] = {
    "jawOpen": ("jawOpen",),
    "smileLeft": ("mouthSmileLeft",),
    "smileRight": ("mouthSmileRight",),
    "pucker": ("mouthPucker",),
    "funnel": ("mouthFunnel",),
    "stretch": ("mouthStretchLeft", "mouthStretchRight"),
    "frown": ("mouthFrownLeft", "mouthFrownRight"),
    "upperUp": ("mouthUpperUpLeft", "mouthUpperUpRight"),
    "lowerDown": ("mouthLowerDownLeft", "mouthLowerDownRight"),
    "press": ("mouthPressLeft", "mouthPressRight"),
    "roll": ("mouthRollLower", "mouthRollUpper"),
    "shrug": ("mouthShrugLower", "mouthShrugUpper"),
    "mouthLeft": ("mouthLeft",),
    "mouthRight": ("mouthRight",),
    "sneer": ("noseSneerLeft", "noseSneerRight"),
    "browDown": ("browDownLeft", "browDownRight"),
    "browInnerUp": ("browInnerUp",),
    "browOuterUp": ("browOuterUpLeft", "browOuterUpRight"),
    "blinkLeft": ("eyeBlinkLeft",),
    "blinkRight": ("eyeBlinkRight",),
    "squint": ("eyeSquintLeft", "eyeSquintRight"),
    "wide": ("eyeWideLeft", "eyeWideRight"),
}


@dataclass(frozen=True)
class ExpressionReader:
    """Reads weights off frontal landmarks: a fixed layer of random features, then a linear one.

    It was taught to say of a face's points what MediaPipe's blendshape network says of them.
    """

    mean: Floats32 = field(repr=False)  # (478 * 2,)
    components: Floats32 = field(repr=False)  # (478 * 2, p), whitened
    hidden: Floats32 = field(repr=False)  # (p + 1, h)
    output: Floats32 = field(repr=False)  # (p + h + 1, w)

    @classmethod
    def of(cls, arrays: dict[str, Array]) -> "ExpressionReader":
        """The reader of a model's file."""
        names = ("mean", "components", "hidden", "output")
        return cls(*(arrays[f"reader_{name}"].astype(np.float32) for name in names))

    def read(self, points: AnyFloats) -> Floats32:
        """The weights of (478, 3) points in the model's units, seen from the front."""
        moving = self.features(np.asarray(points, np.float32)[None, :, :2]) @ self.output
        gaze = gaze_of(points).mean(axis=0)
        return np.concatenate([np.clip(moving[0], 0, 1), np.clip(gaze, -1, 1)]).astype(np.float32)

    def features(self, points: Floats32) -> Floats32:
        """What the last layer sees of points (n, 478, 2)."""
        flat = (points.reshape(len(points), -1) - self.mean) @ self.components
        one = np.ones((len(flat), 1), np.float32)
        plain = np.concatenate([flat, one], axis=1)
        found: Floats32 = np.concatenate([np.maximum(plain @ self.hidden, 0), plain], axis=1)
        return found
