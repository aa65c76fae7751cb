"""Pretrained deep recognisers: today's stand-ins for the papers' FaceIt."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from ksame.errors import InputError
from ksame.recognition.contract import Faces, Persons, squared_euclidean
from ksame.recognition.crops import FACE, SIDE, describe_once
from ksame.vision.embeddings import embed_dlib, embed_sface

Floats = npt.NDArray[np.float64]


class SFace:
    """SFace (Zhong et al. 2021): unit vectors of 128 numbers, compared by their angle."""

    name = "sface"

    def __init__(self) -> None:
        self._known: dict[bytes, Floats] = {}

    def fit(self, training: Faces, persons: Persons | None = None) -> SFace:
        """Nothing to learn: the network is pretrained."""
        return self

    def describe(self, faces: Faces) -> Floats:
        """`(n, 128)` for crops `(n, 240, 240, 3)` of `recognition.crops.crop`."""
        return describe_once(as_crops(faces), lambda c: embed_sface(c, FACE), self._known)

    def distances(self, probes: npt.NDArray[Any], gallery: npt.NDArray[Any]) -> Floats:
        """One minus the cosine."""
        return np.asarray(1.0 - probes @ gallery.T)


class DlibResNet:
    """dlib's ResNet-29 (King 2017): 128 numbers, compared by Euclidean distance.

    Needs the extra `ksame[dlib]`. dlib places its own five points inside the crop, as its
    recogniser was trained to expect.
    """

    name = "dlib"

    def __init__(self) -> None:
        self._known: dict[bytes, Floats] = {}

    def fit(self, training: Faces, persons: Persons | None = None) -> DlibResNet:
        """Nothing to learn: the network is pretrained."""
        return self

    def describe(self, faces: Faces) -> Floats:
        """`(n, 128)` for crops `(n, 240, 240, 3)` of `recognition.crops.crop`."""
        return describe_once(as_crops(faces), lambda c: embed_dlib(c, FACE), self._known)

    def distances(self, probes: npt.NDArray[Any], gallery: npt.NDArray[Any]) -> Floats:
        """Euclidean distances."""
        return np.asarray(np.sqrt(squared_euclidean(probes, gallery)), dtype=np.float64)


def as_crops(faces: Faces) -> npt.NDArray[np.uint8]:
    """Crops for a deep recogniser, from colour or grey crops of any number type."""
    faces = np.asarray(faces)
    if faces.ndim == 3:
        faces = np.repeat(faces[..., None], 3, axis=3)
    if faces.ndim != 4 or faces.shape[3] != 3:
        raise InputError(
            f"faces of shape {faces.shape}; a deep recogniser needs crops (n, {SIDE}, {SIDE}, 3). "
            "Cut them with ksame.recognition.crops.crop."
        )
    if faces.dtype != np.uint8:
        faces = np.clip(np.rint(faces), 0, 255).astype(np.uint8)
    if faces.shape[1:3] != (SIDE, SIDE):
        faces = np.stack([cv2.resize(f, (SIDE, SIDE)) for f in faces])
    return faces
