"""The Active Appearance Model: train, encode, decode, render."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ksame.arrays import Array, Floats, Floats32, Image, Ints32
from ksame.checks import Learning
from ksame.codecs.aam.appearance import AppearanceModel, Light, learn_appearance
from ksame.codecs.aam.features import to_grey
from ksame.codecs.aam.fit import Fitting, fit_shape
from ksame.codecs.aam.shape import Pose, ShapeModel, learn_shape
from ksame.codecs.aam.start import BoxPlace, start_shape
from ksame.codecs.aam.template import Template, blank_template, learn_template
from ksame.codecs.aam.warp import PiecewiseAffine, frame, triangulate
from ksame.errors import InputError


@dataclass(frozen=True, eq=False)
class Fit:
    """A face in the model's terms; falsy, with a reason, where the fit failed.

    Parameters
    ----------
    code : (d,) the face's code, or None where no face was found at all.
    shape : (n, 2) points in the image; the starting shape where no face was found.
    converged : the fit settled on something that looks like the model.
    reason : '' or why not.
    pose, light : position, size and turn, gain and bias: what the code leaves out.
    misfit : unexplained energy over what is usual for unseen faces; NaN without a fit.
    """

    code: Floats | None = field(repr=False)
    shape: Floats = field(repr=False)
    converged: bool
    reason: str = ""
    pose: Pose | None = field(default=None, repr=False)
    light: Light | None = field(default=None, repr=False)
    misfit: float = float("nan")

    def __bool__(self) -> bool:
        return self.converged


@dataclass(frozen=True, eq=False)
class Instance:
    """A decoded face: points (n, 2) in the model's frame, texture (h, w, c) on the mean mesh."""

    shape: Floats = field(repr=False)
    texture: Floats32 = field(repr=False)


