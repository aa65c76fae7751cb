"""``natural``: only the face is replaced; pose, light, hair and scene stay.

The claim is k-anonymity of the identity parameters (the surrogate's texture and inner shape), not
of the pixels: what surrounds the face still belongs to the person.
"""

from typing import Final

import cv2
import numpy as np

from ksame import geometry
from ksame.arrays import Floats, Floats32, Image
from ksame.composite import frame
from ksame.composite.blend import multiband, smooth, smoothstep
from ksame.composite.frame import HEAD, LIGHT
from ksame.composite.layers import premultiplied
from ksame.composite.masks import rho, skin_only, widths
from ksame.composite.mesh import Warp
from ksame.composite.place import lay
from ksame.composite.portrait import Portrait
from ksame.composite.surrogate import Look

_FEATHER: Final = 0.1  # of the outline, outwards: inwards it would let the person's rim through
_BAND: Final = (1.1, 1.3)  # of the outline: where what was blended ends in the photo
_INNER_SKIN: Final = (0.75, 0.9)  # of the outline: light is measured inside of it
_TO_OUTLINE: Final = (0.65, 0.95)  # of the radius: from the surrogate's mesh to the person's own
_OTHER_POSE: Final = (0.08, 0.2)  # of the face's width: how far the noses are off the middle
_GAINS: Final = (0.5, 2.0)  # a scene's light does not change a face by more
_DARKEST: Final = 4.0  # grey levels that are divided by


def replace_face(photo: Image, portrait: Portrait, look: Look) -> None:
    """Put the surrogate's face into the photo's pose and light, in place."""
    view = frame.view_of(photo, portrait.matrix).astype(np.float32)
    mesh = posed(look.points, portrait.points)
    texture = Warp(mesh)(look.face, look.points).astype(np.float32)
    reach = rho(mesh) / widths(mesh)
    mask = 1 - smoothstep(reach, 1.0, 1.0 + _FEATHER)
    mask *= cv2.dilate(portrait.layer[..., 3], np.ones((5, 5), np.uint8)) / np.float32(255)
    texture = np.clip(texture * _gain(view, texture, mesh, reach), 0, 255)
    mixed = multiband(texture, view, mask, levels=3)
    alpha = 1 - smoothstep(reach, _BAND[0] + _FEATHER, _BAND[1] + _FEATHER)
    lay(photo, premultiplied(mixed, alpha), portrait.matrix)


def posed(surrogate: Floats, person: Floats) -> Floats:
    """The surrogate's mesh in the person's pose.

    An affine map takes it there; the outline ends on the person's own, where the hair and the
    jaw that stay in the photo expect it, and the inner shape remains the surrogate's.
    """
    placed = geometry.apply(geometry.affine(surrogate, person), surrogate)
    outline = person[list(frame.OUTLINE)]
    centre = (outline.min(axis=0) + outline.max(axis=0)) / 2
    half = np.ptp(outline, axis=0) / 2
    radius = np.hypot(*((person - centre) / half).T)
    own = smoothstep(radius, *_TO_OUTLINE)[:, None]
    # a plane map cannot turn a head: the more the poses differ, the more of the mesh is the photo's
    apart = abs(frame.nose_offset(person) - frame.nose_offset(surrogate))
    own = np.maximum(own, smoothstep(np.array(apart), *_OTHER_POSE))
    mesh: Floats = placed + (person - placed) * own
    return mesh


def _gain(view: Floats32, texture: Floats32, mesh: Floats, reach: Floats32) -> Floats32:
    """How the photo's light differs from the surrogate's, in low frequencies alone."""
    weight = skin_only(mesh) * (1 - smoothstep(reach, *_INNER_SKIN)) + 1e-4
    sigma = LIGHT * HEAD.eyes
    ratio = smooth(view, sigma, weight) / np.maximum(smooth(texture, sigma, weight), _DARKEST)
    gain: Floats32 = np.clip(ratio, *_GAINS)
    return gain
