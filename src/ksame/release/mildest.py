"""The mildest guard that hides a face from a recogniser, found in memory before it is drawn so."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from ksame.arrays import Image
from ksame.faces import Face
from ksame.release.guarding import known_faces
from ksame.release.last_look import face_at
from ksame.release.orders import FaceOrder, PhotoOrder
from ksame.release.styles.contract import Protected

ROUNDS: Final = 3  # times that a photo is finished again at most
# Cosine by which a face must be further from being known in memory than in the file; one figure for
# each round. Coding moves it by .03, and a mild guard that SFace is just content with leaves other
# recognisers more: of 66 faces two that took no part name 14 and 11 with .01, 10 and 8 with .07,
# 6 and 6 with .10, which are 4 and 4 with the last guard alone. In the last round that one holds
_SPARE: Final = (0.10, 0.13, None)
# px of a face's box. Nobody sees what the mild guards spare in smaller ones, which are many, and of
# 141 of less than 24 px these hide hardly more than coding does by chance: none is tried
_SMALL: Final = 40.0


@dataclass(frozen=True)
class Shown:
    """A finished photo: the original, what was made of it, and the faces that are found in it."""

    original: Image = field(repr=False)
    protected: Protected = field(repr=False)
    found: Sequence[Face] = field(repr=False)


def guarded_more(order: PhotoOrder, known: Sequence[int], shown: Shown, round_: int) -> PhotoOrder:
    """The order with each known face at the mildest guard that hides it, above its present one.

    The last one where none does, and in the last of the rounds (from 0); the same order where all
    have that already.
    """
    if not known:
        return order
    faces = tuple(
        replace(face, guard=_mildest(order, face, shown, round_)) if face.number in known else face
        for face in order.faces
    )
    return replace(order, faces=faces)


def _mildest(order: PhotoOrder, face: FaceOrder, shown: Shown, round_: int) -> int:
    """The first guard above a face's own at which it is no longer known."""
    from ksame.release.styles.drawing import drawing_of
    from ksame.render import LADDER, OF_SMALL, Laid, with_another
    from ksame.vision import embed_sface

    seen, last = face_at(shown.found, face.box), len(LADDER) - 1
    spare = _SPARE[round_]
    if seen is None or spare is None:
        return last
    if seen.size < _SMALL:
        return OF_SMALL if face.guard < OF_SMALL else last
    drawing, original = drawing_of(order, shown.original), shown.original
    place = [one.number for one in order.faces].index(face.number)
    was = next(one for one in shown.protected.laid if one.place == place)
    told = drawing.face(order, original, face).told()
    picture = shown.protected.rgb
    for guard in range(face.guard + 1, last):
        more = replace(face, guard=guard)
        drawn = drawing.face(order, original, more)
        if (now := drawn.told()) == told:
            continue
        told = now
        x0, y0, x1, y1 = drawn.rendered.box
        if x1 <= x0 or y1 <= y0:
            continue
        one = Laid(drawn.rendered, drawn.front, place=place)
        one = one.also_beside([np.array(one.rendered.box)] if was.beside_fill else [])
        part = picture[y0:y1, x0:x1]
        before = part.copy()
        part[:] = with_another(original, shown.protected.laid, one)
        vector = embed_sface(picture, seen)
        part[:] = before
        alone = replace(order, faces=(more,))
        if not known_faces(alone, {"sface": vector[None]}, -spare):
            return guard
    return last
