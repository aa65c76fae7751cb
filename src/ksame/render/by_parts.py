"""What lies in front of a face, by the parts that a network tells."""

import numpy as np

from ksame.arrays import Bools, Floats32
from ksame.render.cells import (
    FREE_FROM,
    Cells,
    Layers,
    closed,
    deep,
    evened_hair,
    evened_wall,
    grown,
    opened,
    touching,
)
from ksame.render.draw import LOWER_CORE, UPPER_CORE
from ksame.render.everybodys import (
    before_lenses,
    drawn_glasses,
    drawn_hair,
    drawn_mask,
    is_mask,
)
from ksame.render.guards import UNGUARDED, Guard
from ksame.vision.parts import BACKGROUND, BODY_SKIN, CLOTHES, FACE_SKIN, HAIR, THINGS

_SURE = 0.5  # of a part's score
_LEAST_SKIN = 0.15  # of the face: with less the network looks at something else
_LEAST_MASKED = 0.02  # ... beside a mask, which small faces wear over all but their eyes
_LEAST_KNOWN = 0.6  # of the face that is skin or lies in front of it: else the network is lost
_COVERED = 0.5  # of nose and mouth: what hides more of them is a mask
_NECK = 9  # cells: skin of the body that is thinner is the neck under the jaw
_LEAST_HAND = 0.025  # of the face: hands and things that hide less are not worth their risk
_LEAST_FRAME = 0.012  # of the face: glasses' rims have about 0.03
_MOST_FRAME = 0.8  # of brows and eyes: sunglasses leave the brows free
_DARK_GLASSES = 0.45  # of brows and eyes: what hides more is no mere frame
_BOTH_DARK = 0.4  # of what dark glasses hide of one eye, that they hide of the other at least
_BRIM = 7  # cells: thicker than rims are
_FINEST_RIMS = 1.3  # cells a pixel: faces of less than about 45 px have rims thinner than one
_ONE_SIDED = 0.3  # of what glasses hide of one eye, that they hide of the other at least
_UPPER_RIM = 0.15  # of what glasses hide, above the middle: what is all below is a mask's edge
_SEAM = 1  # cells by which what is drawn goes on under what is kept, or beside a mask


def seen_by_parts(
    scores: Floats32, view: Cells, around: bool = True, guard: Guard = UNGUARDED
) -> Layers | None:
    """The layers in front of a face; None where the network is not sure of the face.

    ``around``: hair and background that reach into the region stay as well, and a mask has an even
    edge: where this is decided for each frame of a clip anew, both would come and go.
    """
    face, core = view.face, view.core
    whole = max(int(face.sum()), 1)
    skin, hair = scores[..., FACE_SKIN] > _SURE, scores[..., HAIR] > _SURE
    thing = scores[..., THINGS] + scores[..., CLOTHES] > _SURE
    hand = scores[..., BODY_SKIN] > _SURE
    masked = (thing & (core == LOWER_CORE)).sum() > _COVERED * (core == LOWER_CORE).sum()
    if (skin & face).sum() < (_LEAST_MASKED if masked else _LEAST_SKIN) * whole:
        return None
    if ((skin | hair | thing | hand) & face).sum() < _LEAST_KNOWN * whole:
        return None
    things = thing.copy()
    mask, own_frame, rims = _worn(thing, view)
    # glasses that are not drawn are not kept in pieces either
    thing &= ~mask & ~own_frame & ~rims
    frame, of_frame = drawn_glasses(own_frame, view)
    frame = frame & ~mask
    held = _held(hand, thing, view)
    if guard.things != "own":
        frame = np.zeros_like(frame)
    if guard.things == "none":
        mask, held = np.zeros_like(mask), np.zeros_like(held)
    # what is held before nose and mouth is drawn there, and goes on a little under what is kept
    before = held & grown(core > 0, FREE_FROM + _SEAM)
    veil, of_veil = mask | before, None
    if mask.any() and around:
        veil, of_veil = drawn_mask(mask, view, guard.things == "own") | before, veil
    kept = held & view.free
    wall = scores[..., BACKGROUND] > _SURE
    if guard.hair == "everybodys":
        kept = (kept | evened_wall(wall, face)) & view.free & (view.alpha > 0) & ~veil
        frame, of_frame = drawn_hair(hair, things, view)
        frame &= ~veil & ~kept
        return Layers(kept, veil, frame, of_veil, of_frame, True, is_mask(mask, view))
    if around:
        free = view.free & ~veil & (view.alpha > 0)
        other = wall | (thing & ~grown(veil, _SEAM))
        beside = evened_hair((hair | other) & view.free & ~veil, face, guard)
        kept |= (evened_wall(other, face) & free) | (beside & free)
    masked = around and is_mask(mask, view)
    return Layers(kept & ~veil, veil, frame & ~kept, of_veil, of_frame, masked=masked)


