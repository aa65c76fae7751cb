"""Photos in which all faces are plain to see: finished ones need not be searched for others again.

Heads that lie and faces that only raised contrast shows are looked for at a cost of several plain
looks. What was not changed shows none of them if it showed none before.
"""

from typing import Final

import numpy as np

from ksame.arrays import Arrays, Image
from ksame.faces import Faces
from ksame.store import Store

PLAIN: Final = "plain"  # the name of what is kept beside the faces of a photo


def searched(rgb: Image, detector: str) -> tuple[Faces, Arrays]:
    """All faces of a photo, and what is kept of whether all of them are plain."""
    from ksame.vision import find_faces_by
    from ksame.vision.detect import with_lying_and_veiled

    plain = find_faces_by(detector, rgb, only_plain=True)
    found = with_lying_and_veiled(rgb, plain)
    return found, {PLAIN: np.array([found is plain])}


def only_plain_faces(store: Store, kind: str, key: str) -> bool:
    """Whether a photo was searched for heads that lie and veiled faces, and shows none.

    False of a photo whose faces a ledger lists: whoever was left out there may be one.
    """
    return bool(store.load(kind, key, PLAIN).get("", np.zeros(1)).all())
