"""Lay a posed mesh over pixels: for each pixel the place of the texture that it shows."""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from ksame.arrays import Bools, Floats, Floats32, Ints32
from ksame.render.anatomy import HOLES, OUTLINE, POINTS, Anatomy

# how far the region reaches at the forehead, the sides and the jaw, over the outline
FOREHEAD, SIDES, JAW = 1.10, 1.02, 1.04
# cosines towards the camera between which the outline is a turned head's silhouette or its side
_TURNED = (-0.1, 0.2)
_SUBPIXELS = 4  # bits of a pixel's fraction that fillConvexPoly takes


@dataclass(frozen=True)
class Laid:
    """A mesh over a raster.

    Attributes
    ----------
    skin : (h, w, 2) array
        Which texture pixel of the skin each pixel shows; beyond the skin, those of the nearest
        pixel that it covers, so that skin goes on.
    behind : (h, w, 2) array
        The same for eyeballs and teeth, which go on behind lids and lips.
    open : (h, w) array
        1 where these are seen between lids and lips, else 0.
    face : (h, w) bool array
        Where the face's own triangles lie, those of the rings around it left out.
    """

    skin: Floats32
    behind: Floats32
    open: Floats32
    face: Bools


def lay(
    placed: Floats, depth: Floats, places: Floats32, body: Anatomy, size: tuple[int, int]
) -> Laid:
    """Lay the front of a posed mesh over a raster of ``size`` (width, height).

    The nearer triangle wins (painted from far to near); triangles that look away are left out.
    """
    triangles = body.triangles
    corners = placed[triangles]
    edge1, edge2 = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = edge1[:, 0] * edge2[:, 1] - edge1[:, 1] * edge2[:, 0]
    front = np.flatnonzero(area > 1e-6)
    order = front[np.argsort(-depth[triangles[front]].mean(axis=1), kind="stable")]
    polygons = np.round(corners * (1 << _SUBPIXELS)).astype(np.int32)
    of_skin = body.skin_triangles
    skin = _painted(polygons, order[of_skin[order]], size)
    behind = _painted(polygons, order[~of_skin[order]], size)
    seen = (skin < 0) & (behind >= 0) & _holes(placed, size)
    inner: Bools = np.asarray((triangles < POINTS).all(axis=1), bool)
    maps = _maps(corners, places[triangles], area)
    return Laid(
        _continued(_looked_up(maps, skin), skin >= 0),
        _looked_up(maps, behind),
        seen.astype(np.float32),
        ((skin >= 0) & inner[np.maximum(skin, 0)]) | seen,
    )


def _looked_up(maps: Floats32, owner: Ints32) -> Floats32:
    """The texture's pixel of each pixel that a triangle owns."""
    covered = np.flatnonzero(owner >= 0)
    y, x = (axis.astype(np.float32) for axis in np.divmod(covered, owner.shape[1]))
    numbers = owner.ravel().take(covered)
    # column by column: NumPy is slow along an axis of two or twelve
    rows = [column.take(numbers) for column in np.ascontiguousarray(maps.T)]
    # a triangle's edge pixels may lie outside of it: held inside, or slivers show far places
    first = np.clip(rows[0] * x + rows[1] * y + rows[2], 0, 1)
    second = np.clip(rows[3] * x + rows[4] * y + rows[5], 0, 1)
    over = np.maximum(first + second, 1)
    first, second = first / over, second / over
    laid = np.zeros((owner.size, 2), np.float32)
    for axis in range(2):
        start, along, aside = rows[6 + axis :: 2]
        laid[covered, axis] = start + first * along + second * aside
    return laid.reshape(*owner.shape, 2)


def _painted(polygons: Ints32, order: npt.NDArray[np.integer], size: tuple[int, int]) -> Ints32:
    """The number of the triangle that each pixel shows, -1 for none."""
    owner = np.full((size[1], size[0]), -1, np.int32)
    for number in order.tolist():
        cv2.fillConvexPoly(owner, polygons[number], number, shift=_SUBPIXELS)
    return owner


