"""Identity embeddings: two independent deep recognisers.

People are found with SFace; an attack on a release must not rely on the model that made it, so
dlib's ResNet stands beside it.
"""

from typing import Any

import numpy as np

from ksame import weights
from ksame.arrays import Floats, Image
from ksame.faces import Face
from ksame.geometry import inverse, similarity
from ksame.memo import Memo
from ksame.vision.chips import cut_chip, import_dlib
from ksame.vision.images import as_network_input, check_rgb
from ksame.vision.sampling import sample
from ksame.weights.onnx_files import with_one_input
from ksame.weights.session import network, session

_CHIP = 112
# where SFace expects the five points of a face in its 112 x 112 chip (ArcFace's template)
_TEMPLATE = np.array(
    [
        [38.2946, 51.6963],
        [73.5318, 51.5014],
        [56.0252, 71.7366],
        [41.5493, 92.3655],
        [70.7299, 92.2041],
    ]
)

# a crowd that is finished again shows most of its faces as they were
_embedded = Memo[Floats](1024)


def embed_sface(rgb: Image, face: Face) -> Floats:
    """SFace's 128 numbers for a face, a unit vector: the dot product is the likeness."""
    return embed_sface_chip(sface_chip(rgb, face))


def sface_chip(rgb: Image, face: Face) -> Image:
    """The 112 x 112 RGB chip that SFace sees, placed by the face's five points."""
    to_photo = inverse(similarity(face.points, _TEMPLATE))
    return sample(check_rgb(rgb), to_photo, (_CHIP, _CHIP))


def embed_sface_chip(chip: Image) -> Floats:
    """SFace's unit vector for a chip of :func:`sface_chip`."""
    return _embedded(chip.tobytes(), lambda: _embed(chip)).copy()


def _embed(chip: Image) -> Floats:
    (vector,) = session("sface", _with_data_alone).run(as_network_input(chip), ())
    return _unit(vector)


def embed_dlib(rgb: Image, face: Face) -> Floats:
    """dlib ResNet's 128 numbers for a face; Euclidean distances compare them.

    Needs ``ksame[dlib]``; otherwise :class:`ksame.errors.InputError` names the extra.
    """
    return embed_dlib_chip(cut_chip(rgb, face, size=150, padding=0.25))


def embed_dlib_chip(chip: Image) -> Floats:
    """dlib ResNet's vector for a 150 x 150 chip with a padding of 0.25."""
    recogniser = network("dlib-resnet", _build_dlib)
    return np.array(recogniser.compute_face_descriptor(np.ascontiguousarray(chip)))


def _unit(vector: Any) -> Floats:
    flat = np.asarray(vector, np.float64).ravel()
    return flat / max(float(np.linalg.norm(flat)), 1e-12)


def _with_data_alone(model: bytes) -> bytes:
    """The model without its weights among the inputs: they are in the file, as bytes."""
    return with_one_input(model, "data")


def _build_dlib() -> Any:
    return import_dlib().face_recognition_model_v1(str(weights.path("dlib-resnet")))
