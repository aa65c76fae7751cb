"""Photos in which no head lies, so that a finished one need not be turned again to look for it."""

from typing import Final

import numpy as np

from ksame.arrays import Arrays, Image
from ksame.faces import Faces
from ksame.store import Store

_UPRIGHT: Final = "upright"  # the name of what is kept beside the faces of a photo


def searched(rgb: Image, detector: str) -> tuple[Faces, Arrays]:
    """All faces of a photo, and what is kept of whether a head lies among them."""
    from ksame.vision import find_faces_by
    from ksame.vision.detect import with_lying

    upright = find_faces_by(detector, rgb, lying=False)
    found = with_lying(rgb, upright)
    return found, {_UPRIGHT: np.array([found is upright])}


def is_upright(store: Store, kind: str, key: str) -> bool:
    """Whether a photo was searched for heads that lie, and shows none.

    False of a photo whose faces a ledger lists: whoever was left out there may lie.
    """
    return bool(store.load(kind, key, _UPRIGHT).get("", np.zeros(1)).all())
