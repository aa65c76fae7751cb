"""What a written photo depends on, as one digest: two equal ones are the same file.

Unlike the key of an order it does not tell how things were found or what the file is called, so
that a release which is made again from its ledger knows what would come out as it was.
"""

import hashlib
from typing import Final

import numpy as np

from ksame._version import __version__
from ksame.release.find import FOUND
from ksame.release.orders import PhotoOrder
from ksame.release.plain_faces import PLAIN
from ksame.store import key_of

# what is kept of faces to group people by, or to spare a look, and changes no pixel
_BESIDE: Final = ("sface", "looks", "meetings", PLAIN)
_FACES: Final = "faces/"  # boxes, scores and classes: an order tells what is used of them


def content_of(order: PhotoOrder) -> str:
    """The digest of everything that a written photo is made from."""
    kept = order.store.load(FOUND, order.found)
    digest = hashlib.sha256()
    for name in sorted(kept):
        if name.startswith(_FACES) or name.rpartition("/")[2] in _BESIDE:
            continue
        array = np.ascontiguousarray(kept[name])
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(array.tobytes())
    faces = [[face.number, face.box, face.shared] for face in order.faces]
    asked = [order.style, order.mode, order.on_failure, order.max_pixels, order.method, order.seed]
    asked += [order.detector, order.medium, order.untouched, order.others]
    if order.moves:
        told = order.store.note(FOUND, order.found) or {}
        asked += [order.video_codec, order.audio, told.get("clip"), told.get("segments")]
    return key_of("content", __version__, order.sha256, faces, asked, digest.hexdigest())
