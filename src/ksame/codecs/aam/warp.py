"""The piecewise-affine warp that training, fitting, rendering and compositing share.

A template mesh is rasterised once: every template pixel knows its triangle and its barycentric
weights there. Warping an image whose mesh is at other positions is then one weighted sum of three
points and one bilinear sample per pixel (Matthews & Baker 2004, section 4.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.spatial import Delaunay

from ksame.arrays import Array, Bools, Floats, Ints, Ints32
from ksame.codecs.aam import _kernels
from ksame.errors import InputError


def triangulate(points: npt.ArrayLike) -> Ints32:
    """Delaunay triangles (t, 3) of the points (n, 2): done once per model, on its mean shape."""
    return np.ascontiguousarray(Delaunay(_as_points(points)).simplices, dtype=np.int32)


@dataclass(frozen=True, eq=False)
class PiecewiseAffine:
    """A template mesh on a pixel grid, ready to warp images onto it.

    Parameters
    ----------
    points : (n, 2) template vertices, x first, in template pixels.
    triangles : (t, 3) vertex numbers; see `triangulate`.
    shape : height and width of the template grid.

    Notes
    -----
    An affine motion of all points is warped exactly (bilinear sampling aside): barycentric weights
    reproduce affine maps. Points may lie outside the image; such pixels take the border's values.
    """

    points: Floats
    triangles: Ints32
    shape: tuple[int, int]
    pixels: Ints = field(init=False, repr=False)
    vertices: Ints32 = field(init=False, repr=False)
    weights: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        points = _as_points(self.points)
        triangles = np.ascontiguousarray(self.triangles, dtype=np.int32)
        if triangles.ndim != 2 or triangles.shape[1] != 3:
            raise InputError(f"triangles have shape {triangles.shape}; they must be (t, 3).")
        if triangles.size and not 0 <= triangles.min() <= triangles.max() < len(points):
            raise InputError(
                f"triangles name vertices {triangles.min()} to {triangles.max()}; there are "
                f"{len(points)} points. Triangulate the same points."
            )
        owner, weights = _kernels.rasterise(points, triangles, *self.shape)
        pixels = np.flatnonzero(owner >= 0)
        set_once = object.__setattr__  # a frozen value that derives its own tables
        set_once(self, "points", points)
        set_once(self, "triangles", triangles)
        set_once(self, "pixels", pixels)
        set_once(self, "vertices", triangles[owner[pixels]])
        set_once(self, "weights", weights[pixels])

    def __len__(self) -> int:
        """Pixels inside the mesh."""
        return len(self.pixels)

    @cached_property
    def mask(self) -> Bools:
        """True inside the mesh, on the template grid."""
        mask = np.zeros(self.shape, dtype=bool)
        mask.flat[self.pixels] = True
        return mask

    @cached_property
    def neighbours(self) -> Ints32:
        """(m, 4) numbers of the pixels left, right, above and below each mesh pixel; -1: none."""
        number = np.full((self.shape[0] + 2, self.shape[1] + 2), -1, dtype=np.int32)
        rows, columns = np.divmod(self.pixels, self.shape[1])
        number[rows + 1, columns + 1] = np.arange(len(self), dtype=np.int32)
        steps = ((1, 0), (1, 2), (0, 1), (2, 1))
        return np.stack([number[rows + dy, columns + dx] for dy, dx in steps], axis=1)

    def source(self, points: npt.ArrayLike) -> Floats:
        """Where each mesh pixel comes from (m, 2) when the mesh lies at ``points``."""
        corners = self._moved(points)[self.vertices]
        return np.asarray(np.einsum("mv,mvd->md", self.weights, corners), dtype=np.float64)

    def sample(
        self, image: Array, points: npt.ArrayLike, dtype: npt.DTypeLike = np.float64
    ) -> Array:
        """Image values (m, c) under the mesh pixels when the mesh lies at ``points``."""
        planes = np.ascontiguousarray(image if image.ndim == 3 else image[:, :, None])
        out = np.empty((len(self), planes.shape[2]), dtype=dtype)
        _kernels.sample(planes, self._moved(points), self.vertices, self.weights, out)
        return out

    def warp(self, image: Array, points: npt.ArrayLike) -> Array:
        """The image under the mesh at ``points``, drawn on the template grid; 0 outside the mesh.

        Returns the image's own type: (h, w) for a grey image, (h, w, c) for one with channels.
        """
        grid = self.paint(self.sample(image, points))
        if np.issubdtype(image.dtype, np.integer):
            limits = np.iinfo(image.dtype)
            grid = np.clip(np.rint(grid), limits.min, limits.max)
        grid = grid.astype(image.dtype, copy=False)
        return grid[:, :, 0] if image.ndim == 2 else grid

    def paint(self, values: Array, background: float = 0.0) -> Array:
        """Values (m, c) of the mesh pixels as a template image (h, w, c)."""
        grid = np.full((self.shape[0] * self.shape[1], values.shape[1]), background, values.dtype)
        grid[self.pixels] = values
        return grid.reshape(*self.shape, -1)

    def render(
        self, texture: Array, points: npt.ArrayLike, shape: tuple[int, int]
    ) -> tuple[Array, Bools]:
        """The inverse warp: a template image drawn with its mesh at ``points``, and its mask.

        ``shape`` is the height and width of the picture; use it at any resolution.
        """
        placed = PiecewiseAffine(self._moved(points), self.triangles, shape)
        return placed.warp(pad_rim(texture, self.mask), self.points), placed.mask

    def gradient(self, values: Array) -> Array:
        """Finite differences (m, c, 2), x first, of mesh values (m, c); reads mesh pixels only."""
        out = np.empty((*values.shape, 2), dtype=values.dtype)
        _kernels.gradient(values, self.neighbours, out)
        return out

    def motion(self, basis: Floats, dtype: npt.DTypeLike = np.float64) -> Array:
        """The warp's Jacobian dW/dp (m, 2, d) for shape modes ``basis`` (d, n, 2).

        A vertex moves a pixel by its barycentric weight (Matthews & Baker 2004, eq. 33).
        """
        moved = np.einsum("mv,dmvx->mxd", self.weights, basis[:, self.vertices], optimize=True)
        return np.ascontiguousarray(moved, dtype=dtype)

    def _moved(self, points: npt.ArrayLike) -> Floats:
        """Points checked to be as many as the template's."""
        moved = _as_points(points)
        if moved.shape != self.points.shape:
            raise InputError(
                f"{len(moved)} points given; this mesh has {len(self.points)}. "
                "Use the landmark scheme that the model was trained with."
            )
        return moved


