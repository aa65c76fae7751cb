"""Active Appearance Models: faces as codes of shape and appearance."""

from ksame.codecs.aam.appearance import AppearanceModel, Light
from ksame.codecs.aam.fit import Fitting, Found
from ksame.codecs.aam.model import ActiveAppearanceModel, Fit, Instance
from ksame.codecs.aam.shape import Pose, ShapeModel
from ksame.codecs.aam.warp import PiecewiseAffine, triangulate

__all__ = [
    "ActiveAppearanceModel",
    "AppearanceModel",
    "Fit",
    "Fitting",
    "Found",
    "Instance",
    "Light",
    "PiecewiseAffine",
    "Pose",
    "ShapeModel",
    "triangulate",
]
