"""A surrogate that lies further from the people it stands for.

The more faces are averaged, the nearer their mean is to the mean of all faces, and so is the mean
of a far group. In ``natural`` mode, hair, outline and light of the person surround it: around a
face like everybody's they decide whom it resembles. What the averaging took away is given back.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from ksame.composite.blend import Floats32, smooth
from ksame.composite.frame import HEAD, Floats
from ksame.composite.layers import as_bytes
from ksame.composite.masks import radial, skin_only
from ksame.composite.mesh import Warp
from ksame.composite.natural import TONE
from ksame.composite.people import person_code
from ksame.composite.portrait import Portrait, best_portrait
from ksame.composite.states import TURNED
from ksame.composite.surrogate import Look, Surrogate, bare_mean

_MOST: Final = 2.5  # times the distance; beyond it a face becomes a caricature
_CHANGE: Final = 0.15  # of the skin's lightness: no pixel changes by more
_GREY: Final = np.array([0.299, 0.587, 0.114], np.float32)


def move_away(
    surrogate: Surrogate, donors: Sequence[Sequence[Portrait]], people: Sequence[Portrait]
) -> Surrogate:
    """Move a surrogate on, along the line from its people's mean face to its donors' mean face.

    It ends as far from the mean of its people as a donor and one of the people are from each other
    on average, by their codes. Mesh and lightness move; colour stays, and what is coarser than the
    photo's light is left to it. ``head`` is not changed.

    Guarantee: one move for the whole group, so that all its people share the result; it depends on
    nothing of them but the mean of their meshes and faces and the spread of their codes.

    Parameters
    ----------
    surrogate : Surrogate
        What ``synthesise`` made of the donors.
    donors : sequence of sequences of Portrait
        Per donor, that donor's portraits.
    people : sequence of Portrait
        A portrait of each person that the surrogate stands for.
    """
    lenders = [best_portrait(person) for person in donors]
    further = _shrunk(lenders, people) - 1
    here, face, tone = bare_mean([[portrait] for portrait in lenders])
    there, other, other_tone = bare_mean([[portrait] for portrait in people])
    apart = (_lightness(face, tone) - _warped(_lightness(other, other_tone), there, here)) * further
    apart -= smooth(apart[..., None], TONE * HEAD.eyes, skin_only(here) + np.float32(1e-3))
    apart = _CHANGE * np.tanh(apart / _CHANGE) * radial(here, 0.7, 0.95)
    # two views of a head differ in more than its shape
    turned = any(portrait.pose in TURNED for portrait in (*lenders, *people))
    shift = (here - there) * (0.0 if turned else further)
    moved = {state: _moved(look, shift, apart, here) for state, look in surrogate.looks.items()}
    return replace(surrogate, looks=moved)


def _shrunk(donors: Sequence[Portrait], people: Sequence[Portrait]) -> float:
    """How much further single donors and people are apart than their means are, 1 to ``_MOST``."""
    a, b = (np.stack([person_code([p], tone=False) for p in some]) for some in (donors, people))
    means = float(((a.mean(axis=0) - b.mean(axis=0)) ** 2).sum())
    # pairs differ by the means' difference and by the spread of both sides
    pairs = means + float(a.var(axis=0).sum() + b.var(axis=0).sum())
    return float(np.sqrt(pairs / means)) if pairs < _MOST**2 * means else _MOST


def _lightness(face: Floats32, tone: Floats) -> Floats32:
    """Grey values over that of the skin."""
    grey: Floats32 = face @ _GREY / np.float32(tone @ _GREY)
    return grey


def _warped(image: Floats32, points: Floats, onto: Floats) -> Floats32:
    at = Warp(onto).lookup(points)
    warped: Floats32 = cv2.remap(image, *at, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return warped


def _moved(look: Look, shift: Floats, apart: Floats32, mesh: Floats) -> Look:
    """A look with its mesh shifted and its face lightened by what ``apart`` has on ``mesh``."""
    ones = np.c_[mesh, np.ones(len(mesh))]
    to_look, *_ = np.linalg.lstsq(ones, look.points, rcond=None)
    points = look.points + shift @ to_look[:2]  # a turned head is narrower, and so is its shift
    warp = Warp(points)
    face = warp(look.face, look.points).astype(np.float32)
    lightened = _warped(apart, mesh, points) * np.float32(look.tone @ _GREY)
    gain = 1 + lightened / np.maximum(face @ _GREY, 8)
    return replace(look, points=points, face=as_bytes(face * np.clip(gain, 0.4, 2)[..., None]))