def pad_rim(texture: Array, mask: Bools) -> Array:
    """The texture with the mesh's rim continued one pixel outwards.

    Bilinear sampling on the rim would otherwise mix in the empty outside and draw a dark outline.
    """
    import cv2

    planes = texture if texture.ndim == 3 else texture[:, :, None]
    kernel = np.ones((3, 3))
    inside = mask.astype(np.float64)
    near = cv2.filter2D(inside, -1, kernel, borderType=cv2.BORDER_CONSTANT)
    rim = ~mask & (near > 0)
    out = planes.copy()
    for channel in range(planes.shape[2]):
        plane = np.where(mask, planes[:, :, channel], 0).astype(np.float64)
        total = cv2.filter2D(plane, -1, kernel, borderType=cv2.BORDER_CONSTANT)
        out[:, :, channel][rim] = (total[rim] / near[rim]).astype(planes.dtype)
    return out if texture.ndim == 3 else out[:, :, 0]


def frame(points: Floats, size: float, margin: float = 2.0) -> tuple[Floats, tuple[int, int]]:
    """Points scaled so that their longer side is ``size`` pixels, and the grid that holds them."""
    low, high = points.min(axis=0), points.max(axis=0)
    extent = high - low
    if not np.all(extent > 0):
        raise InputError("The mesh has no area; give points that do not lie on one line.")
    scaled = (points - low) * ((size - 1.0) / extent.max()) + margin
    width, height = np.ceil(scaled.max(axis=0) + margin).astype(int) + 1
    return scaled, (int(height), int(width))


def _as_points(points: npt.ArrayLike | Sequence[Sequence[float]]) -> Floats:
    """Finite points (n, 2) as contiguous floats, or an error that says what is wrong."""
    array = np.ascontiguousarray(points, dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise InputError(f"points have shape {array.shape}; they must be (n, 2), x first.")
    if not np.isfinite(array).all():
        raise InputError("points hold a value that is not finite; mark or detect them again.")
    return array
