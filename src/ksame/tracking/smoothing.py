"""Numbers over time: gaps closed, shake taken out, without lag.

Both functions look as far back as ahead, and no further than they say: what they give for a frame
does not depend on where a clip was divided for the work.
"""

import numpy as np

from ksame.arrays import Floats, Ints
from ksame.errors import InputError


def interpolate(at: Ints, values: Floats, wanted: Ints) -> Floats:
    """Values (n, d) known at ascending frames, at all wanted ones; held before and after.

    Between two known frames they move evenly from one to the other.
    """
    if not len(at):
        raise InputError("nothing can be interpolated from no frame at all")
    known = np.asarray(values, np.float64).reshape(len(at), -1)
    columns = [np.interp(wanted, at, column) for column in known.T]
    return np.stack(columns, axis=1) if columns else np.zeros((len(wanted), 0))


def smooth(values: Floats, half: int, degree: int = 2, weights: Floats | None = None) -> Floats:
    """Values (n, d) of consecutive frames, each replaced by a polynomial through its surroundings.

    A weighted Savitzky-Golay filter: in each window of ``2 half + 1`` frames a polynomial is fitted
    by least squares, and its value in the middle is taken. It has no lag, and motion that is itself
    such a polynomial stays as it is: with degree 2 a blink keeps its depth. At both ends the
    window is cut, so that it needs no frame that is not there.

    Parameters
    ----------
    weights : (n,) array, optional
        How sure each frame is; 0 takes no part.
    """
    rows = np.asarray(values, np.float64)
    count = len(rows)
    if half < 1 or count < 3:
        return rows.copy()
    sure = np.ones(count) if weights is None else np.asarray(weights, np.float64)
    offsets = np.arange(-half, half + 1)
    places = np.arange(count)[:, None] + offsets
    inside = (places >= 0) & (places < count)
    places = np.clip(places, 0, count - 1)
    # far frames count less: a box would let a step in and out at once
    bell = 0.05 + np.cos(offsets / (half + 1) * np.pi / 2) ** 2
    trust = sure[places] * inside * bell
    powers = np.stack([(offsets / half) ** p for p in range(degree + 1)], axis=1)
    normal = np.einsum("nw,wp,wq->npq", trust, powers, powers)
    # a little doubt of the higher powers: a window with one sure frame is that frame
    doubt = np.diag([1e-9, *[1e-5] * degree])
    answer = np.linalg.solve(
        normal + doubt, np.einsum("nw,wp,nwd->npd", trust, powers, rows[places])
    )
    result: Floats = np.where((trust.sum(axis=1) > 0)[:, None], answer[:, 0], rows)
    return result


def calm(values: Floats, halves: tuple[int, int], least: float) -> Floats:
    """Values (n, d) smoothed over a wide window where nothing moves, over a narrow one elsewhere.

    Where both windows agree to ``least``, what is between them is shake, and the wide one is
    taken; where they differ by twice as much or more, in a frame or up to the narrow window's half
    away, it is motion, and the narrow one is. Looks no further than both halves together.
    """
    narrow, wide = (smooth(values, half) for half in halves)
    apart = np.abs(narrow - wide)
    padded = np.pad(apart, ((halves[0], halves[0]), (0, 0)))
    around = np.max([padded[i : i + len(apart)] for i in range(2 * halves[0] + 1)], axis=0)
    share = np.clip(around / least - 1, 0, 1)
    result: Floats = wide + (narrow - wide) * share
    return result
