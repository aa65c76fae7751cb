"""A glimpse of a face: what a frame tells of its light, whoever takes its place."""

from dataclasses import dataclass

import numpy as np

from ksame.arrays import Floats, Image
from ksame.render.anatomy import FaceModel, anatomy
from ksame.render.measure import Seen, around, black_of, colour_of, grain_of, texels
from ksame.render.numbers import BLACK_STEP
from ksame.render.sharpness import softness_of


@dataclass(frozen=True)
class Glimpse:
    """What a picture tells of a face's light, sharpness and grain, whoever takes its place.

    Attributes
    ----------
    seen : (g, g, 3) uint8 array
        The skin through the person's own mesh; black where it lies outside of the picture.
    black : float
        The picture's darkest level around the face.
    softness : float
        The blur in px of the edges around the face; NaN where none is seen.
    grain : tuple of 3 int
    colour : str
    """

    seen: Image
    black: float
    softness: float
    grain: tuple[int, ...]
    colour: str

    @staticmethod
    def skin(seen: Image) -> Seen:
        """Kept colours as light is measured on them."""
        return Seen(seen, np.asarray(seen.any(axis=2), bool), None)


def glimpse(model: FaceModel, rgb: Image, points: Floats) -> Glimpse:
    """Measure what does not depend on who takes a person's place."""
    view, offset, factor = around(rgb, points)
    where = (texels(points, anatomy(model)) - offset + 0.5) / factor - 0.5
    seen = Seen.of(view, where.astype(np.float32))
    softness = softness_of(rgb, points)
    return Glimpse(
        seen.colours * seen.inside[..., None].astype(np.uint8),
        black_of(view) * BLACK_STEP,
        np.nan if softness is None else softness,
        grain_of(rgb, points),
        colour_of(view),
    )