class ActiveAppearanceModel(Learning):
    """Shape and appearance of faces as one code (M section 4.2; Matthews & Baker 2004).

    The code is c = (weight_ * p, lambda): shape coefficients, then appearance coefficients. Shape
    is weighted such that both parts have the same total variance over the training faces (Cootes
    2001), so that plain Euclidean distance between codes balances the two. Pose (position, size,
    turn in the image plane) and light (gain and bias, all channels alike) are not in the code.

    Parameters
    ----------
    size : longer side of the appearance's mesh in pixels; rendering works at any resolution.
    colour : RGB appearance; else grey.
    shape_variance, texture_variance : share of variance kept (below 1) or count of modes.
    fitting : how `encode` searches; see `Fitting`.

    Attributes
    ----------
    shape_, appearance_, mesh_, templates_, weight_ : learned by `fit`.
    """

    def __init__(
        self,
        size: int = 128,
        colour: bool = True,
        shape_variance: float | int = 0.98,
        texture_variance: float | int = 0.98,
        fitting: Fitting | None = None,
    ) -> None:
        self.size = size
        self.colour = colour
        self.shape_variance = shape_variance
        self.texture_variance = texture_variance
        self.fitting = Fitting() if fitting is None else fitting

    shape_: ShapeModel
    appearance_: AppearanceModel
    mesh_: PiecewiseAffine
    templates_: tuple[Template, ...]
    box_: BoxPlace
    weight_: float

    def __repr__(self) -> str:
        learned = f"codes of {self.code_size}" if hasattr(self, "shape_") else "not fitted"
        return f"ActiveAppearanceModel(size={self.size}, colour={self.colour}; {learned})"

    def __sklearn_clone__(self) -> ActiveAppearanceModel:
        """A trained model is a value: scikit-learn's clone hands it on as it is."""
        return self

    @property
    def code_size(self) -> int:
        """Numbers in a code."""
        return len(self.shape_) + len(self.appearance_)

    def fit(
        self,
        images: Iterable[Array | Callable[[], Array]],
        shapes: npt.ArrayLike,
        boxes: npt.ArrayLike | None = None,
    ) -> ActiveAppearanceModel:
        """Learn from images and their marked points (count, n, 2).

        Images are read once, one at a time: give a generator, or functions that load one image
        each. Only the textures are held, once. ``boxes`` (count, 4), the detector's xyxy boxes of
        the same faces, teach where the mesh lies in a box.
        """
        points = np.asarray(shapes, dtype=np.float64)
        full = learn_shape(points, 1.0)
        self.shape_ = learn_shape(points, self.shape_variance)
        triangles = triangulate(self.shape_.mean)
        self.mesh_ = PiecewiseAffine(*_mesh(self.shape_, triangles, self.size))
        blanks = [
            blank_template(full.truncated(modes), triangles, size, self.fitting.features)
            for size, modes in zip(self.fitting.sizes, self.fitting.shape_modes, strict=True)
        ]
        textures, features = self._gather(images, points, blanks)
        self.templates_ = tuple(
            learn_template(blank, rows, modes)
            for blank, rows, modes in zip(
                blanks, features, self.fitting.appearance_modes, strict=True
            )
        )
        self.appearance_ = learn_appearance(textures, self.texture_variance)
        self.weight_ = float(np.sqrt(self.appearance_.total_variance / self.shape_.total_variance))
        self.box_ = BoxPlace.learn(self.shape_, points, boxes)
        return self

    def _gather(
        self,
        images: Iterable[Array | Callable[[], Array]],
        points: Floats,
        blanks: list[Template],
    ) -> tuple[Floats32, list[Floats32]]:
        """Textures (count, values) and each level's features, in one pass over the images."""
        channels = 3 if self.colour else 1
        textures = np.empty((len(points), len(self.mesh_) * channels), dtype=np.float32)
        features: list[list[Floats32]] = [[] for _ in blanks]
        seen = 0
        for seen, given in enumerate(images, start=1):
            if seen > len(points):
                break
            image = given() if callable(given) else given
            shape = points[seen - 1]
            textures[seen - 1] = self.sample(image, shape)
            for blank, rows in zip(blanks, features, strict=True):
                observed, crop = blank.observe(image, shape)
                rows.append(blank.sample(observed, crop.inside(shape)))
        if seen != len(points):
            raise InputError(
                f"{'more' if seen > len(points) else seen} images for {len(points)} shapes; "
                "give one shape per image."
            )
        return textures, [np.stack(rows) for rows in features]

    def sample(self, image: Array, points: npt.ArrayLike) -> Floats32:
        """The image's values (m * c,) under the mesh at ``points``, in the model's channels."""
        values = self.mesh_.sample(self._channels(image), points, np.float32)
        return np.asarray(values.ravel(), dtype=np.float32)

    def encode(self, image: Array, start: npt.ArrayLike) -> Fit:
        """Fit the model to a face that starts at points (n, 2) or in a face box (4,) xyxy."""
        begin = start_shape(self.shape_, self.box_, np.asarray(start, dtype=np.float64))
        found = fit_shape(self.templates_, self.fitting, image, begin)
        if not found and found.lost:
            return Fit(
                code=None, shape=begin, converged=False, reason=found.reason, misfit=found.misfit
            )
        fit = self.project(image, found.shape)
        return Fit(
            code=fit.code,
            shape=found.shape,
            converged=found.converged and fit.converged,
            reason=found.reason or fit.reason,
            pose=fit.pose,
            light=fit.light,
            misfit=found.misfit,
        )

    def project(self, image: Array, points: npt.ArrayLike) -> Fit:
        """The code of a face whose points (n, 2) are known: hand-marked or detected."""
        shape = np.asarray(points, dtype=np.float64)
        p, pose = self.shape_.encode(shape)
        try:
            coefficients, light = self.appearance_.encode(self.sample(image, shape))
        except InputError as problem:
            return Fit(code=None, shape=shape, converged=False, reason=str(problem))
        return Fit(
            code=self.join(p, coefficients),
            shape=shape,
            converged=True,
            reason="",
            pose=pose,
            light=light,
        )

    def join(self, p: Floats, coefficients: Floats) -> Floats:
        """The combined code (d,) of shape and appearance coefficients."""
        return np.concatenate([self.weight_ * p, coefficients])

    def split(self, code: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Shape and appearance coefficients of a code."""
        values = np.asarray(code, dtype=np.float64)
        if values.shape != (self.code_size,):
            raise InputError(
                f"a code of shape {values.shape} given; this model's codes have "
                f"{self.code_size} numbers."
            )
        return values[: len(self.shape_)] / self.weight_, values[len(self.shape_) :]

    def decode(self, code: npt.ArrayLike, light: Light | None = None) -> Instance:
        """The face of a code: its points in the model's frame and its shape-free texture."""
        p, coefficients = self.split(code)
        texture = self.appearance_.decode(coefficients, light).reshape(len(self.mesh_), -1)
        return Instance(self.shape_.decode(p), self.mesh_.paint(texture))

    def render(
        self,
        code: npt.ArrayLike,
        size: int | None = None,
        light: Light | None = None,
        canvas: Array | None = None,
        pose: Pose | None = None,
    ) -> Image:
        """A picture of a code's face, ``size`` pixels on its longer side, black around it.

        With a ``canvas`` (an image of the model's channels) and a ``pose`` the face is drawn into a
        copy of that image instead.
        """
        face = self.decode(code, light)
        if canvas is not None and pose is not None:
            picture = np.array(self._channels(canvas), dtype=np.uint8)
            points, grid = pose.apply(face.shape), picture.shape[:2]
        else:
            points, grid = frame(face.shape, self.size if size is None else size)
            picture = np.zeros((*grid, face.texture.shape[2]), dtype=np.uint8)
        drawn, mask = self.mesh_.render(face.texture, points, (grid[0], grid[1]))
        picture[mask] = np.clip(np.rint(drawn[mask]), 0, 255).astype(np.uint8)
        return picture if self.colour else picture[:, :, 0]

    def save(self, path: str | Path) -> None:
        """Write the model as one file, without pickle; see `storage`."""
        from ksame.codecs.aam.storage import save_model

        save_model(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> ActiveAppearanceModel:
        """Read a model that `save` wrote; an altered or foreign file is refused."""
        from ksame.codecs.aam.storage import load_model

        return load_model(Path(path))

    def _channels(self, image: Array) -> Array:
        """The image as (h, w, c) with the model's channels."""
        if image.ndim not in (2, 3) or (image.ndim == 3 and image.shape[2] != 3):
            raise InputError(f"an image of shape {image.shape} given; use (h, w) or (h, w, 3) RGB.")
        if not self.colour:
            return to_grey(image)[:, :, None]
        return image if image.ndim == 3 else np.repeat(image[:, :, None], 3, axis=2)


def _mesh(
    shape: ShapeModel, triangles: Ints32, size: int
) -> tuple[Floats, Ints32, tuple[int, int]]:
    """The mean mesh at a size in pixels, as `PiecewiseAffine` takes it."""
    if size < 16:
        raise InputError(f"size={size} is too small for a face; use at least 16 pixels.")
    points, grid = frame(shape.mean, size)
    return points, triangles, grid
