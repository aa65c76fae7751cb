"""CenterFace (Xu et al. 2019): how much the middle of a crop looks like the middle of a face."""

import cv2
import numpy as np

from ksame.arrays import Floats, Image
from ksame.errors import WeightsError
from ksame.vision.sampling import sample
from ksame.weights.onnx_files import with_one_input
from ksame.weights.session import session

_FACE = 64  # px of a face in the crop that the network sees
_CELL = 4  # px of the crop for each of the network's answers
_INPUT = "input.1"
_NEAR = 0.4  # of the face's size: a middle further off is somebody else's
_SMALLER, _LARGER = 0.4, 2.2  # of the face's size: the same for its size
# the model file says 10 pictures of 32 x 32, as ONNX writes it; empty names leave all of it free
_FIXED = bytes.fromhex("0a02080a0a0208030a0208200a020820")
_FREE = bytes.fromhex("0a0212000a0208030a0212000a021200")


def centre_score(image: Image, centre: Floats, size: float, wide: float) -> float:
    """The best score, 0 to 1, of a face of about ``size`` here, in a crop ``wide`` times that."""
    side = 32 * round(_FACE * wide / 32)
    step = wide * size / side
    to_image = np.array([[step, 0, centre[0]], [0, step, centre[1]]])
    to_image[:, 2] -= step * (side - 1) / 2
    patch = sample(image, to_image, (side, side), cv2.BORDER_CONSTANT)
    heat, scale = session("centerface", _any_size).run(cv2.dnn.blobFromImage(patch), ("537", "538"))
    middles = (np.arange(side // _CELL) + 0.5) * _CELL - side / 2
    apart = np.hypot(middles[:, None], middles[None]) * step / size
    # heights and widths are told as logarithms of cells
    extent = np.exp(np.clip(scale[0], -20, 20)).max(axis=0) * _CELL * step / size
    here = (apart < _NEAR) & (extent > _SMALLER) & (extent < _LARGER)
    return float(heat[0, 0][here].max()) if here.any() else 0.0


def _any_size(model: bytes) -> bytes:
    """The model for crops of any size, its weights no inputs."""
    single = with_one_input(model, _INPUT)
    if single.count(_FIXED) != 1:
        raise WeightsError("the third network is not the one that is known. Install it again")
    return single.replace(_FIXED, _FREE)
