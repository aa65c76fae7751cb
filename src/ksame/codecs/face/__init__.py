"""An appearance model, in three dimensions, of people who do not exist.

A face is a point of the model's identity space, posed by a few expression weights: ``FaceModel``
turns both into a mesh with depth and a texture in even light. Whoever replaces a face by one of
the model shows nobody.
"""

from ksame.codecs.face.codes import far_code, mean_code
from ksame.codecs.face.looks import Looks
from ksame.codecs.face.model import FaceModel
from ksame.codecs.face.weights import EXPRESSION_NAMES

__all__ = ["EXPRESSION_NAMES", "FaceModel", "Looks", "far_code", "mean_code"]
