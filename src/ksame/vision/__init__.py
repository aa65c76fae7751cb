"""From a photo to faces: detection, landmarks, expression, identity, people, registration."""

from ksame.vision.attributes import Attributes, gender_age
from ksame.vision.blendshapes import BLENDSHAPE_NAMES, blendshapes, expression_class, smile
from ksame.vision.detect import COARSEST_SIDE, FINEST_SIDE, Face, find_faces
from ksame.vision.embeddings import embed_dlib, embed_sface
from ksame.vision.landmarks import Landmarks, NoLandmarks, find_landmarks
from ksame.vision.people import People, cluster_people
from ksame.vision.register import FRAMES, Frame, RegisteredFace, register
from ksame.vision.segment import person_mask
from ksame.vision.tone import SkinTone, skin_tone

__all__ = [
    "BLENDSHAPE_NAMES",
    "COARSEST_SIDE",
    "FINEST_SIDE",
    "FRAMES",
    "Attributes",
    "Face",
    "Frame",
    "Landmarks",
    "NoLandmarks",
    "People",
    "RegisteredFace",
    "SkinTone",
    "blendshapes",
    "cluster_people",
    "embed_dlib",
    "embed_sface",
    "expression_class",
    "find_faces",
    "find_landmarks",
    "gender_age",
    "person_mask",
    "register",
    "skin_tone",
    "smile",
]
