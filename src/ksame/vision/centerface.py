"""CenterFace (Xu et al. 2019): how much the middle of a crop looks like the middle of a face."""

import cv2
import numpy as np

from ksame import geometry
from ksame.arrays import Floats, Floats32, Image
from ksame.errors import WeightsError
from ksame.memo import Memo
from ksame.vision.images import as_network_input
from ksame.vision.sampling import sample
from ksame.weights.onnx_files import with_one_input
from ksame.weights.session import session

_FACE = 64  # px of a face in the crop that the network sees
_CELL = 4  # px of the crop for each of the network's answers
_INPUT = "input.1"
_NEAR = 0.4  # of the face's size: a middle further off is somebody else's
_OWN = 0.6  # the same beside known faces, where the very middle is asked for and not its slopes
# of the face's size, from its middle to the picture's border: a face that is nearer is cut by it
_CUT = 0.35
_SMALLER, _LARGER = 0.4, 2.2  # of the face's size: the same for its size
# the model file says 10 pictures of 32 x 32, as ONNX writes it; empty names leave all of it free
_FIXED = bytes.fromhex("0a02080a0a0208030a0208200a020820")
_FREE = bytes.fromhex("0a0212000a0208030a0212000a021200")
# a crop is asked about with and without the faces beside it, and again whenever its photo is looked
# at again: in a crowd hundreds of crops several times. An answer has 10 to 60 kB
_answers = Memo[tuple[Floats32, Floats32]](1024)


def centre_score(
    image: Image,
    centre: Floats,
    size: float,
    wide: float,
    others: Floats | None = None,
    turn: float = 0.0,
) -> float:
    """The best score, 0 to 1, of a face of about ``size`` here, in a crop ``wide`` times that.

    ``others`` are boxes (xyxy) of faces that are known. If there are any, the middle must be a peak
    of its own: one that lies nearer to ``centre`` than to theirs, by the size of each. A face that
    the border cuts is shown with its mirror image beyond: half a face alone is hardly told.
    ``turn`` is the roll, in radians, of a face that lies on its side: the crop shows it upright.
    """
    side = 32 * round(_FACE * wide / 32)
    step = wide * size / side
    spin = step * np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    to_image = np.column_stack([spin, centre - spin @ np.full(2, (side - 1) / 2)])
    to_border = np.minimum(centre, np.array(image.shape[1::-1]) - centre).min()
    beyond = cv2.BORDER_REFLECT if to_border < _CUT * size else cv2.BORDER_CONSTANT
    patch = sample(image, to_image, (side, side), beyond)
    heat, scale = _answers(patch.tobytes(), lambda: _answer(patch))
    middles = (np.arange(side // _CELL) + 0.5) * _CELL - side / 2
    apart = np.hypot(middles[:, None], middles[None]) * step / size
    # heights and widths are told as logarithms of cells
    extent = np.exp(np.clip(scale[0], -20, 20)).max(axis=0) * _CELL * step / size
    here = (extent > _SMALLER) & (extent < _LARGER)
    if others is None or not len(others):
        here &= apart < _NEAR
    else:
        places = np.stack(np.meshgrid(middles, middles), axis=-1) @ spin.T + centre
        peaks = heat[0, 0] >= cv2.dilate(heat[0, 0], np.ones((3, 3), np.uint8))
        away = _apart_from(places, _within_reach(others, centre, size)).min(axis=0, initial=_OWN)
        here &= peaks & (apart < away)
    return float(heat[0, 0][here].max()) if here.any() else 0.0


def _answer(crop: Image) -> tuple[Floats32, Floats32]:
    """The network's answer to a crop: how much of a middle each cell is, and of what size."""
    heat, scale = session("centerface", _any_size).run(as_network_input(crop), ("537", "538"))
    for answer in (heat, scale):
        answer.flags.writeable = False
    return heat, scale


def _within_reach(boxes: Floats, centre: Floats, size: float) -> Floats:
    """Those of the boxes (xyxy) to which a place as near to ``centre`` as is asked can be nearer.

    In a crowd these are a few of hundreds.
    """
    sizes = np.maximum((boxes[:, 2:] - boxes[:, :2]).max(axis=1), 1.0)
    away = np.hypot(*(geometry.centre(boxes) - centre).T)
    near: Floats = boxes[away <= _OWN * (size + sizes)]
    return near


def _apart_from(places: Floats, boxes: Floats) -> Floats:
    """How far places (h, w, 2) are from the middle of each box, over its size: (n, h, w)."""
    sizes = (boxes[:, 2:] - boxes[:, :2]).max(axis=1)
    away = places[None] - geometry.centre(boxes)[:, None, None]
    found: Floats = np.hypot(away[..., 0], away[..., 1]) / np.maximum(sizes, 1.0)[:, None, None]
    return found


def _any_size(model: bytes) -> bytes:
    """The model for crops of any size, its weights no inputs."""
    single = with_one_input(model, _INPUT)
    if single.count(_FIXED) != 1:
        raise WeightsError("the third network is not the one that is known. Install it again")
    return single.replace(_FIXED, _FREE)
