"""The shape model: generalised Procrustes alignment, PCA and the similarity transform.

Shapes are complex vectors inside (x + iy), so that a similarity is one product and one sum.
Every shape is scaled and turned such that its product with the mean equals the mean's own. These
are linear constraints: all model shapes fulfil them, so that coding a decoded shape is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ksame import geometry
from ksame.arrays import Complex, Floats
from ksame.errors import InputError
from ksame.pca import count_for_share, principal

_ROUNDS = 100
_SETTLED = 1e-12
_ROUNDING = 1e-22  # of a squared coordinate, in units of the squared radius


@dataclass(frozen=True)
class Pose:
    """A similarity transform z -> factor * z + shift, on points as complex numbers x + iy."""

    factor: complex
    shift: complex

    @property
    def scale(self) -> float:
        """Template units to image pixels."""
        return abs(self.factor)

    @property
    def matrix(self) -> Floats:
        """The same as a (2, 3) map of `ksame.geometry`."""
        a, b = self.factor.real, self.factor.imag
        return np.array([[a, -b, self.shift.real], [b, a, self.shift.imag]])

    def apply(self, points: Floats) -> Floats:
        """The points (n, 2) moved by this transform."""
        return geometry.apply(self.matrix, points)


@dataclass(frozen=True, eq=False)
class ShapeModel:
    """Mean shape, modes of variation and their variances (M eq. 1: s = s0 + sum p_i s_i).

    Parameters
    ----------
    mean : (n, 2) centred mean shape of unit root-mean-square radius.
    modes : (m, n, 2) orthonormal modes, largest variance first.
    variances : (m,) variance of each coefficient over the training shapes.
    total_variance : variance of the aligned training shapes before truncation.
    """

    mean: Floats
    modes: Floats
    variances: Floats
    total_variance: float

    def __len__(self) -> int:
        return len(self.modes)

    def similarity_modes(self) -> Floats:
        """The four orthonormal modes (4, n, 2) of scale, rotation, x and y shift."""
        n = len(self.mean)
        x, y = self.mean[:, 0], self.mean[:, 1]
        one, zero = np.ones(n), np.zeros(n)
        pairs = ((x, y), (-y, x), (one, zero), (zero, one))
        modes = np.stack([np.stack(pair, axis=1) for pair in pairs])
        norms = np.sqrt((modes**2).sum(axis=(1, 2), keepdims=True))
        return np.asarray(modes / norms, dtype=np.float64)

    def align(self, points: npt.ArrayLike) -> tuple[Floats, Pose]:
        """The shape in the model's frame, and the pose that takes it back to the image."""
        given = _complex(_checked(points, len(self.mean)))
        aligned, factor, centre = _align(given, _complex(self.mean))
        return _real(aligned), Pose(1 / factor, centre)

    def encode(self, points: npt.ArrayLike) -> tuple[Floats, Pose]:
        """Shape coefficients p (m,) of points in an image, and their pose."""
        aligned, pose = self.align(points)
        return np.tensordot(self.modes, aligned - self.mean, axes=2), pose

    def decode(self, p: Floats, pose: Pose | None = None) -> Floats:
        """Points (n, 2) of coefficients p, in the model's frame or in an image."""
        points = self.mean + np.tensordot(p, self.modes, axes=1)
        return points if pose is None else pose.apply(points)

    def limit(self, p: Floats, deviations: float = 3.0) -> Floats:
        """Coefficients moved into +-``deviations`` standard deviations."""
        reach = deviations * np.sqrt(self.variances)
        return np.clip(p, -reach, reach)

    def truncated(self, count: int) -> ShapeModel:
        """The same model with its first ``count`` modes."""
        return ShapeModel(
            mean=self.mean,
            modes=self.modes[:count],
            variances=self.variances[:count],
            total_variance=self.total_variance,
        )


