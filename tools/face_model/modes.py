"""Principal components of data with gaps: gaps are filled by what the components say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Modes:
    """`mean` (p,), `modes` (t, p) scaled to one standard deviation, whitened `codes` (n, t)."""

    mean: Floats32
    modes: Floats32
    codes: Floats32
    share: float  # of the variance that the modes carry


def principal(values: Floats32, count: int) -> Modes:
    """Plain principal components; each mode's largest entry is positive, so that they are fixed."""
    mean = values.mean(axis=0, dtype=np.float64)
    centred = (values - mean).astype(np.float32)
    size, vectors = np.linalg.eigh((centred @ centred.T).astype(np.float64))
    order = np.argsort(size)[::-1][:count]
    kept = np.sqrt(np.maximum(size[order], 1e-12))
    directions = vectors[:, order].T @ centred / kept[:, None]
    sign = np.sign(np.take_along_axis(directions, np.abs(directions).argmax(1)[:, None], 1))
    spread = kept / np.sqrt(len(values))
    codes = vectors[:, order] * kept / spread * sign[:, 0]
    return Modes(
        mean.astype(np.float32),
        (directions * sign * spread[:, None]).astype(np.float32),
        codes.astype(np.float32),
        float(size[order].sum() / size.clip(0).sum()),
    )


def principal_with_gaps(
    values: Floats32, trust: Floats32, count: int, rounds: int = 8
) -> tuple[Modes, Floats32, Floats32]:
    """Components of values (n, p) whose entries are trusted 0 to 1; also the filled values.

    The third answer is each row's mean squared distance from what the components say of it.
    """
    total = trust.sum(axis=0)
    mean = (values * trust).sum(axis=0) / np.maximum(total, 1e-3)
    spread = np.sqrt((trust * (values - mean) ** 2).sum(axis=0) / np.maximum(total, 1e-3))
    # a person's gaps start with the mean, as much lighter or darker as the person is
    offset = ((values - mean) * trust).sum(axis=1) / np.maximum(trust.sum(axis=1), 1)
    filled = trust * values + (1 - trust) * (mean + offset[:, None])
    found = principal(filled, max(count // 8, 4))
    for turn in range(rounds):
        # codes are drawn towards the mean while little is known
        shrunk = found.codes * (0.9 if turn < rounds - 1 else 0.97)
        # where little was seen of anybody the modes must not run away
        said = np.clip(found.mean + shrunk @ found.modes, mean - 2 * spread, mean + 2 * spread)
        filled = trust * values + (1 - trust) * said
        found = principal(filled, max(int(count * (turn + 2) / (rounds + 1)), 4))
    said = found.mean + found.codes @ found.modes
    error = ((values - said) ** 2 * trust).sum(axis=1) / np.maximum(trust.sum(axis=1), 1)
    return principal(filled, count), filled, error
