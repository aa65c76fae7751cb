"""Choose the drawn person who resembles those least whose place is taken."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ksame.faces import Face
from ksame.render.anatomy import FaceModel
from ksame.render.draw import render
from ksame.render.numbers import (
    EXPRESSION_STEP,
    LIGHT_SIZES,
    OUTLINE_SIZE,
    PLACE_STEP,
    SIZE_STEP,
    TURN_STEP,
    FaceNumbers,
    steps,
)
from ksame.vision.embeddings import embed_sface

Floats = npt.NDArray[np.float64]
Floats32 = npt.NDArray[np.float32]
Image = npt.NDArray[np.uint8]

_SIDE = 192  # px of a portrait
_UNIT = 76.0  # px between the outer corners of the eyes: SFace's chips are coarser
_GROUND = 128  # grey level behind a portrait


def portrait(model: FaceModel, identity: Floats32, side: int = _SIDE) -> Image:
    """A person of nobody from the front, in even light, before a grey ground."""
    rgb = np.full((side, side, 3), _GROUND, np.uint8)
    drawn = render(model, identity, _straight(model, side), (side, side))
    x0, y0, x1, y1 = drawn.box
    share = drawn.alpha[..., None] / np.float32(255)
    part = rgb[y0:y1, x0:x1]
    part[:] = np.round(part + (drawn.colour - part.astype(np.float32)) * share).astype(np.uint8)
    return rgb


def farthest_of(
    model: FaceModel, identities: Sequence[Floats32], people: npt.NDArray[np.floating]
) -> int:
    """The number of the identity that resembles the most similar of some people least.

    Parameters
    ----------
    identities : sequence of identity codes
        Drawn for one group.
    people : (m, 128) array
        SFace's unit vectors of everybody in the group, as ``embed_sface`` gives them.
    """
    crowd = np.asarray(people, np.float64).reshape(-1, 128)
    likeness = [float((crowd @ portrait_embedding(model, one)).max()) for one in identities]
    return int(np.argmin(likeness))


def portrait_embedding(model: FaceModel, identity: Floats32) -> Floats:
    """SFace's unit vector of a person of nobody."""
    rgb = portrait(model, identity)
    shape = model.shape(identity, model.neutral)
    scale = _straight(model, _SIDE).matrix
    points = shape[[468, 473, 1, 61, 291]] @ scale[:, :3].T + scale[:, 3]
    box = np.concatenate([points.min(axis=0) - _UNIT / 2, points.max(axis=0) + _UNIT / 2])
    return embed_sface(rgb, Face(box, 1.0, points))


def _straight(model: FaceModel, side: int) -> FaceNumbers:
    """The numbers of a face that looks into the camera."""
    size = steps(np.log(_UNIT * side / _SIDE), float(np.log(SIZE_STEP)))
    middle = steps(side / 2 / SIZE_STEP ** size[0], PLACE_STEP) * 2
    turn = steps([1, 0, 0, 0, 1, 0], TURN_STEP)
    return FaceNumbers(
        (*size, *turn, *middle),
        steps(model.neutral, EXPRESSION_STEP),
        (0,) * sum(LIGHT_SIZES),
        (0,) * OUTLINE_SIZE,
        0,
        0,
        (0, 0, 0),
        "colour",
    )
