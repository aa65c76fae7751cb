"""Mean faces: textures of several people on one mesh, each person with one weight."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np

from ksame.arrays import Floats, Floats32
from ksame.composite.blend import smoothstep
from ksame.composite.frame import HEAD, WHOLE, Part
from ksame.composite.layers import extended, skin_likeness, unmultiplied
from ksame.composite.masks import rho
from ksame.composite.mesh import Warp
from ksame.composite.portrait import Portrait

_ENOUGH: Final = (0.3, 0.6)  # of the people: where too few show skin, the rim is carried on
_RIM: Final = (0.65, 0.85)  # of the outline: further in, brows and beards are part of the face
People = Sequence[Sequence[Portrait]]  # per person, that person's portraits


@dataclass(frozen=True)
class MeanFace:
    """The mean of some people on one mesh (M, alg. 4.1, with the mesh as shape model).

    Attributes
    ----------
    warp : Warp
        The way onto the mesh.
    tone : (3,) array
        Their mean skin colour, which every face was given before.
    part : rows and columns of the head frame
        Where the two layers lie in it.
    layer, skin : float32 arrays, premultiplied RGBA
        The mean head, and the same without what looks like hair rather than skin at the rim.
        They are one where hair is not asked for.
    """

    warp: Warp = field(repr=False)
    tone: Floats = field(repr=False)
    part: Part
    layer: Floats32 = field(repr=False)
    skin: Floats32 = field(repr=False)

    @property
    def alpha(self) -> Floats32:
        """How many of the people show something at each pixel, 0 to 1."""
        return _share(self.layer)

    def without_fringes(self) -> Floats32:
        """Its colours without fringes, carried on to where too few people show skin."""
        return extended(unmultiplied(self.skin), _share(self.skin), *_ENOUGH)


def mean_mesh(people: People) -> Floats:
    """The mean of the people's meshes; each person counts once."""
    mesh: Floats = np.mean(
        [np.mean([p.points for p in person], axis=0) for person in people], axis=0
    )
    return mesh


def mean_face(people: People, warp: Warp, part: Part = WHOLE, hair: bool = True) -> MeanFace:
    """The mean of some people's faces on a mesh, or a part of it; without hair, of skin alone."""
    tone = _mean_tone(people)
    skin = np.zeros((HEAD.height, HEAD.width, 4), np.float32)[part].copy()
    total = np.zeros_like(skin) if hair else skin
    rim = smoothstep(rho(warp.points)[part], *_RIM)
    for person in people:
        for portrait in person:
            warped = warp(portrait.layer, portrait.points, part)
            gain = np.append(tone / portrait.tone, 1.0) / (len(person) * len(people))
            if hair:
                total += cv2.multiply(warped, tuple(gain.tolist()), dtype=cv2.CV_32F)
            shown = 1 - rim * (1 - skin_likeness(warped, portrait.tone))
            weight = cv2.merge([shown * np.float32(g) for g in gain])
            skin += cv2.multiply(warped, weight, dtype=cv2.CV_32F)
    return MeanFace(warp=warp, tone=tone, part=part, layer=total, skin=skin)


def _share(layer: Floats32) -> Floats32:
    """A layer's alpha, 0 to 1."""
    share: Floats32 = layer[..., 3] * np.float32(1 / 255)
    return share


def _mean_tone(people: People) -> Floats:
    """The mean skin colour, by photos with colour if there are any; each person counts once."""
    coloured = [[p for p in person if not p.grey] for person in people]
    chosen = [person for person in coloured if person] or people
    logs = [np.mean([np.log(p.tone) for p in person], axis=0) for person in chosen]
    tone: Floats = np.exp(np.mean(logs, axis=0))
    return tone