def behind(scores: Floats32, view: Cells) -> Bools:
    """What lies behind the head, where the face shown is wider than the person's."""
    return evened_wall(scores[..., BACKGROUND] > _SURE, view.face) & view.free & (view.alpha > 0)


def _worn(thing: Bools, view: Cells) -> tuple[Bools, Bools, Bools]:
    """A mask over nose and mouth, glasses before the eyes, and what is as thin as their rims."""
    none = np.zeros(thing.shape, bool)
    lower, upper = view.core == LOWER_CORE, view.core == UPPER_CORE
    inside = thing & (view.alpha > 0)
    veil = none
    if lower.any() and (inside & lower).sum() > _COVERED * lower.sum():
        veil = closed(touching(inside & view.below_eyes, lower), 9) & (view.alpha > 0)
    rows = np.flatnonzero(upper.any(axis=1))
    level = none.copy()
    if len(rows):
        level[int(rows[0]) : int(rows[-1]) + 1] = True
    level |= before_lenses(view)  # which reach below the eyes, and a tilted head's anywhere
    before_eyes = touching(inside & level & ~veil, upper)
    hat = touching(inside & ~veil, before_eyes) & ~level
    if (hat & view.above_eyes).sum() > before_eyes.sum():  # its brim, which is kept beside the eyes
        return veil, none, none
    rims = before_eyes & ~grown(opened(before_eyes, _BRIM), 1)
    frame = _glasses(before_eyes, rims, view)
    hidden = int((frame & upper).sum())
    if (
        not _LEAST_FRAME * view.face.sum() <= hidden <= _MOST_FRAME * upper.sum()
        or not _before_both(frame & upper, upper)
    ):
        frame = none
    return veil, frame, rims


def _glasses(before_eyes: Bools, rims: Bools, view: Cells) -> Bools:
    """Dark glasses whole; of others rims and bridge, without thick parts: a cap's brim.

    Dark ones hide both eyes alike: where one lens is taken for a thing and the other for skin, the
    glass mirrors something, and its one colour would be a patch. Rims thinner than a pixel would be
    smudges: small faces wear none.
    """
    upper, none = view.core == UPPER_CORE, np.zeros_like(rims)
    hidden = before_eyes & upper
    if hidden.sum() >= _DARK_GLASSES * upper.sum():
        return before_eyes if _before_both(hidden, upper, _BOTH_DARK) else none
    return none if view.cells_a_pixel > _FINEST_RIMS else rims


def _before_both(frame: Bools, upper: Bools, alike: float = _ONE_SIDED) -> bool:
    """Whether glasses are seen before both eyes: half of a pair is a bar over one of them.

    What is seen below the eyes alone is the upper edge of a mask.
    """
    y, x = np.nonzero(upper)
    middle = np.array([x.mean(), y.mean()])
    off = np.stack([x, y], axis=1) - middle
    along = np.linalg.eigh(off.T @ off)[1][:, -1]  # from eye to eye, whichever way the head lies
    side = off @ along > 0
    hidden = frame[y, x]
    if (y < middle[1])[hidden].mean() < _UPPER_RIM:
        return False
    shares = sorted((float(hidden[side].mean()), float(hidden[~side].mean())))
    return shares[0] >= alike * shares[1]


def _held(hand: Bools, thing: Bools, view: Cells) -> Bools:
    """Hands, microphones, cups and hats: what lies over a good part of the face."""
    inside = (view.alpha > 0) & ~(view.core == UPPER_CORE)
    thick = opened(hand & inside & view.face, _NECK)
    hands = touching(hand & inside, thick) & (grown(thick, _NECK) | ~view.face)
    return deep(hands | (thing & inside), view.face, _LEAST_HAND)
