"""Fitting a model to an image: one loop over steps and levels, coarse to fine.

A failed fit is a value that says why; it is never silently the mean face.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ksame.arrays import Array, Floats, Floats32
from ksame.codecs.aam.features import FEATURES
from ksame.codecs.aam.steps import STEPS, Evidence, occlusion_weights
from ksame.codecs.aam.template import Template
from ksame.errors import InputError

_REACH = 3.0  # standard deviations that a shape coefficient may take
_SCALES = (0.4, 2.5)  # change of scale against the start beyond which a fit has run away
_UNLIKE = 2.0  # misfit: unseen faces have 0.5 to 1.3, background 2.5 and more


@dataclass(frozen=True)
class Fitting:
    """How a model is fitted to an image.

    Parameters
    ----------
    algorithm : 'wiberg', 'simultaneous' or 'project-out'; see `STEPS`.
    robust : weigh down cells of the mesh that the model cannot explain (hands, glasses, masks).
    sizes : longer side of the mesh in pixels, one per level, coarse to fine.
    shape_modes, appearance_modes : how many of them each level uses.
    iterations : the most steps per level.
    prior : weight of the shape's probability; 0 trusts the image alone. Neighbouring residuals
        repeat each other: about this many values speak for one.
    tolerance : mean vertex motion, in template pixels, below which a level has settled.
    features : what is compared: 'gradient' or 'intensity'.
    """

    algorithm: str = "wiberg"
    robust: bool = False
    sizes: tuple[int, ...] = (40, 80)
    shape_modes: tuple[int, ...] = (6, 30)
    appearance_modes: tuple[int, ...] = (30, 40)
    iterations: tuple[int, ...] = (15, 15)
    prior: float = 80.0
    tolerance: float = 0.03
    features: str = "gradient"

    def __post_init__(self) -> None:
        if self.algorithm not in STEPS:
            raise InputError(f"algorithm={self.algorithm!r} is not one of {', '.join(STEPS)}.")
        if self.features not in FEATURES:
            raise InputError(f"features={self.features!r} is not one of {', '.join(FEATURES)}.")
        lengths = {
            len(v) for v in (self.sizes, self.shape_modes, self.appearance_modes, self.iterations)
        }
        if lengths != {len(self.sizes)} or not self.sizes:
            raise InputError(
                "sizes, shape_modes, appearance_modes and iterations must name the same number of "
                "levels, at least one."
            )


@dataclass(frozen=True, eq=False)
class Found:
    """Where the mesh came to rest; falsy, with a reason, where the fit failed.

    Parameters
    ----------
    shape : (n, 2) points in the image; the starting shape where the face was lost.
    converged : the last level settled, on something that looks like the model.
    reason : '' or why not.
    iterations : steps taken over all levels.
    misfit : unexplained energy over what is usual for unseen faces: about 1 on a face.
    lost : the mesh ran away or came to rest on something unlike a face.
    """

    shape: Floats
    converged: bool
    reason: str
    iterations: int
    misfit: float
    lost: bool = False

    def __bool__(self) -> bool:
        return self.converged


def fit_shape(
    templates: Sequence[Template], fitting: Fitting, image: Array, start: Floats
) -> Found:
    """Fit the mesh to an image from a starting shape (n, 2) in image pixels."""
    points, steps, misfit, settled = start, 0, np.inf, False
    reach = float(np.ptp(start, axis=0).max())
    reason = _runaway(start, image.shape, reach)
    if reason:
        return Found(
            shape=start, converged=False, reason=reason, iterations=0, misfit=misfit, lost=True
        )
    for template, most in zip(templates, fitting.iterations, strict=True):
        points, taken, settled, misfit = _fit_level(template, fitting, image, points, most)
        steps += taken
        reason = _runaway(points, image.shape, reach)
        if reason:
            return Found(
                shape=start,
                converged=False,
                reason=reason,
                iterations=steps,
                misfit=misfit,
                lost=True,
            )
    if misfit > _UNLIKE:
        reason = f"what the mesh covers is unlike the model's faces (misfit {misfit:.1f})"
        return Found(
            shape=start, converged=False, reason=reason, iterations=steps, misfit=misfit, lost=True
        )
    reason = "" if settled else f"did not settle in {steps} steps"
    return Found(shape=points, converged=settled, reason=reason, iterations=steps, misfit=misfit)


def _fit_level(
    template: Template, fitting: Fitting, image: Array, start: Floats, most: int
) -> tuple[Floats, int, bool, float]:
    """One level: steps until the mesh moves less than the tolerance."""
    features, crop = template.observe(image, start)
    step = STEPS[fitting.algorithm]
    model, scale = template.shape, template.pose.scale
    free = np.zeros(4)
    penalty = fitting.prior * template.noise / (model.variances * scale**2)
    penalty = np.concatenate([free, penalty])
    p, pose = model.encode(crop.inside(start))
    points = model.decode(model.limit(p, _REACH), pose)
    appearance = np.zeros(len(template.modes), dtype=np.float32)
    weights: Floats32 | None = None
    settled, count = False, 0
    while count < most and not settled:
        count += 1
        error = template.sample(features, points) - template.mean
        if fitting.robust:
            appearance = appearance if weights is not None else template.modes @ error
            weights = occlusion_weights(template, error, appearance)
        position = np.concatenate([free, p * scale])
        taken = step(
            template,
            Evidence(
                error=error,
                appearance=appearance,
                weights=weights,
                penalty=penalty,
                position=position,
            ),
        )
        appearance = taken.appearance
        p, pose = model.encode(template.compose(points, taken.change))
        p = model.limit(p, _REACH)
        moved = model.decode(p, pose)
        motion = float(np.abs(moved - points).mean())
        points = moved
        if not np.isfinite(motion):
            break
        settled = motion < fitting.tolerance
    error = template.sample(features, points) - template.mean
    return crop.outside(points), count, settled, _misfit(template, error, appearance, weights)


def _misfit(
    template: Template, error: Floats32, appearance: Floats32, weights: Floats32 | None
) -> float:
    """Unexplained energy over what is usual for unseen faces; hidden cells count little."""
    if weights is None:
        appearance = template.modes @ error
    square = ((error - appearance @ template.modes) ** 2).reshape(len(template.warp), -1)
    shown = np.ones(len(square)) if weights is None else weights[:: template.channels]
    return float(shown @ square.sum(axis=1)) / max(float(shown @ template.spread), 1e-12)


def _runaway(points: Floats, shape: tuple[int, ...], reach: float) -> str:
    """Why these points cannot be a fit of a mesh that began ``reach`` wide; '' where they can."""
    if not np.isfinite(points).all():
        return "the steps diverged"
    centre = points.mean(axis=0)
    if not (0 <= centre[0] < shape[1] and 0 <= centre[1] < shape[0]):
        return "the mesh lies outside the image; the start is too far off"
    size = np.ptp(points, axis=0).max() / reach
    if not _SCALES[0] < size < _SCALES[1]:
        return f"the mesh changed its size {size:.1f} times; the start is too far off"
    return ""
