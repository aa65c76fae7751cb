"""From a photo to faces: detection, landmarks, expression, identity, looks, registration."""

from ksame.faces import Face, Faces
from ksame.vision.attributes import Attributes, gender_age
from ksame.vision.blendshapes import BLENDSHAPE_NAMES, blendshapes, expression_class, smile
from ksame.vision.detect import (
    COARSEST_SIDE,
    FINEST_SIDE,
    find_faces,
    find_faces_by,
    merge_faces,
)
from ksame.vision.detectors import DETECTORS, Detector, detector
from ksame.vision.embeddings import embed_dlib, embed_sface
from ksame.vision.landmarks import (
    Landmarks,
    NoLandmarks,
    find_landmarks,
    follow_landmarks,
)
from ksame.vision.looks import FaceLooks, PersonLooks, measure_looks, pooled_looks
from ksame.vision.register import FRAMES, Frame, RegisteredFace, register
from ksame.vision.segment import person_mask
from ksame.vision.tone import typology_angle

__all__ = [
    "BLENDSHAPE_NAMES",
    "COARSEST_SIDE",
    "DETECTORS",
    "FINEST_SIDE",
    "FRAMES",
    "Attributes",
    "Detector",
    "Face",
    "FaceLooks",
    "Faces",
    "Frame",
    "Landmarks",
    "NoLandmarks",
    "PersonLooks",
    "RegisteredFace",
    "blendshapes",
    "detector",
    "embed_dlib",
    "embed_sface",
    "expression_class",
    "find_faces",
    "find_faces_by",
    "find_landmarks",
    "follow_landmarks",
    "gender_age",
    "measure_looks",
    "merge_faces",
    "person_mask",
    "pooled_looks",
    "register",
    "smile",
    "typology_angle",
]
