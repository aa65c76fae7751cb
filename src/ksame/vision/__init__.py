"""From a photo to faces: detection, landmarks, expression, identity, people, registration."""

from ksame.vision.detect import Face, find_faces
from ksame.vision.embeddings import embed_dlib, embed_sface
from ksame.vision.landmarks import Landmarks, NoLandmarks, find_landmarks

__all__ = [
    "Face",
    "Landmarks",
    "NoLandmarks",
    "embed_dlib",
    "embed_sface",
    "find_faces",
    "find_landmarks",
]