def _holes(placed: Floats, size: tuple[int, int]) -> Bools:
    """Where lids and lips leave the view open to eyeballs and teeth."""
    open_ = np.zeros((size[1], size[0]), np.uint8)
    for rim in HOLES:
        cv2.fillPoly(open_, [np.round(placed[list(rim)] * 16).astype(np.int32)], 1, shift=4)
    return open_ > 0


def _maps(corners: Floats, sources: Floats32, area: Floats) -> Floats32:
    """Twelve numbers for each triangle: pixel to shares of two corners, and the texture's edges."""
    a, edge1, edge2 = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    safe = np.where(np.abs(area) < 1e-9, 1e-9, area)[:, None]
    to_first = np.stack([edge2[:, 1], -edge2[:, 0]], axis=1) / safe  # d(share of corner 1)/d(x, y)
    to_second = np.stack([-edge1[:, 1], edge1[:, 0]], axis=1) / safe
    parts = [
        to_first,
        -(to_first * a).sum(axis=1, keepdims=True),
        to_second,
        -(to_second * a).sum(axis=1, keepdims=True),
        sources[:, 0],
        sources[:, 1] - sources[:, 0],
        sources[:, 2] - sources[:, 0],
    ]
    return np.concatenate(parts, axis=1).astype(np.float32)


def _continued(laid: Floats32, covered: Bools) -> Floats32:
    """Beyond the mesh, the place of the nearest pixel that it covers."""
    if covered.all() or not covered.any():
        return laid
    _, labels = cv2.distanceTransformWithLabels(
        (~covered).astype(np.uint8), cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL
    )
    # covered pixels are labelled in their order, from 1 on
    own, missing = np.flatnonzero(covered), np.flatnonzero(~covered)
    places = laid.view(np.complex64).ravel()  # each as one value
    places[missing] = places.take(own.take(labels.ravel().take(missing) - 1))
    return laid


@lru_cache(maxsize=1)
def _widths() -> Floats:
    """The region's width at each point of the outline, smooth from forehead to jaw."""
    angle = np.arange(len(OUTLINE)) * 2 * np.pi / len(OUTLINE)
    up = np.clip(np.cos(angle), 0, 1) ** 0.8
    down = np.clip(-np.cos(angle), 0, 1) ** 0.8
    widths: Floats = SIDES + (FOREHEAD - SIDES) * up + (JAW - SIDES) * down
    return widths


def widths_seen(unit: Floats) -> Floats:
    """The widths without what would reach over a turned head's silhouette into the background."""
    facing = np.clip((-unit[list(OUTLINE), 2] - _TURNED[0]) / (_TURNED[1] - _TURNED[0]), 0, 1)
    widths: Floats = 1 + (_widths() - 1) * facing
    return widths


def region(placed: Floats, face: Bools, widths: Floats, feathers: Floats) -> Floats32:
    """How much of each pixel is replaced, 0 to 1: 1 inside, feathered outwards only.

    Inside are the outline, each of its points moved to ``widths`` of its distance from the middle,
    and what the face covers (the nose of a turned head reaches over the outline). ``feathers`` are
    the feather's widths in pixels at the forehead and below the eyes.
    """
    outline = placed[list(OUTLINE)]
    centre = (outline.min(axis=0) + outline.max(axis=0)) / 2
    wide = centre + (outline - centre) * widths[:, None]
    # one cell more: a turned head's silhouette runs through the middle of cells
    inside = cv2.dilate(face.astype(np.uint8), np.ones((3, 3), np.uint8))
    cv2.fillPoly(inside, [np.round(wide * 16).astype(np.int32)], 1, shift=_SUBPIXELS)
    distance = cv2.distanceTransform(1 - inside, cv2.DIST_L2, 3)
    # along the face's own upright, whichever way the head lies
    upright = placed[OUTLINE[0]] - centre
    reach = max(float(upright @ upright), 1e-6)
    y, x = np.indices(face.shape, np.float32)
    up = np.clip(((x - centre[0]) * upright[0] + (y - centre[1]) * upright[1]) / reach, 0, 1)
    feather = np.maximum(feathers[1] + (feathers[0] - feathers[1]) * up, 1.0)
    fading = np.clip(1 - distance / feather, 0, 1)
    soft: Floats32 = (fading * fading * (3 - 2 * fading)).astype(np.float32)
    return soft
