"""The relief of skin as photographs show it: a model's modes are means, and means are flat.

On 338 faces of daily life of 80 px and more the brightness of a photo's skin varies 1.3 to 1.6
times as much as that of a face drawn in its place, in every band up to a ninth of the face's width.
What is added is the model face's own relief once more, so that it tells nothing of the person.
"""

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from ksame.arrays import Floats32

STRONGER: Final = 1.35  # times
_COARSE: Final = 48  # px a side, on which the shading is told
# sigma in these px, a ninth of the face: what is coarser is light and no relief
_SHADING: Final = 5.3
_DARKEST: Final = 8.0  # grey levels
# logarithms that relief approaches: a fold may be dark, but highlights baked into a texture are
# streaks on a brightly lit cheek
_RISES, _FALLS = 0.28, 1.2
# standard deviations of a fine layer that its bright lines and its dark ones approach
_STREAK, _SPOT = 3.0, 8.0


def in_relief(luma: Floats32) -> Floats32:
    """The luma (n, n / 2) of a face's left half, with more relief and the shading that it has."""
    whole = np.concatenate([luma, luma[:, ::-1]], axis=1)
    small = cv2.resize(whole, (_COARSE, _COARSE), interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), _SHADING)
    shading = np.maximum(cv2.resize(soft, whole.shape[::-1])[:, : luma.shape[1]], _DARKEST)
    logs = np.log(np.maximum(luma, _DARKEST) / shading)
    most = np.where(logs > 0, np.float32(_RISES), np.float32(_FALLS))
    lifted: Floats32 = shading * np.exp(most * np.tanh(STRONGER * logs / most))
    return lifted


def fine_relief(layer: npt.NDArray[np.int8], step: float) -> Floats32:
    """A fine layer's luma from its steps, stronger as well, its bright lines held."""
    spread = max(float(layer.std()) * step, 1e-3)
    strong = np.arange(-128, 128) * (step * STRONGER)
    most = np.where(strong > 0, _STREAK, _SPOT) * spread
    held = (strong / np.sqrt(1 + (strong / most) ** 2)).astype(np.float32)
    lifted: Floats32 = held[layer.astype(np.intp) + 128]
    return lifted
