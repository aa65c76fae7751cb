"""Ad hoc methods on the faces of photos, for comparison: they give no guarantee (N section 2)."""

import warnings
from collections.abc import Sequence

import cv2
import numpy as np

from ksame.arrays import Image
from ksame.errors import NoGuaranteeWarning

CROP = (96, 128)  # width and height in which they are kept
_FRAME = 99.0  # width of N's registered face: blocks and blurs are as strong relative to a face
_SCALED = ("pixelate", "blur")


def warn_of(method: str) -> None:
    """Say once for a run that its method guarantees nothing."""
    warnings.warn(
        f"method={method!r} gives no privacy guarantee: recognisers see through it. "
        "Use it for comparison only; the certificate says so",
        NoGuaranteeWarning,
        stacklevel=3,
    )


def crop_face(rgb: Image, box: Sequence[float]) -> Image:
    """The face in its box, small; what lies outside of the photo repeats its border."""
    x0, y0, x1, y1 = box
    scale = np.array([CROP[0] / max(x1 - x0, 1e-6), CROP[1] / max(y1 - y0, 1e-6)])
    matrix = np.array([[scale[0], 0, -scale[0] * x0], [0, scale[1], -scale[1] * y0]])
    crop: Image = cv2.warpAffine(rgb, matrix, CROP, borderMode=cv2.BORDER_REPLICATE)
    return crop


def conceal_faces(
    rgb: Image, boxes: Sequence[Sequence[float]], method: str, others: Sequence[Image], seed: int
) -> Image:
    """The photo with every face's box altered."""
    from ksame.methods.adhoc import AD_HOC, conceal_box

    result = rgb
    for box in boxes:
        level = AD_HOC[method][1] or None
        if method in _SCALED:
            level = AD_HOC[method][1] * max((box[2] - box[0]) / _FRAME, 0.1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoGuaranteeWarning)  # told once, by warn_of
            result = conceal_box(
                result, box, method, level=level, others=list(others), random_state=seed
            )
    return result
