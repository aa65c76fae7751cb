"""A finished photo as others see it: its pixels, and its faces as a recogniser describes them."""

from collections.abc import Sequence

import cv2
import numpy as np

from ksame.arrays import Floats, Image
from ksame.faces import Face
from ksame.release.last_look import face_at
from ksame.release.orders import PhotoOrder


def read_back(data: bytes) -> Image:
    """A written file as every reader sees it."""
    flags = cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), flags), np.uint8)


def described(order: PhotoOrder, rgb: Image, found: Sequence[Face]) -> dict[str, Floats]:
    """The finished faces as the recogniser sees them that people were told apart by.

    One row a face of the order; NaN where none is found any more.
    """
    from ksame.vision import embed_sface

    if not order.embed or not order.faces:
        return {}
    seen = [face_at(found, face.box) for face in order.faces]
    rows = [None if face is None else np.asarray(embed_sface(rgb, face)) for face in seen]
    width = next((len(row) for row in rows if row is not None), 1)
    return {"sface": np.stack([np.full(width, np.nan) if row is None else row for row in rows])}