def learn_shape(shapes: npt.ArrayLike, variance: float | int = 0.95) -> ShapeModel:
    """Generalised Procrustes analysis and PCA of marked shapes (count, n, 2).

    ``variance`` below 1 is the share of variance to keep; a whole number is a count of modes.
    """
    stack = np.asarray(shapes, dtype=np.float64)
    if stack.ndim != 3 or stack.shape[2] != 2 or len(stack) < 2:
        raise InputError(
            f"shapes have shape {stack.shape}; give at least two shapes as (count, n, 2)."
        )
    if not np.isfinite(stack).all():
        raise InputError("shapes hold a value that is not finite; mark or detect them again.")
    given = stack[..., 0] + 1j * stack[..., 1]
    mean = _settle_mean(given)
    aligned = np.stack([_align(row, mean)[0] for row in given])
    deviations = np.stack([_real(row - mean).ravel() for row in aligned])
    modes, variances = _modes(deviations)
    kept = modes_to_keep(variances, variance)
    n = stack.shape[1]
    return ShapeModel(
        mean=_real(mean),
        modes=modes[:kept].reshape(kept, n, 2),
        variances=variances[:kept],
        total_variance=float(variances.sum()),
    )


def modes_to_keep(variances: Floats, variance: float | int) -> int:
    """How many leading modes hold the share (below 1) or make up the count (1 and above)."""
    if len(variances) == 0 or variances.sum() == 0:
        raise InputError("All training faces are the same; give at least two different ones.")
    if isinstance(variance, int) and not isinstance(variance, bool):
        if variance < 1:
            raise InputError(f"variance={variance} modes asked for; keep at least 1.")
        return min(variance, len(variances))
    if not 0 < variance <= 1:
        raise InputError(f"variance={variance} must be a share in (0, 1] or a count of modes.")
    return count_for_share(variances, variance - 1e-12)


def _modes(deviations: Floats) -> tuple[Floats, Floats]:
    """Orthonormal modes and variances of the rows, without those that are only rounding."""
    found = principal(deviations)
    variances = found.squares / len(deviations)
    # shapes have unit radius: what varies less than this is rounding of identical shapes
    real = variances > _ROUNDING * deviations.shape[1]
    return np.asarray(found.axes, np.float64)[real], variances[real]


def _settle_mean(given: Complex) -> Complex:
    """The Procrustes mean: each round aligns all shapes to the mean and averages them."""
    mean = _unit(given[0])
    start = mean
    for _ in range(_ROUNDS):
        average = np.mean([_align(row, mean)[0] for row in given], axis=0)
        # scale and turn of the mean are free: hold them to the first shape's
        turned = _unit(average)
        turned = turned * np.exp(-1j * np.angle(np.vdot(start, turned)))
        moved = float(np.abs(turned - mean).max())
        mean = turned
        if moved < _SETTLED:
            break
    return np.asarray(mean * np.exp(-1j * np.angle(_upright(given, mean))), np.complex128)


def _upright(given: Complex, mean: Complex) -> complex:
    """The average turn from the images to the mean: undone, the template is as upright as they."""
    return complex(np.mean([_align(row, mean)[1] / abs(_align(row, mean)[1]) for row in given]))


def _align(shape: Complex, mean: Complex) -> tuple[Complex, complex, complex]:
    """The shape centred and multiplied so that <mean, shape> = <mean, mean>."""
    centre = shape.mean()
    centred = shape - centre
    product = np.vdot(mean, centred)
    size = np.linalg.norm(centred)
    if size == 0 or abs(product) <= 1e-9 * size * np.linalg.norm(mean):
        raise InputError("A shape's points coincide or do not resemble the mean; mark them again.")
    factor = complex(np.vdot(mean, mean) / product)
    return factor * centred, factor, complex(centre)


def _unit(shape: Complex) -> Complex:
    """The shape centred, with unit root-mean-square radius."""
    centred = shape - shape.mean()
    radius = np.sqrt(np.mean(np.abs(centred) ** 2))
    if radius == 0:
        raise InputError("A shape's points all coincide; mark them again.")
    return np.asarray(centred / radius, dtype=np.complex128)


def _checked(points: npt.ArrayLike, count: int) -> Floats:
    array = np.asarray(points, dtype=np.float64)
    if array.shape != (count, 2):
        raise InputError(
            f"a shape of {array.shape} given; this model has {count} points as ({count}, 2). "
            "Use the landmark scheme that the model was trained with."
        )
    if not np.isfinite(array).all():
        raise InputError("a shape holds a value that is not finite; mark or detect it again.")
    return array


def _complex(points: Floats) -> Complex:
    return np.asarray(points[:, 0] + 1j * points[:, 1], dtype=np.complex128)


def _real(values: Complex) -> Floats:
    return np.stack([values.real, values.imag], axis=1)
