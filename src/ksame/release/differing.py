"""How much of a picture differs from another."""

import cv2

from ksame.arrays import Image


def share_differing(one: Image, other: Image) -> float:
    """The share of pixels, of one or more, of which any colour differs."""
    red, green, blue = cv2.split(cv2.absdiff(one, other))
    different: float = cv2.countNonZero(red | green | blue) / red.size
    return different
