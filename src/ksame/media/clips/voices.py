"""A voice made different: the McAdams coefficient, VoicePrivacy's signal-processing baseline.

The resonances of the throat and mouth are the angles of the poles of a linear predictor. Raising
every angle to a power moves them, so a voice sounds like another one and the words stay clear
(Patino, Tomashenko, Todisco, Nautsch, Evans, 2021, "Speaker anonymisation using the McAdams
coefficient"). It hides a voice from listeners a little and from machines hardly: nothing is
claimed of it.
"""

import numpy as np

from ksame.arrays import Floats

COEFFICIENT = 0.8
"""The power that pole angles are raised to; 1 changes nothing. The baseline's value."""

_WINDOW = 0.020
"""Seconds that a voice is taken as steady."""

_ORDER = 20
"""Poles of the predictor: enough for the resonances of speech at 16 kHz."""

_FLOOR = 1e-9
"""Added to the power of a window, so that silence has a predictor too."""


class VoiceChanger:
    """Changes one channel as it streams by: as many samples come out as went in.

    Windows overlap by half; the window before and after sums to one, so a coefficient of 1
    returns the input.
    """

    def __init__(self, rate: int, coefficient: float = COEFFICIENT) -> None:
        self._hop = max(round(rate * _WINDOW / 2), _ORDER)
        self._coefficient = coefficient
        size = 2 * self._hop
        # the root, because a window is applied before and after
        self._window = np.sqrt(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(size) / size))
        self._waiting = np.zeros(self._hop)
        self._overlap = np.zeros(self._hop)
        self._lead = self._hop
        self._taken = self._given = 0

    def change(self, samples: Floats) -> Floats:
        """The changed samples that are ready; up to a window stays behind."""
        self._taken += len(samples)
        return self._ready(samples)

    def finish(self) -> Floats:
        """The samples that stayed behind."""
        missing = self._taken - self._given
        return self._ready(np.zeros(missing + 2 * self._hop))[:missing]

    def _ready(self, samples: Floats) -> Floats:
        waiting = np.concatenate([self._waiting, samples])
        done: list[Floats] = []
        start = 0
        while start + 2 * self._hop <= len(waiting):
            piece = waiting[start : start + 2 * self._hop] * self._window
            moved = move_resonances(piece, self._coefficient) * self._window
            done.append(self._overlap + moved[: self._hop])
            self._overlap = moved[self._hop :]
            start += self._hop
        self._waiting = waiting[start:]
        made = np.concatenate(done) if done else np.zeros(0)
        # the first half window is only the fading in of the padding
        skipped = min(self._lead, len(made))
        self._lead -= skipped
        made = made[skipped:]
        self._given += len(made)
        return made


def move_resonances(piece: Floats, coefficient: float) -> Floats:
    """A windowed piece of sound with the angles of its predictor's poles raised to a power."""
    powers = np.correlate(piece, piece, "full")[len(piece) - 1 : len(piece) + _ORDER]
    if powers[0] < _FLOOR:
        return piece
    # slow to import, and rarely needed
    from scipy.linalg import solve_toeplitz
    from scipy.signal import lfilter

    powers = powers.copy()
    powers[0] += _FLOOR + 1e-6 * powers[0]
    predictor = np.concatenate([[1.0], solve_toeplitz(powers[:-1], -powers[1:])])
    rest = lfilter(predictor, [1.0], piece)
    poles = np.roots(predictor)
    angles = np.angle(poles)
    moved = np.sign(angles) * np.abs(angles) ** coefficient
    # poles on the real axis have no partner to stay conjugate with
    turned = np.where(poles.imag == 0, poles, np.abs(poles) * np.exp(1j * moved))
    made = lfilter([1.0], np.real(np.poly(turned)), rest)
    return _as_loud(np.asarray(made), piece)


def _as_loud(made: Floats, piece: Floats) -> Floats:
    """The made piece with the power of the original."""
    power = float(np.dot(made, made))
    if not np.isfinite(power) or power == 0:
        return piece * 0
    return made * float(np.sqrt(np.dot(piece, piece) / power))
