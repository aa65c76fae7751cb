"""A model face drawn again, plainly, on the grid on which it is compared.

This is not the writer's renderer. It knows the format of the numbers and the model's shape and
texture; how it gets from there to colours is its own way: triangles painted from far to near at
several times the grid's resolution, and the mean of each cell.
"""

from dataclasses import dataclass, field
from functools import cache

import cv2
import numpy as np

from ksame.arrays import Bools, Floats, Floats32, Ints32
from ksame.codecs.face import FaceModel
from ksame.verification.grid import Grid, fill
from ksame.verification.lit import LUMA, lit
from ksame.verification.masks import folds
from ksame.verification.mesh import LANDMARKS, OPENINGS, Posed, area, skin_points, turned_one_way
from ksame.verification.painting import nearest, painted, shares_of
from ksame.verification.steps import FaceSteps

FINE = 220  # pixels of the box's longer side at least: an edge is then right to a third of a cell
UNITS = 2.3  # units that the texture's side shows
SHARPENED, LEAST_SHARPENED = 0.011, 0.7  # units and px (sigma) that sharpening works on


@dataclass(frozen=True, slots=True)
class Drawn:
    """A face on a grid: the cells that it fills whole, and their colours (rows, columns, 3).

    ``folds`` is how bright a mask over it would be in each cell (rows, columns).
    """

    solid: Bools = field(repr=False)
    colours: Floats32 = field(repr=False)
    folds: Floats32 = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Mesh:
    """A model's triangles, and which of them are skin and which of the face itself."""

    triangles: Ints32 = field(repr=False)
    skin: Bools = field(repr=False)
    face: Bools = field(repr=False)


@cache
def _mesh(model: FaceModel) -> _Mesh:
    triangles = turned_one_way(model)
    skin = np.asarray(skin_points(triangles, len(model.places))[triangles].all(axis=1))
    return _Mesh(triangles, skin, np.asarray((triangles < LANDMARKS).all(axis=1)))


def draw(model: FaceModel, code: Floats32, steps: FaceSteps, posed: Posed, grid: Grid) -> Drawn:
    """Draw a posed face on a grid."""
    mesh = _mesh(model)
    finer = max(-(-FINE // max(grid.size)), 1)
    points = grid.places(posed.points, finer)
    size = grid.columns * finer, grid.rows * finer
    front = np.flatnonzero(area(points, mesh.triangles) > 1e-6)
    depth = posed.depth[mesh.triangles[front]].mean(axis=1)
    order = front[np.argsort(-depth, kind="stable")]
    skin = painted(points, mesh.triangles, order[mesh.skin[order]], size)
    behind = painted(points, mesh.triangles, order[~mesh.skin[order]], size)
    holes = np.zeros(skin.shape, np.uint8)
    for opening in OPENINGS:
        fill(holes, points[list(opening)], 1)
    through = (skin < 0) & (behind >= 0) & (holes > 0)
    texture = lit(model, code, steps, posed)
    # texture pixels that one pixel of the drawing spans
    spans = model.side / (UNITS * steps.scale / grid.cell * finer)
    if spans > 1:
        texture = cv2.GaussianBlur(texture, (0, 0), 0.4 * spans)
    shown, places = _shown(model, texture, points, mesh, np.where(through, behind, skin))
    face = (((skin >= 0) & mesh.face[np.maximum(skin, 0)]) | through).astype(np.uint8)
    fill(face, grid.places(posed.region, finer), 1)
    whole = cv2.resize(face.astype(np.float32), grid.size, interpolation=cv2.INTER_AREA) > 0.999
    bright = cv2.remap(folds(model.side), places[0], places[1], cv2.INTER_LINEAR)
    bright = cv2.resize(bright, grid.size, interpolation=cv2.INTER_AREA)
    if steps.sigma:
        bright = cv2.GaussianBlur(bright, (0, 0), steps.sigma / grid.cell)
    return Drawn(whole, _finished(shown, steps, grid, finer), bright)


def _finished(shown: Floats32, steps: FaceSteps, grid: Grid, finer: int) -> Floats32:
    """The photo's sharpness, and the mean of each cell."""
    pixel = finer / grid.cell  # pixels of the drawing for one of the photo
    if steps.blur < 0:
        wide = max(SHARPENED * steps.scale, LEAST_SHARPENED) * pixel
        shown = shown + (shown - cv2.GaussianBlur(shown, (0, 0), wide)) * np.float32(steps.sharper)
    if not steps.sigma:  # glare ends at white in each pixel of the photo, not in a mean of them
        shown = np.clip(shown, 0, 255)
    colours: Floats32 = cv2.resize(shown, grid.size, interpolation=cv2.INTER_AREA)
    if steps.sigma:
        colours = cv2.GaussianBlur(colours, (0, 0), steps.sigma / grid.cell)
    if steps.colour == "grey":
        colours = np.repeat((colours @ LUMA)[..., None], 3, axis=2)
    return np.clip(colours, 0, 255)


def _shown(
    model: FaceModel, texture: Floats32, points: Floats, mesh: _Mesh, owner: Ints32
) -> tuple[Floats32, Floats32]:
    """What each pixel shows, and of which place of the texture (2, h, w).

    Beyond the mesh that is the same as the nearest pixel of its skin.
    """
    covered = owner >= 0
    skin = covered & mesh.skin[np.maximum(owner, 0)]
    if not skin.any():
        return np.zeros((*owner.shape, 3), np.float32), np.zeros((2, *owner.shape), np.float32)
    y, x = np.nonzero(covered)
    corners = mesh.triangles[owner[covered]]
    shares = shares_of(points, corners, x, y)
    seen = np.zeros((2, *owner.shape), np.float32)
    # column by column: NumPy is slow along axes of two and three
    for place, of_points in zip(seen, model.places.T, strict=True):
        a, b, c = (shares[:, i] * of_points[corners[:, i]] for i in range(3))
        place[covered] = a + b + c
    if not covered.all():
        beyond = np.flatnonzero(~covered)
        near = nearest(skin)[beyond]
        for place in seen.reshape(2, -1):
            place[beyond] = place[near]
    shown: Floats32 = cv2.remap(
        texture, seen[0], seen[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return shown, seen
