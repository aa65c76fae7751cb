"""A trained model as a codec of face rows, like pixels and eigenfaces.

A row holds one face: its points, then the values under its mesh. Decoded rows lie in the frame of
the model's mesh under the training set's average light: nothing of a person's pose or light stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from ksame.arrays import Array, Floats, Image
from ksame.codecs.aam.model import ActiveAppearanceModel
from ksame.codecs.aam.warp import frame
from ksame.errors import InputError
from ksame.threads import one_blas_thread


class AamCodec:
    """Face rows (n, 2 * points + values) <-> codes (n, d) of an Active Appearance Model.

    ``decode(encode(X))`` returns rows that the model can represent exactly (to rounding, relative
    1e-6); of others the part that it can represent.
    """

    def __init__(self, model: ActiveAppearanceModel) -> None:
        if not hasattr(model, "appearance_"):
            raise InputError("this model is not trained; call fit(images, shapes) first.")
        self.model = model

    def __sklearn_clone__(self) -> AamCodec:
        """A codec has no state besides its trained model, which is shared."""
        return AamCodec(self.model)

    @property
    def row_size(self) -> int:
        """Numbers in one row."""
        return int(self.model.shape_.mean.size + self.model.appearance_.mean.size)

    def rows(
        self, images: Iterable[Array | Callable[[], Array]], shapes: Iterable[npt.ArrayLike]
    ) -> Floats:
        """Rows of faces whose points are known, images read one at a time."""
        made = []
        for given, shape in zip(images, shapes, strict=True):
            points = np.asarray(shape, dtype=np.float64)
            image = given() if callable(given) else given
            made.append(np.concatenate([points.ravel(), self.model.sample(image, points)]))
        return np.stack(made) if made else np.empty((0, self.row_size))

    def fit(self, X: npt.ArrayLike) -> AamCodec:
        """Nothing to learn: the model is trained already. Checks that the rows fit it."""
        self._checked(X)
        return self

    def encode(self, X: npt.ArrayLike) -> Floats:
        """Codes (n, d) of face rows."""
        model = self.model
        split = model.shape_.mean.size
        codes = []
        with one_blas_thread():
            for row in self._checked(X):
                p, _ = model.shape_.encode(row[:split].reshape(-1, 2))
                coefficients, _ = model.appearance_.encode(row[split:])
                codes.append(model.join(p, coefficients))
        return np.stack(codes) if codes else np.empty((0, model.code_size))

    def decode(self, codes: npt.ArrayLike) -> Floats:
        """Face rows of codes (n, d), in the frame of the model's mesh, under its average light."""
        model = self.model
        place = model.shape_.align(frame(model.shape_.mean, model.size)[0])[1]
        rows = []
        with one_blas_thread():
            for code in np.asarray(codes, dtype=np.float64):
                p, coefficients = model.split(code)
                points = model.shape_.decode(p, place).ravel()
                rows.append(np.concatenate([points, model.appearance_.decode(coefficients)]))
        return np.stack(rows) if rows else np.empty((0, self.row_size))

    def picture(self, row: npt.ArrayLike) -> Image:
        """A face row drawn at the model's own resolution."""
        return self.model.render(self.encode(np.asarray(row)[None])[0])

    def _checked(self, X: npt.ArrayLike) -> Floats:
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.row_size:
            raise InputError(
                f"face rows have shape {rows.shape}; this model's are (n, {self.row_size}). "
                "Make them with AamCodec(model).rows(images, shapes)."
            )
        return rows
