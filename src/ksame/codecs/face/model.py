"""The face model: a person who does not exist, from a few numbers, as a mesh and a texture."""

from collections.abc import Mapping
from functools import cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ksame.arrays import Arrays, Floats, Floats32, Image
from ksame.codecs.face.drawing import Pool
from ksame.codecs.face.encoding import Encoder
from ksame.codecs.face.geometry import LANDMARKS, close_lids, complete, part_lips
from ksame.codecs.face.lids import Lids
from ksame.codecs.face.looks import Looks
from ksame.codecs.face.pose import find_pose
from ksame.codecs.face.storage import read_arrays
from ksame.codecs.face.texture import TextureModel
from ksame.codecs.face.weights import EXPRESSION_NAMES, ExpressionReader
from ksame.errors import InputError

Number = TypeVar("Number", np.float32, np.int32)

# identity numbers are held within this many standard deviations: no individual lies beyond
_FURTHEST = 4.0


class FaceModel:
    """People who do not exist, as identity codes; :meth:`load` gives the shipped model.

    Nothing of the model changes after loading, so one instance serves all threads.

    Attributes
    ----------
    side : int
        The texture has ``side`` x ``side`` pixels.
    places : (n, 2) array
        Where each point of the mesh lies in the texture, in pixels: the 478 landmarks in
        MediaPipe's order, then 72 beyond the outline, the eyeballs' rims and the mouth's inside.
    triangles : (t, 3) array
        Over the n points. Eyeballs and the inside of the mouth are patches of their own behind
        the lids and lips, which hide them in a depth buffer.
    identity_size, expression_size : int
        How many numbers a code and an expression have.
    """

    def __init__(self, arrays: Arrays) -> None:
        self.places: Floats32 = _fixed(arrays["places"].astype(np.float32))
        self.triangles = _fixed(arrays["triangles"].astype(np.int32))
        self._mean = _fixed(arrays["shape_mean"].astype(np.float32))
        self._shape_modes = _fixed(arrays["shape_modes"].astype(np.float32))
        self._rings = _fixed(arrays["rings"].astype(np.float32))
        self._expressions = _fixed(arrays["expression_modes"].astype(np.float32))
        self._at_rest = _fixed(arrays["expression_rest"].astype(np.float32))
        self._closing = _fixed(arrays["closing_modes"].astype(np.float32).reshape(2, -1, 3))
        self._shut = _fixed(arrays["closing_shut"].astype(np.float32))
        self._blinks = [EXPRESSION_NAMES.index(name) for name in ("blinkLeft", "blinkRight")]
        self._texture = TextureModel.of(arrays)
        self._lids = Lids(self.places, self._texture.side)
        self._reader = ExpressionReader.of(arrays)
        self._pool = Pool.of(arrays)
        self.side = self._texture.side
        self.shape_size = len(self._shape_modes)
        self.identity_size = self.shape_size + self._texture.size
        self.expression_size = len(EXPRESSION_NAMES)
        self._encoder = Encoder(
            self._mean, self._shape_modes, self._expressions, self._at_rest, self._rings,
            self.places, self.triangles, self._texture, self._reader,
        )  # fmt: skip

    def __repr__(self) -> str:
        return (
            f"FaceModel(side={self.side}, points={len(self.places)}, "
            f"identity_size={self.identity_size}, expression_size={self.expression_size})"
        )

    @classmethod
    def load(cls) -> "FaceModel":
        """The model that ksame ships, read once per process; its sha256 is checked."""
        return _load()

    @property
    def mean(self) -> Floats32:
        """The (468, 3) points on the skin of the mean face at rest."""
        return self._mean

    @property
    def neutral(self) -> Floats32:
        """The expression weights of a face at rest that looks ahead."""
        return np.concatenate([self._at_rest, np.zeros(2, np.float32)])

    def shape(self, identity: npt.ArrayLike, expression: npt.ArrayLike) -> Floats32:
        """The mesh, (n, 3), in units of the distance between the outer corners of the eyes.

        Centred; x to the right of the picture, y down, z away from the camera. Finite for any
        finite numbers: identity is held within 4 standard deviations, weights within their range.
        """
        code, weights = self.checked(identity), self.checked_expression(expression)
        rest = self._mean + (code[: self.shape_size] @ self._shape_modes).reshape(-1, 3)
        away = weights[:-2] - self._at_rest
        moved = (rest + (away @ self._expressions).reshape(-1, 3)).astype(np.float32)
        lids = close_lids(moved, self._closed(weights), self._closing)
        return complete(rest, part_lips(lids), weights[-2:], self._rings)

    def texture(self, identity: npt.ArrayLike, expression: npt.ArrayLike) -> Image:
        """The texture, (side, side, 3), sRGB in even and neutral light."""
        code, weights = self.checked(identity), self.checked_expression(expression)
        closed = self._closed(weights)
        away = weights[:-2] - self._at_rest
        picture = self._texture.decode(code[self.shape_size :], away, float(closed.min()))
        self._lids.paint(picture, closed)
        return picture

    def _closed(self, weights: Floats32) -> Floats32:
        """How far each eye is closed, 0 to 1, the subject's left one first."""
        rest = self._at_rest[self._blinks]
        closed: Floats32 = np.clip((weights[self._blinks] - rest) / (self._shut - rest), 0, 1)
        return closed

    def expression(self, points: npt.ArrayLike) -> Floats32:
        """The expression weights of a person's landmarks (478, 3), photo pixels with depth."""
        found = _landmarks(points)
        pose = find_pose(self._mean, found)
        return self._reader.read(pose.to_model(found))

    def encode(self, rgb: Image, points: npt.ArrayLike) -> Floats32:
        """The code of the person whose landmarks (478, 3) lie in a photo."""
        return self._encoder.encode(rgb, _landmarks(points))

    def draw(
        self,
        rng: np.random.Generator,
        looks: Looks,
        unlike: Mapping[str, npt.ArrayLike] | None = None,
    ) -> Floats32:
        """The code of a person of nobody with these looks.

        Neither SFace nor dlib accepts the face, at 0.1% false accepts, as a training face or as a
        person of the four sets that it was checked against. ``unlike`` gives embeddings (m, 128) of
        further people by recogniser (``sface``, ``dlib``), such as a collection's: faces that are
        accepted as one of them are not drawn while there are others of these looks.
        """
        code: Floats32 = self._pool.codes[self._pool.draw(rng, looks, unlike or {})].copy()
        return code

    @property
    def faces(self) -> Pool:
        """All faces that :meth:`draw` chooses from, with their looks and embeddings."""
        return self._pool

    def checked(self, identity: npt.ArrayLike) -> Floats32:
        """An identity code of the right size, finite and inside the model's range."""
        code = np.asarray(identity, np.float32)
        if code.shape != (self.identity_size,):
            raise InputError(
                f"the identity has shape {code.shape}; ({self.identity_size},) is needed."
            )
        held: Floats32 = np.clip(np.nan_to_num(code), -_FURTHEST, _FURTHEST)
        return held

    def checked_expression(self, expression: npt.ArrayLike) -> Floats32:
        """Expression weights of the right size: 0 to 1, the gaze -1 to 1."""
        weights = np.asarray(expression, np.float32)
        if weights.shape != (self.expression_size,):
            raise InputError(
                f"the expression has shape {weights.shape}; ({self.expression_size},) is needed."
            )
        low = np.zeros(self.expression_size, np.float32)
        low[-2:] = -1.0
        held: Floats32 = np.clip(np.nan_to_num(weights), low, 1.0)
        return held


@cache
def _load() -> FaceModel:
    return FaceModel(read_arrays())


def _fixed(array: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """The array, which can no longer be changed."""
    array.setflags(write=False)
    return array


def _landmarks(points: npt.ArrayLike) -> Floats:
    found = np.asarray(points, np.float64)
    if found.shape != (LANDMARKS, 3) or not np.isfinite(found).all():
        raise InputError(
            f"points have shape {found.shape}; finite ({LANDMARKS}, 3) are needed: the landmarks' "
            "x and y, and their depth."
        )
    return found
