"""A finished photo as others see it: its pixels, and its faces as a recogniser describes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np

from ksame.arrays import Floats, Image
from ksame.faces import Face
from ksame.release.last_look import face_at
from ksame.release.orders import PhotoOrder

# of a face's size: where another face of the photo was changed, the detector's points move by less
_SAME_PLACE: Final = 0.005
_AROUND: Final = 0.3  # of a face's size: what the recogniser sees beside its box


def read_back(data: bytes) -> Image:
    """A written file as every reader sees it."""
    flags = cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), flags), np.uint8)


@dataclass(frozen=True)
class Described:
    """A finished photo that was described before: its pixels, faces and rows."""

    picture: Image = field(repr=False)
    found: Sequence[Face] = field(repr=False)
    rows: Mapping[str, Floats] = field(repr=False)

    def row(self, number: int, box: Sequence[float], rgb: Image, now: Face) -> Floats | None:
        """What was said of a face, if the same pixels are seen at the same place of it."""
        was = face_at(self.found, box)
        if was is None or np.abs(was.points - now.points).max() > _SAME_PLACE * now.size:
            return None
        limit = rgb.shape[1], rgb.shape[0]
        low, high = now.box[:2] - _AROUND * now.size, now.box[2:] + _AROUND * now.size
        x0, y0 = np.clip(np.floor(low), 0, limit).astype(int)
        x1, y1 = np.clip(np.ceil(high), 0, limit).astype(int)
        same = np.array_equal(self.picture[y0:y1, x0:x1], rgb[y0:y1, x0:x1])
        return self.rows["sface"][number] if same and "sface" in self.rows else None


def described(
    order: PhotoOrder, rgb: Image, found: Sequence[Face], before: Described | None = None
) -> dict[str, Floats]:
    """The finished faces as the recogniser sees them that people were told apart by.

    One row a face of the order; NaN where none is found any more. What shows the same as ``before``
    need not be looked at again.
    """
    from ksame.vision import embed_sface

    if not order.embed or not order.faces:
        return {}
    rows: list[Floats | None] = []
    for number, listed in enumerate(order.faces):
        face, told = face_at(found, listed.box), None
        if face is not None and before is not None:
            told = before.row(number, listed.box, rgb, face)
        if face is not None and told is None:
            told = np.asarray(embed_sface(rgb, face))
        rows.append(told)
    width = next((len(row) for row in rows if row is not None), 1)
    return {"sface": np.stack([np.full(width, np.nan) if row is None else row for row in rows])}
