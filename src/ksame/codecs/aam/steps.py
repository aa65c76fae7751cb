"""The steps of the fitting: pure functions from a residual to a change of the warp's parameters.

Each minimises, over the warp p and the appearance a (M eq. 3),

    | I(W(p)) - A0 - A^T a |^2_w  +  prior * noise * sum p_i^2 / variance_i

by one Gauss-Newton step with the roles of template and image exchanged (inverse composition). The
second term is the shape model's own probability.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ksame.arrays import Floats, Floats32, Ints
from ksame.codecs.aam.template import Template


@dataclass(frozen=True)
class Evidence:
    """What one step sees.

    Parameters
    ----------
    error : (m,) image under the mesh minus the mean appearance.
    appearance : (l,) coefficients after the last step.
    weights : (m,) against occlusion, or None.
    penalty : (4 + modes,) the shape prior's weight per parameter; 0 for the similarity.
    position : (4 + modes,) current parameters, in template pixels.
    """

    error: Floats32
    appearance: Floats32
    weights: Floats32 | None
    penalty: Floats
    position: Floats


@dataclass(frozen=True)
class Step:
    """A step of the warp parameters (4 + modes,) and the appearance (l,) that it goes with."""

    change: Floats
    appearance: Floats32


def project_out(template: Template, seen: Evidence) -> Step:
    """J of the mean appearance only, appearance projected out: fastest, least accurate."""
    appearance = _best_appearance(template, seen)
    return _solve(template, template.mean_steepest, seen.error, appearance, seen)


def wiberg(template: Template, seen: Evidence) -> Step:
    """Best appearance first, then a step with that appearance's J and appearance projected out."""
    appearance = _best_appearance(template, seen)
    current = template.mean + appearance @ template.modes
    return _solve(template, template.steepest(current), seen.error, appearance, seen)


def simultaneous(template: Template, seen: Evidence) -> Step:
    """A joint step of warp and appearance, from the last appearance."""
    explained = seen.appearance @ template.modes
    J = template.steepest(template.mean + explained)
    return _solve(template, J, seen.error - explained, seen.appearance, seen, joint=True)


STEPS: dict[str, Callable[[Template, Evidence], Step]] = {
    "wiberg": wiberg,
    "simultaneous": simultaneous,
    "project-out": project_out,
}


def _best_appearance(template: Template, seen: Evidence) -> Floats32:
    """The (weighted) least-squares appearance of the current residual."""
    A = template.modes
    if seen.weights is None:
        return A @ seen.error
    # hidden pixels leave some modes undetermined: their own variance decides those
    weighted = A * seen.weights
    G = weighted @ A.T + np.diag(template.noise / template.variances).astype(np.float32)
    return np.linalg.solve(G, weighted @ seen.error)


def _solve(
    template: Template,
    J: Floats32,
    error: Floats32,
    appearance: Floats32,
    seen: Evidence,
    joint: bool = False,
) -> Step:
    """Gauss-Newton on warp and appearance together; the appearance is eliminated (Schur)."""
    A, w = template.modes, seen.weights
    if w is None:
        AJ, Ae = A @ J, A @ error
        solved, H, b = AJ, J.T @ J, J.T @ error
        freed = Ae
    else:
        Jw = J * w[:, None]
        Aw = A * w
        G = Aw @ A.T + np.diag(template.noise / template.variances).astype(np.float32)
        AJ, Ae = A @ Jw, Aw @ error
        both = np.linalg.solve(G, np.column_stack([AJ, Ae]))
        solved, freed = both[:, :-1], both[:, -1]
        H, b = J.T @ Jw, Jw.T @ error
    normal = (H - AJ.T @ solved).astype(np.float64)
    right = (b - solved.T @ Ae).astype(np.float64) + seen.penalty * seen.position
    normal.flat[:: len(normal) + 1] += seen.penalty + 1e-6 * np.trace(normal) / len(normal)
    change = np.asarray(np.linalg.solve(normal, right), dtype=np.float64)
    if joint:
        appearance = appearance + freed - solved @ change.astype(np.float32)
    return Step(change, appearance)


def occlusion_weights(template: Template, error: Floats32, appearance: Floats32) -> Floats32:
    """Weights (m,) by Geman-McClure on each cell's unexplained energy against the median cell's.

    Occluders are larger than pixels: one weight per cell is steadier than one per pixel
    (Gross, Matthews & Baker 2004 weigh triangles).
    """
    rest = error - appearance @ template.modes
    square = (rest**2).reshape(len(template.warp), -1).sum(axis=1)
    cells = template.cells
    count = np.bincount(cells)
    energy = np.bincount(cells, square) / np.bincount(cells, template.spread)
    scale = 2.0 * _weighted_median(energy, count)
    weight = (scale / (scale + np.maximum(energy - 0.5 * scale, 0.0))) ** 2
    return np.repeat(weight[cells].astype(np.float32), template.channels)


def _weighted_median(values: Floats, count: Ints) -> float:
    order = np.argsort(values)
    return float(values[order][np.searchsorted(np.cumsum(count[order]), count.sum() / 2)])
