"""Pretrained deep recognisers: today's stand-ins for the papers' FaceIt."""

from __future__ import annotations

from typing import ClassVar, Self

import cv2
import numpy as np

from ksame.arrays import AnyFloats, Array, Floats, Image, Labels
from ksame.errors import InputError
from ksame.recognition.contract import FaceImages, euclidean, one_minus_cosine
from ksame.recognition.crops import FACE, SIDE, describe_once
from ksame.vision.embeddings import embed_dlib, embed_sface


class Pretrained:
    """A network that was trained elsewhere: it describes crops and learns nothing.

    A recogniser of this kind sets ``name`` and ``dim`` and says how one crop is described. Unit
    vectors are compared by their angle; override `distances` for others.
    """

    name: ClassVar[str]
    dim: ClassVar[int]
    learns: ClassVar[bool] = False

    def __init__(self) -> None:
        self._known: dict[bytes, Floats] = {}

    def embed(self, crop: Image) -> Floats:
        """The ``dim`` numbers of one crop (240, 240, 3) of `recognition.crops.crop`."""
        raise NotImplementedError

    def fit(self, training: FaceImages, persons: Labels | None = None) -> Self:
        """Nothing to learn."""
        return self

    def describe(self, faces: FaceImages) -> Floats:
        """`(n, dim)` for crops `(n, 240, 240, 3)`; each different crop is described once."""
        return describe_once(as_crops(faces), self.embed, self._known)

    def distances(self, probes: Array, gallery: Array) -> AnyFloats:
        """One minus the cosine."""
        return one_minus_cosine(probes, gallery)


class SFace(Pretrained):
    """SFace (Zhong et al. 2021): unit vectors of 128 numbers, compared by their angle."""

    name = "sface"
    dim = 128

    def embed(self, crop: Image) -> Floats:
        """SFace's numbers of one crop."""
        return embed_sface(crop, FACE)


class DlibResNet(Pretrained):
    """dlib's ResNet-29 (King 2017): 128 numbers, compared by Euclidean distance.

    Needs the extra `ksame[dlib]`. dlib places its own five points inside the crop, as its
    recogniser was trained to expect.
    """

    name = "dlib"
    dim = 128

    def embed(self, crop: Image) -> Floats:
        """dlib's numbers of one crop."""
        return embed_dlib(crop, FACE)

    def distances(self, probes: Array, gallery: Array) -> AnyFloats:
        """Euclidean distances."""
        return euclidean(probes, gallery)


def as_crops(faces: FaceImages) -> Image:
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
