"""One level of the coarse-to-fine fitting: a small feature template and all that is precomputed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ksame.arrays import Array, Floats, Floats32, Ints, Ints32
from ksame.codecs.aam import _kernels
from ksame.codecs.aam.features import FEATURES, Crop
from ksame.codecs.aam.shape import Pose, ShapeModel
from ksame.codecs.aam.warp import PiecewiseAffine, frame
from ksame.pca import SINGLE_PRECISION, principal

_CELLS = 9  # cells along the longer side, for weights against occlusion


@dataclass(frozen=True, eq=False)
class Template:
    """The model of one level: features inside the mean mesh, at one resolution.

    Parameters
    ----------
    shape : the shape model with this level's modes.
    triangles : (t, 3) the model's triangulation.
    size : longer side of the mesh in pixels.
    features : name of the channels; see `features.FEATURES`.
    mean : (m,) mean of the training features; row-major pixels, channels last.
    modes : (l, m) orthonormal appearance modes.
    variances : (l,) variances of their coefficients.
    spread : (pixels,) mean square that modes leave unexplained in faces they have not seen.
    """

    shape: ShapeModel
    triangles: Ints32
    size: int
    features: str
    mean: Floats32
    modes: Floats32
    variances: Floats
    spread: Floats32

    @cached_property
    def warp(self) -> PiecewiseAffine:
        """The mesh on this level's pixel grid."""
        points, grid = frame(self.shape.mean, self.size)
        return PiecewiseAffine(points, self.triangles, grid)

    @cached_property
    def pose(self) -> Pose:
        """From the shape model's frame to this level's pixels."""
        return self.shape.align(self.warp.points)[1]

    @property
    def channels(self) -> int:
        """Feature channels per pixel."""
        return len(self.mean) // len(self.warp)

    @property
    def noise(self) -> float:
        """Mean square of one unexplained feature value."""
        return float(self.spread.mean()) / self.channels

    @cached_property
    def basis(self) -> Floats:
        """(4 + modes, n, 2): similarity modes first, then the shape modes."""
        return np.concatenate([self.shape.similarity_modes(), self.shape.modes])

    @cached_property
    def motion(self) -> Floats32:
        """The warp's Jacobian dW/dp (pixels, 2, 4 + modes)."""
        return np.asarray(self.warp.motion(self.basis, np.float32))

    def steepest(self, appearance: Floats32) -> Floats32:
        """Steepest-descent images J (m, 4 + modes) of an appearance (m,)."""
        slopes = self.warp.gradient(appearance.reshape(-1, self.channels))
        out = np.empty((len(appearance), len(self.basis)), dtype=np.float32)
        _kernels.steepest(slopes, self.motion, out)
        return out

    @cached_property
    def mean_steepest(self) -> Floats32:
        """J of the mean appearance: all that project-out fitting ever needs."""
        return self.steepest(self.mean)

    @cached_property
    def cells(self) -> Ints:
        """(pixels,) number of the square cell of each pixel; occluders cover whole cells."""
        rows, columns = np.divmod(self.warp.pixels, self.warp.shape[1])
        side = max(1.0, self.size / _CELLS)
        number = (rows // side).astype(np.int64) * 1000 + (columns // side).astype(np.int64)
        return np.unique(number, return_inverse=True)[1].astype(np.int64)

    def observe(self, image: Array, points: Floats) -> tuple[Floats32, Crop]:
        """Feature image around the points, at this level's scale, and its place in the image."""
        _, pose = self.shape.align(points)
        crop = Crop(image, points, self.pose.scale / pose.scale)
        return np.ascontiguousarray(FEATURES[self.features](crop.grey)), crop

    def sample(self, features: Floats32, points: Floats) -> Floats32:
        """Feature values (m,) under the mesh at ``points`` of the crop."""
        return np.asarray(self.warp.sample(features, points, np.float32)).ravel()

    def compose(self, points: Floats, step: Floats) -> Floats:
        """The warp at ``points`` composed with the inverse of a small step of the parameters.

        To first order the template's vertices move by minus the step, and the current warp carries
        that motion into the image (Matthews & Baker 2004, section 4.2).
        """
        motion = np.tensordot(step, self.basis, axes=1)
        linear = _kernels.linear_parts(points, self.triangles, *self._edges)
        return np.asarray(points - np.einsum("nij,nj->ni", linear, motion))

    @cached_property
    def _edges(self) -> tuple[Floats, Ints]:
        """Inverse edge matrices of the template's triangles, and triangles per vertex."""
        corners = self.warp.points[self.triangles]
        edges = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)
        degree = np.bincount(self.triangles.ravel(), minlength=len(self.warp.points))
        return np.asarray(np.linalg.inv(edges), np.float64), degree.astype(np.int64)


def learn_template(blank: Template, rows: Floats32, modes: int) -> Template:
    """Fill a level with the mean and leading modes of training features (count, m)."""
    mean, directions, variances = _principal(rows, modes)
    return Template(
        shape=blank.shape,
        triangles=blank.triangles,
        size=blank.size,
        features=blank.features,
        mean=mean,
        modes=directions,
        variances=variances,
        spread=_held_out_spread(rows, modes, len(blank.warp)),
    )


def _principal(rows: Floats32, modes: int) -> tuple[Floats32, Floats32, Floats]:
    """Mean, leading orthonormal modes and their variances."""
    mean = rows.mean(axis=0)
    centred = rows - mean
    found = principal(centred, modes, negligible=SINGLE_PRECISION)
    return mean, np.asarray(found.axes, dtype=np.float32), found.squares / len(rows)


def _held_out_spread(rows: Floats32, modes: int, pixels: int) -> Floats32:
    """Mean square per pixel that modes of one half of the set leave unexplained in the other.

    Measured on faces that the modes have not seen: on its own faces a model looks far better than
    it is. Rows of one person should follow each other, so that halves share at most one person.
    """
    half = len(rows) // 2
    total = np.zeros(pixels, dtype=np.float64)
    for known, unseen in ((rows[:half], rows[half:]), (rows[half:], rows[:half])):
        mean, directions, _ = _principal(known, min(modes, max(len(known) // 2, 1)))
        rest = unseen - mean
        rest -= (rest @ directions.T) @ directions
        total += (rest**2).sum(axis=0).reshape(pixels, -1).sum(axis=1)
    return np.asarray(total / len(rows), dtype=np.float32)


def blank_template(shape: ShapeModel, triangles: Ints32, size: int, features: str) -> Template:
    """A level that knows its mesh and not yet its appearance."""
    none = np.zeros(0, dtype=np.float32)
    return Template(
        shape=shape,
        triangles=triangles,
        size=size,
        features=features,
        mean=none,
        modes=none.reshape(0, 0),
        variances=np.zeros(0),
        spread=none,
    )
