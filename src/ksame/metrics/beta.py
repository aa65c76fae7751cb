"""Quantiles of the beta and of Student's distribution, for intervals of rates.

SciPy has both, and takes 0.15 s to be loaded for them: as long as a release takes for two photos.
"""

import math

_TINY = 1e-300  # keeps the fraction from dividing by zero
_ALIKE = 1e-16  # a step that changes the fraction by less changes nothing
_STEPS = 100_000  # of the fraction; about the root of the larger parameter is enough


def beta_quantile(a: float, b: float, share: float) -> float:
    """Where a beta distribution has ``share`` of its mass below, for positive ``a`` and ``b``.

    Found by halving, to the last digits that a float has.
    """
    low, high = 0.0, 1.0
    while low < (middle := (low + high) / 2) < high:
        if beta_share(a, b, middle) < share:
            low = middle
        else:
            high = middle
    return high


def student_quantile(freedom: float, share: float) -> float:
    """Where Student's distribution has ``share`` of its mass below."""
    if share < 0.5:
        return -student_quantile(freedom, 1 - share)
    # the mass beyond t on both sides is that of a beta distribution below freedom / (freedom + t^2)
    x = beta_quantile(freedom / 2, 0.5, 2 * (1 - share))
    return math.sqrt(freedom * (1 - x) / x)


def beta_share(a: float, b: float, x: float) -> float:
    """The mass of a beta distribution below ``x``, 0 < x < 1."""
    size = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    size = math.exp(size + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):  # where the fraction is short
        return size * _fraction(a, b, x) / a
    return 1 - size * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method."""
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d, c = 1 / _not_zero(1 + term * d), _not_zero(1 + term / c)
            step = c * d
            value *= step
        if abs(step - 1) < _ALIKE:
            break
    return value


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
