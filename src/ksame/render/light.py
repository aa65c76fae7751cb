"""Light: how a photo brightens and colours skin, in fourteen numbers.

The logarithm of a gain is a sum of smooth functions of where a point of the face looks (its normal
in the photo) and of how high it lies on the face. What is coarser than half a face identifies
nobody; nothing finer can be said with these functions.
"""

import numpy as np

from ksame.arrays import Floats, Floats32
from ksame.render.anatomy import POINTS, Anatomy
from ksame.render.numbers import (
    EVERYDAY_LIGHT,
    FURTHEST_LIGHT,
    LIGHT_SIZES,
    LIGHT_STEP,
    FaceNumbers,
)
from ksame.render.posing import rotation

_STEEPEST = 0.8  # of a normal's sideways part
_SURE = 3.0  # robust standard deviations beyond which a texel shows something other than skin
_STRONGEST = 1.6  # logarithm of a gain: five times brighter or darker than even light
# doubt per function, in texels of 400: what only a part of the face shows is not made up elsewhere
_RIDGE = np.array([0.0, 4.0, 4.0, 20.0, 20.0, 20.0, 15.0, 25.0])
# how much more the functions that change from brow to chin are doubted where a mask hides the chin
_RIDGE_MASKED = np.array([1.0, 2.0, 15.0, 15.0, 2.0, 15.0, 15.0, 15.0])
_RIDGE_OF_COLOUR = np.array([0.0, 12.0, 12.0])


def normals(shape: Floats32, body: Anatomy, matrix: Floats) -> Floats:
    """The unit normals of all points in the photo's axes; z is -1 where a point faces us."""
    corners = shape[body.triangles].astype(np.float64)
    ax, ay, az = (corners[:, 1] - corners[:, 0]).T
    bx, by, bz = (corners[:, 2] - corners[:, 0]).T
    faces = (ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
    total = np.stack(
        [
            np.bincount(body.triangles.ravel(), np.repeat(part, 3), minlength=len(shape))
            for part in faces
        ],
        axis=1,
    )
    turned = -total @ rotation(matrix).T
    unit: Floats = turned / np.maximum(np.linalg.norm(turned, axis=1), 1e-9)[:, None]
    return unit


def functions(unit: Floats, shape: Floats32) -> Floats:
    """The eight functions of light at each point, as (n, 8)."""
    # held where bare skin is seen: at hair line and jaw nothing tells how the light goes on
    x, y = np.clip(unit[:, :2].T, -_STEEPEST, _STEEPEST)
    height = np.clip(shape[:, 1] / max(float(np.ptp(shape[:POINTS, 1])), 1e-6) * 2, -0.85, 0.85)
    return np.stack(
        [np.ones_like(x), x, y, x * y, x * x - 0.25, y * y - 0.25, height, height**2 - 0.3], axis=1
    )


def fit_light(
    values: Floats, ratio: Floats, weight: Floats, prior: Floats, masked: bool = False
) -> Floats:
    """Fourteen logarithms of light.

    Parameters
    ----------
    values : (m, 8) array
        The functions at each texel.
    ratio : (m, 3) array
        Logarithm of the photo's colour over the model's in even light.
    weight : (m,) array
        How surely a texel shows skin that can be seen.
    prior : (m,) array
        The same, higher where hardly anything ever lies in front; where the search begins.
    masked : bool
        Whether the lower face is hidden: how light goes on there is made up as little as can be.
    """
    bright = ratio[:, 1] - values @ EVERYDAY_LIGHT
    parts = [
        _robust(values[:, : len(ridge)], wanted, weight, prior, ridge)
        for wanted, ridge in (
            (bright, _RIDGE * _RIDGE_MASKED if masked else _RIDGE),
            (ratio[:, 0] - ratio[:, 1], _RIDGE_OF_COLOUR),
            (ratio[:, 2] - ratio[:, 1], _RIDGE_OF_COLOUR),
        )
    ]
    logs: Floats = np.clip(np.concatenate(parts), -FURTHEST_LIGHT, FURTHEST_LIGHT)
    return logs


def gains(numbers: FaceNumbers, values: Floats) -> Floats:
    """The three gains (red, green, blue) at each point, as (n, 3)."""
    many = np.array(numbers.light, np.float64) * LIGHT_STEP
    bright, red, blue = np.split(many, np.cumsum(LIGHT_SIZES)[:2])
    green = values @ (bright + EVERYDAY_LIGHT)
    parts = (green + values[:, : len(red)] @ red, green, green + values[:, : len(blue)] @ blue)
    logs = np.clip(np.stack(parts, axis=1), -2 * _STRONGEST, _STRONGEST)
    result: Floats = np.exp(logs)
    return result


def _robust(values: Floats, wanted: Floats, weight: Floats, prior: Floats, doubt: Floats) -> Floats:
    """Weighted least squares that leaves hair, hands and glasses out (Tukey's weights)."""
    middle = _median(wanted, prior)
    spread = max(1.4826 * _median(np.abs(wanted - middle), prior), 0.05)
    trust = weight * _tukey((wanted - middle) / (1.5 * spread))
    many = max(float(weight.sum()), 1.0)
    ridge = np.diag(doubt * max(many, 400.0) / 400 + 1e-6)
    answer: Floats = np.zeros(values.shape[1])
    for _ in range(4):
        normal = values.T @ (values * trust[:, None]) + ridge
        answer = np.linalg.solve(normal, values.T @ (wanted * trust)).astype(np.float64)
        rest = wanted - values @ answer
        spread = max(1.4826 * _median(np.abs(rest), prior), 0.03)
        trust = weight * _tukey(rest / spread)
    return answer


def _tukey(rest: Floats) -> Floats:
    inside: Floats = np.clip(1 - (rest / (_SURE * 1.5)) ** 2, 0, None) ** 2
    return inside


def _median(values: Floats, weight: Floats) -> float:
    order = np.argsort(values)
    total = np.cumsum(weight[order])
    if total[-1] <= 0:
        return float(np.median(values))
    return float(values[order][np.searchsorted(total, total[-1] / 2)])
