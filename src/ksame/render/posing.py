"""The model's shape in a person's pose: a thing in space, turned and laid over the photo.

The pose is the least-squares map of the shape with its depth to the person's points, without
stretching, so a turned head gets a turned face and nobody's proportions. The outline is the
model's own unless the hair and the jaw that stay in the photo lie too far off.
"""

import numpy as np

from ksame.arrays import Floats, Floats32
from ksame.render.anatomy import OUTLINE, POINTS, Anatomy, FaceModel, anatomy
from ksame.render.numbers import (
    OUTLINE_STEP,
    PLACE_STEP,
    SIZE_STEP,
    TURN_STEP,
    FaceNumbers,
    steps,
)
from ksame.render.resting import rested_outline, rested_turn

_WIDEST = 0.3  # units an outline may lie off the model's own; more is a landmark gone astray


def fit_pose(
    shape: Floats32, points: Floats, rng: np.random.Generator | None = None
) -> tuple[int, ...]:
    """The nine pose numbers that bring a shape (n, 3) closest to a person's points (478, 2).

    The shape is turned, moved and brought to a size, and never stretched: how long and how wide a
    face is for its size is the person's own, and stays out.
    """
    matrix = _rigid(shape, points)
    # the size falls on a step by chance, the rest is measured against that step
    scale = steps(np.log(size_of(matrix)), float(np.log(SIZE_STEP)), rng)
    unit = SIZE_STEP ** scale[0]
    turn = steps(matrix[:, :3].ravel() / unit, TURN_STEP)
    return (*scale, *turn, *steps(matrix[:, 3] / unit, PLACE_STEP, rng))


def fit_matrix(shape: Floats32, points: Floats) -> Floats:
    """The (2, 4) map from (x, y, depth, 1) of a shape (n, 3) nearest to points (478, 2)."""
    flat = np.column_stack([shape[:POINTS].astype(np.float64), np.ones(POINTS)])
    return np.asarray(np.linalg.lstsq(flat, points, rcond=None)[0].T, np.float64)


def _rigid(shape: Floats32, points: Floats) -> Floats:
    """The map of `fit_matrix` without stretching, its turn in whole degrees."""
    turn = rested_turn(rotation(fit_matrix(shape, points)))[:2]
    turned = shape[:POINTS].astype(np.float64) @ turn.T
    middle, there = turned.mean(axis=0), points.mean(axis=0)
    spread = turned - middle
    size = max(float((spread * (points - there)).sum() / (spread**2).sum()), 1e-3)
    return np.column_stack([turn * size, there - size * middle])


def size_of(matrix: Floats) -> float:
    """Photo pixels of one unit under a pose."""
    return max(float(np.sqrt((matrix[:, :3] ** 2).sum() / 2)), 1e-3)


def rotation(matrix: Floats) -> Floats:
    """The (3, 3) rotation nearest to a pose: rows are the photo's x, y and depth."""
    u, _, vt = np.linalg.svd(matrix[:, :3], full_matrices=False)
    rows = u @ vt
    return np.vstack([rows, np.cross(rows[0], rows[1])])


def fit_outline(placed: Floats, points: Floats, unit: float, body: Anatomy) -> tuple[int, ...]:
    """How far a person's outline lies outside of the posed one, in nine numbers of three."""
    return steps(rested_outline(outline_offsets(placed, points, unit, body)), OUTLINE_STEP)


def outline_offsets(placed: Floats, points: Floats, unit: float, body: Anatomy) -> Floats:
    """The nine numbers of `fit_outline` in units, before they are put in steps."""
    loop = list(OUTLINE)
    away = _away(placed)[loop]
    gap = ((points[loop] - placed[loop]) * away).sum(axis=1) / unit
    shares = body.outward[loop]
    # a little ridge: one stray point of the outline must not make a dent
    normal = shares.T @ shares + 0.1 * np.eye(shares.shape[1])
    offsets: Floats = np.linalg.solve(normal, shares.T @ np.clip(gap, -_WIDEST, _WIDEST))
    return offsets


def posed(model: FaceModel, shape: Floats32, numbers: FaceNumbers) -> Floats:
    """Where each point of the model's shape lies in the photo, as (n, 2)."""
    matrix = numbers.matrix
    placed: Floats = shape.astype(np.float64) @ matrix[:, :3].T + matrix[:, 3]
    offsets = np.array(numbers.outline, np.float64) * OUTLINE_STEP
    push = anatomy(model).outward @ offsets * numbers.scale
    placed += _away(placed) * push[:, None]
    return placed


def _away(placed: Floats) -> Floats:
    """The direction from the middle of the face to each point."""
    outline = placed[list(OUTLINE)]
    rays = placed - (outline.min(axis=0) + outline.max(axis=0)) / 2
    away: Floats = rays / np.maximum(np.hypot(*rays.T), 1e-6)[:, None]
    return away
