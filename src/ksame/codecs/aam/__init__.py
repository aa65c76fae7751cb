"""Active Appearance Models: faces as codes of shape and appearance."""

from ksame.codecs.aam.appearance import AppearanceModel, Light
from ksame.codecs.aam.codec import AamCodec
from ksame.codecs.aam.fit import Fitting, Found
from ksame.codecs.aam.model import ActiveAppearanceModel, Fit, Instance
from ksame.codecs.aam.persons import PersonCodes, separate
from ksame.codecs.aam.shape import Pose, ShapeModel
from ksame.codecs.aam.start import start_from_some
from ksame.codecs.aam.warp import PiecewiseAffine, triangulate

__all__ = [
    "AamCodec",
    "ActiveAppearanceModel",
    "AppearanceModel",
    "Fit",
    "Fitting",
    "Found",
    "Instance",
    "Light",
    "PersonCodes",
    "PiecewiseAffine",
    "Pose",
    "ShapeModel",
    "separate",
    "start_from_some",
    "triangulate",
]
