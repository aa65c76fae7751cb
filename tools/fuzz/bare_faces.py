"""Whether a release shows a face as it was, told without any of the code that made it.

The people do not exist: where their faces are is known from the scene that they were rendered from.
Which photo a released one was made from is told by what stands around the heads, not by a ledger.
"""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, UnidentifiedImageError

CUT = slice(70, 280)  # columns of a rendered photo: two heads beside each other stand close
SAME = 2  # levels of 255: what is no further off is taken for the same pixel
SHOWN = 0.5  # of the pixels of a face that are as they were
Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Known:
    """A photo of two people: where the inner faces are, and what is no head at all."""

    rgb: Pixels
    faces: tuple[npt.NDArray[np.bool_], ...]
    around: npt.NDArray[np.bool_]


def make_pair(numbers: tuple[int, int]) -> Known:
    """Two rendered people side by side, by the numbers of their photos."""
    from ksame.datasets.demo_people import demo_people

    demo = demo_people()
    rgb = np.hstack([demo.image(n)[:, CUT] for n in numbers])
    heads = np.hstack([demo.head_mask(n)[:, CUT] for n in numbers])
    wide, faces = CUT.stop - CUT.start, []
    for i, n in enumerate(numbers):
        inner = demo.points[n][17:] + np.array([i * wide - CUT.start, 0])
        mask = np.zeros(rgb.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, cv2.convexHull(inner.round().astype(np.int32)), 1)
        faces.append(mask > 0)
    wider = cv2.dilate(heads.astype(np.uint8), np.ones((41, 41), np.uint8))
    return Known(rgb, tuple(faces), wider == 0)


def bare_faces(out: Path, known: list[Known]) -> int:
    """How many faces of the photos in a folder are shown as they were."""
    count = 0
    for path in sorted(out.iterdir()):
        try:
            with Image.open(path) as image:
                rgb = np.asarray(image.convert("RGB"))
        except UnidentifiedImageError:  # a document
            continue
        alike = [one for one in known if one.rgb.shape == rgb.shape]
        if not alike:
            continue
        off = [float(np.abs(one.rgb.astype(int) - rgb)[one.around].mean()) for one in alike]
        one = alike[int(np.argmin(off))]
        same = np.abs(one.rgb.astype(int) - rgb).max(axis=2) <= SAME
        count += sum(bool(same[face].mean() > SHOWN) for face in one.faces)
    return count
