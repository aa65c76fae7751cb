"""``natural``: only the face is replaced; pose, light, hair and scene stay.

The claim is k-anonymity of the identity parameters (the surrogate's texture and inner shape), not
of the pixels: what surrounds the face still belongs to the person.
"""

import cv2
import numpy as np

from ksame.composite import frame
from ksame.composite.blend import Floats32, multiband, smooth, smoothstep
from ksame.composite.frame import HEAD, LIGHT, Floats, Image
from ksame.composite.layers import premultiplied
from ksame.composite.masks import rho, skin_only, widths
from ksame.composite.mesh import Warp
from ksame.composite.place import lay
from ksame.composite.portrait import Portrait
from ksame.composite.surrogate import Look

_FEATHER = 0.1  # outwards: feathering inwards lets the person's rim through


def replace_face(photo: Image, portrait: Portrait, look: Look) -> None:
    """Put the surrogate's face into the photo's pose and light, in place."""
    view = frame.cut(photo, portrait.matrix).astype(np.float32)
    mesh = posed(look.points, portrait.points)
    texture = Warp(mesh)(look.face, look.points).astype(np.float32)
    reach = rho(mesh) / widths(mesh)
    mask = 1 - smoothstep(reach, 1.0, 1.0 + _FEATHER)
    mask *= cv2.dilate(portrait.layer[..., 3], np.ones((5, 5), np.uint8)) / np.float32(255)
    texture = np.clip(texture * _gain(view, texture, mesh, reach), 0, 255)
    mixed = multiband(texture, view, mask, levels=3)
    alpha = 1 - smoothstep(reach, 1.1 + _FEATHER, 1.3 + _FEATHER)
    lay(photo, premultiplied(mixed, alpha), portrait.matrix)


def posed(surrogate: Floats, person: Floats) -> Floats:
    """The surrogate's mesh in the person's pose.

    An affine map takes it there; the outline ends on the person's own, where the hair and the
    jaw that stay in the photo expect it, and the inner shape remains the surrogate's.
    """
    ones = np.c_[surrogate, np.ones(len(surrogate))]
    affine, *_ = np.linalg.lstsq(ones, person, rcond=None)
    placed = ones @ affine
    outline = person[list(frame.OUTLINE)]
    centre = (outline.min(axis=0) + outline.max(axis=0)) / 2
    half = np.ptp(outline, axis=0) / 2
    radius = np.hypot(*((person - centre) / half).T)
    own = smoothstep(radius, 0.65, 0.95)[:, None]
    # a plane map cannot turn a head: the more the poses differ, the more of the mesh is the photo's
    own = np.maximum(
        own, smoothstep(np.array(abs(frame.turn(person) - frame.turn(surrogate))), 0.08, 0.2)
    )
    mesh: Floats = placed + (person - placed) * own
    return mesh


def _gain(view: Floats32, texture: Floats32, mesh: Floats, reach: Floats32) -> Floats32:
    """How the photo's light differs from the surrogate's, in low frequencies alone."""
    weight = skin_only(mesh) * (1 - smoothstep(reach, 0.75, 0.9)) + 1e-4
    sigma = LIGHT * HEAD.eyes
    ratio = smooth(view, sigma, weight) / np.maximum(smooth(texture, sigma, weight), 4.0)
    gain: Floats32 = np.clip(ratio, 0.5, 2.0)
    return gain
