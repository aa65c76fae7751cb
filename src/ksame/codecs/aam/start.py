"""Where a fit begins: marked or detected points, a part of them, or a face box."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ksame import geometry
from ksame.arrays import Floats
from ksame.codecs.aam.shape import ShapeModel
from ksame.errors import InputError


@dataclass(frozen=True)
class BoxPlace:
    """Where the mesh lies in a face box: centre and longer side, in units of the box's longer side.

    Learned from a detector's boxes of the training faces; without them the box is taken to be the
    points' own.
    """

    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0

    @classmethod
    def learn(cls, shape: ShapeModel, points: Floats, boxes: npt.ArrayLike | None) -> BoxPlace:
        """The median place of the mean mesh in the boxes (count, 4)."""
        if boxes is None:
            return cls(scale=1.0)
        given = np.asarray(boxes, dtype=np.float64)
        if given.shape != (len(points), 4):
            raise InputError(f"boxes have shape {given.shape}; give ({len(points)}, 4) xyxy.")
        rows = []
        for shape_points, box in zip(points, given, strict=True):
            placed = shape.align(shape_points)[1].apply(shape.mean)
            centre, side = _extent(geometry.bounds(placed))
            box_centre, box_side = _extent(box)
            rows.append([*((centre - box_centre) / box_side), side / box_side])
        x, y, scale = np.median(rows, axis=0)
        return cls(float(x), float(y), float(scale))

    def shape(self, model: ShapeModel, box: Floats) -> Floats:
        """The mean shape (n, 2) placed in a face box (4,) xyxy."""
        if not (box[2] > box[0] and box[3] > box[1]):
            raise InputError("a face box is empty; give xyxy with x1 > x0 and y1 > y0.")
        box_centre, box_side = _extent(box)
        centre, side = _extent(geometry.bounds(model.mean))
        factor = self.scale * box_side / side
        shift = box_centre + box_side * np.array([self.x, self.y]) - factor * centre
        return np.asarray(factor * model.mean + shift)


def start_shape(model: ShapeModel, place: BoxPlace, start: Floats) -> Floats:
    """A starting shape (n, 2) from points (n, 2) or from a box (4,)."""
    if not np.isfinite(start).all():
        raise InputError("the start holds a value that is not finite; detect the face again.")
    if start.shape == (4,):
        return place.shape(model, start)
    if start.shape != model.mean.shape:
        raise InputError(
            f"a start of shape {start.shape} given; give {len(model.mean)} points as "
            f"({len(model.mean)}, 2) or a box as (4,) xyxy."
        )
    return start


def start_from_some(model: ShapeModel, indices: npt.ArrayLike, points: npt.ArrayLike) -> Floats:
    """The mean shape placed by a few of its points, for example two eyes and a mouth corner."""
    chosen = model.mean[np.asarray(indices, dtype=int)]
    given = np.asarray(points, dtype=np.float64)
    if given.shape != chosen.shape or len(chosen) < 2:
        raise InputError(
            f"{given.shape} points for {chosen.shape[0]} indices; give at least two, one each."
        )
    return geometry.apply(geometry.similarity(chosen, given), model.mean)


def _extent(box: Floats) -> tuple[Floats, float]:
    """Centre and longer side of a box."""
    return geometry.centre(box), float((box[2:] - box[:2]).max())
