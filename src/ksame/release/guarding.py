"""Faces that a recogniser still knows in the finished picture are drawn again, with less around.

What is kept in front of a face or drawn over it (a fringe, a mask, glasses) and the rim of the face
are what recognisers go by where the face itself is nobody's. So each finished face is compared with
everybody of the collection, by the recogniser that people were told apart by; where its own person
is the first, or nearly, it is guarded more (``render.guards``). That costs looks, so that it is
done to no more faces than these, and no more than it takes: a face's guards are tried in memory,
from the mildest on, the photo is finished again with the first that hides it, and is compared
again. The tracks of clips are compared here too, and guarded in a way of their own
(``clips.guarding``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

import numpy as np

from ksame.arrays import Arrays, Floats32, Ints
from ksame.release.find import Album, Spot
from ksame.release.job import Job
from ksame.release.orders import PhotoOrder
from ksame.store import Store, key_of

GALLERY: Final = "gallery"  # the kind under which the store keeps everybody's embeddings
GUARDS: Final = (1, 2)  # of a clip's tracks
# Among few people somebody is always the first: there a face is known if it would be accepted, too,
# by the threshold that SFace's makers give for cosines.
_MANY, _ACCEPTED = 50, 0.363
_MANY_OF_TRACKS: Final = 20  # fewer: a track loses less by its guard than a photo's face
# Cosine by which somebody else must be more like it: others rank the nearest in another order. Half
# of the faces of scenes that two recognisers knew which took no part were within .03 and .06
_NEARLY: Final = 0.03


@dataclass(frozen=True, slots=True)
class _Gallery:
    """Embeddings (m, 128) of everybody's photos, ordered by ``owners`` (m,), 0 to n - 1."""

    embeddings: Floats32 = field(repr=False)
    owners: Ints = field(repr=False)

    def knows(self, vector: Floats32, owner: int, many: int, spare: float) -> bool:
        """Whether hardly anybody is more like a face than its own person, who is like it enough.

        ``spare`` is the cosine by which it must be more than that.
        """
        starts = np.flatnonzero(np.diff(self.owners, prepend=-1))
        alike = np.maximum.reduceat(self.embeddings @ vector, starts)
        alike /= np.linalg.norm(vector)
        is_first = alike[owner] >= alike.max() - _NEARLY + spare
        return bool(is_first and (len(alike) >= many or alike[owner] > _ACCEPTED + spare))


def with_gallery(
    job: Job, album: Album, faces: Mapping[str, Sequence[Spot]], orders: Mapping[int, PhotoOrder]
) -> dict[int, PhotoOrder]:
    """Orders for pictures of model faces, told whom their faces must not be taken for.

    ``faces`` are the replaceable faces of every person.
    """
    if job.plan.style != "model" or not (job.plan.guarantees and job.plan.attacks) or not faces:
        return dict(orders)
    names = sorted(faces)
    rows = [(number, spot) for number, name in enumerate(names) for spot in faces[name]]
    key = key_of(GALLERY, [[number, album.pictures[n].key, i] for number, (n, i) in rows])
    if job.store.note(GALLERY, key) is None:
        vectors = [album.kept(job.store, spot, "sface") for _, spot in rows]
        told: Arrays = {
            "embeddings": np.stack(vectors).astype(np.float32),
            "owners": np.array([number for number, _ in rows], np.int64),
        }
        job.store.save(GALLERY, key, told, True)
    owner_of = {spot: number for number, spot in rows}
    return {
        n: replace(
            order,
            gallery=key,
            faces=tuple(replace(f, owner=owner_of.get((n, f.number))) for f in order.faces),
        )
        for n, order in orders.items()
    }


def known_faces(order: PhotoOrder, described: Arrays, spare: float = 0.0) -> tuple[int, ...]:
    """The numbers of an order's finished faces that are taken for their own person.

    ``spare`` is the cosine by which they must be more like it than is asked of new ones.
    """
    if not order.gallery or "sface" not in described:
        return ()
    gallery = _gallery(order.store, order.gallery)
    many = _MANY_OF_TRACKS if order.moves else _MANY
    known = []
    for face, vector in zip(order.faces, described["sface"], strict=True):
        if face.owner is None or face.surrogate is None or not np.isfinite(vector).all():
            continue
        if gallery.knows(vector.astype(np.float32), face.owner, many, spare):
            known.append(face.number)
    return tuple(known)


def guarded(order: PhotoOrder, numbers: Sequence[int], guard: int) -> PhotoOrder:
    """The order with some of its faces guarded more."""
    return replace(
        order,
        faces=tuple(
            replace(face, guard=guard) if face.number in numbers else face for face in order.faces
        ),
    )


@lru_cache(maxsize=2)
def _gallery(store: Store, key: str) -> _Gallery:
    """A kept gallery. The key is a digest, so none is ever stale."""
    kept = store.load(GALLERY, key)
    return _Gallery(kept["embeddings"], kept["owners"])
