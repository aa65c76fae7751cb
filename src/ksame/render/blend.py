"""Put a rendered face into a photo."""

import cv2
import numpy as np

from ksame.arrays import Image
from ksame.render.draw import Rendered
from ksame.render.front import Front


def replace_face(photo: Image, rendered: Rendered, front: Front | None = None) -> None:
    """Replace a face in place.

    Parameters
    ----------
    photo : (h, w, 3) uint8 array
        Changed inside of ``rendered.box`` alone.
    front : Front, optional
        What lies in front of the face (``front_mask``).

    Where ``alpha`` is 255 and nothing lies in front, the released pixel is the render's and
    nothing of the photo's.
    """
    x0, y0, x1, y1 = rendered.box
    if x1 <= x0 or y1 <= y0:
        return
    part = photo[y0:y1, x0:x1]
    share = rendered.alpha.astype(np.float32) * np.float32(1 / 255)
    colour = rendered.colour.astype(np.float32)
    if front is not None:
        size = (x1 - x0, y1 - y0)
        front.drawn_over(colour)
        share *= 1 - cv2.resize(front.soft(), size, interpolation=cv2.INTER_LINEAR)
    mixed = part + (colour - part) * share[..., None]
    part[:] = np.clip(np.round(mixed), 0, 255).astype(np.uint8)
