"""A mean face that goes on, further from the people it stands for.

The more faces are averaged, the nearer their mean is to the mean of all faces, and so is the mean
of a far group. Whoever looks for its people finds them hardly further from it than anybody else;
what the averaging took away is given back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np

from ksame import geometry
from ksame.arrays import Floats, Floats32
from ksame.composite.blend import GREY_WEIGHTS, smooth, times
from ksame.composite.frame import HEAD, LIGHT, around_face
from ksame.composite.masks import radial, skin_only
from ksame.composite.means import MeanFace, People, mean_face, mean_mesh
from ksame.composite.mesh import Warp
from ksame.composite.people import person_code
from ksame.composite.portrait import Portrait, best_portrait
from ksame.states import TURNED

_MOST_TIMES: Final = 2.0  # times the distance; beyond it a face becomes a caricature
_LARGEST_CHANGE: Final = 0.12  # of the skin's lightness: no pixel changes by more
_FINEST: Final = 2.5  # pixels; finer than that are pores, and theirs would show as their negative
_FACE_ENDS: Final = (0.7, 0.95)  # of the outline
_GAINS: Final = (0.4, 2)  # of a pixel
_DARKEST: Final = 8  # grey levels that are divided by
_GREY: Final = np.array([GREY_WEIGHTS], np.float32)


@dataclass(frozen=True)
class Away:
    """One move, for all looks of a surrogate.

    Attributes
    ----------
    mesh : (478, 2) array
        The mean mesh that it was found on.
    shift : (478, 2) array
        How far each point of that mesh goes.
    lighter : (256, 224) float32 array
        How much lighter every second pixel becomes, over the lightness of the skin.
    """

    mesh: Floats = field(repr=False)
    shift: Floats = field(repr=False)
    lighter: Floats32 = field(repr=False)

    def moved(self, points: Floats) -> Floats:
        """A mesh after the move; a turned head is narrower, and so is its shift."""
        moved: Floats = points + self.shift @ geometry.affine(self.mesh, points)[:, :2].T
        return moved

    def lighter_on(self, mean: MeanFace) -> Floats32:
        """How much lighter a mean on a moved mesh becomes, in grey levels."""
        x, y = mean.warp.lookup(self.mesh, mean.part)
        lighter: Floats32 = cv2.remap(self.lighter, x / 2, y / 2, cv2.INTER_LINEAR)
        lighter *= np.float32((_GREY @ mean.tone).item())
        return lighter


def lightened(colour: Floats32, lighter: Floats32 | None) -> Floats32:
    """Colours made lighter by some grey levels; their hue stays."""
    if lighter is None:
        return colour
    gain = 1 + lighter / np.maximum(cv2.transform(colour, _GREY), _DARKEST)
    return times(colour, np.clip(gain, *_GAINS))


def away_from(people: Sequence[Portrait], donors: People) -> Away:
    """The move along the line from some people's mean face to the donors' mean face, and on.

    The donors' mean ends as far from the people's mean as a donor and one of the people are from
    each other on average, by their codes, but at most twice as far as it was. Mesh and lightness
    move; colour stays, and so does what is coarser than the light of a scene.

    Guarantee: it depends on nothing of the people but the mean of their meshes and faces and the
    spread of their codes, so that it is one move for the whole group.

    Parameters
    ----------
    people : sequence of Portrait
        A portrait of each person that the surrogate stands for.
    donors : sequence of sequences of Portrait
        Per donor, that donor's portraits.
    """
    lenders = [best_portrait(person) for person in donors]
    further = _shrinkage(lenders, people) - 1
    here, there = (mean_mesh([[p] for p in some]) for some in (lenders, people))
    part = around_face(here, step=2)  # every second pixel is fine enough for what is kept of it
    warp = Warp(here)
    sides = ([[portrait] for portrait in some] for some in (lenders, people))
    own, other = (_lightness(mean_face(some, warp, part, hair=False)) for some in sides)
    change = (own - other) * np.float32(further)
    skin = skin_only(here)[part] + np.float32(1e-3)
    change -= smooth(change[..., None], LIGHT * HEAD.eyes / 2, skin)
    change = cv2.GaussianBlur(change, (0, 0), _FINEST / 2)
    lighter = np.zeros((HEAD.height // 2, HEAD.width // 2), np.float32)
    rows, columns = (slice(side.start // 2, (side.stop + 1) // 2) for side in part)
    lighter[rows, columns] = (
        _LARGEST_CHANGE * np.tanh(change / _LARGEST_CHANGE) * radial(here, *_FACE_ENDS)[part]
    )
    # two views of a head differ in more than its shape
    turned = any(portrait.pose in TURNED for portrait in (*lenders, *people))
    shift = (here - there) * (0.0 if turned else further)
    return Away(mesh=here, shift=shift, lighter=lighter)


def _shrinkage(donors: Sequence[Portrait], people: Sequence[Portrait]) -> float:
    """How much further apart single donors and people are than their means, 1 to 2."""
    a, b = (np.stack([person_code([p], tone=False) for p in some]) for some in (donors, people))
    means = float(((a.mean(axis=0) - b.mean(axis=0)) ** 2).sum())
    # pairs differ by the means' difference and by the spread of both sides
    pairs = means + float(a.var(axis=0).sum() + b.var(axis=0).sum())
    return float(np.sqrt(pairs / means)) if pairs < _MOST_TIMES**2 * means else _MOST_TIMES


def _lightness(face: MeanFace) -> Floats32:
    """Grey values over that of the skin."""
    grey: Floats32 = cv2.transform(
        face.without_fringes(), _GREY / np.float32((_GREY @ face.tone).item())
    )
    return grey
