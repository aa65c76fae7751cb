"""Faces of the model in real photographs: measured as numbers, rendered, blended."""

from ksame.render.blend import Laid, lay_over_fills, replace_face, with_another
from ksame.render.draw import Rendered, render
from ksame.render.filling import fill_region, filled_box
from ksame.render.front import Front, front_mask
from ksame.render.glimpse import Glimpse, glimpse
from ksame.render.guards import LADDER, OF_SMALL, Guard
from ksame.render.measure import measure
from ksame.render.numbers import FaceNumbers
from ksame.render.rough import rough_landmarks

__all__ = [
    "LADDER",
    "OF_SMALL",
    "FaceNumbers",
    "Front",
    "Glimpse",
    "Guard",
    "Laid",
    "Rendered",
    "fill_region",
    "filled_box",
    "front_mask",
    "glimpse",
    "lay_over_fills",
    "measure",
    "render",
    "replace_face",
    "rough_landmarks",
    "with_another",
]
