"""What a face of nobody shall look like."""

import math
from dataclasses import dataclass

from ksame.errors import InputError

SEXES = ("female", "male", "unsure")


@dataclass(frozen=True)
class Looks:
    """The looks that a drawn face is asked to have; what is left out is drawn as people have it.

    Attributes
    ----------
    sex : str
        ``female``, ``male`` or ``unsure``.
    age : float or None
        Years.
    tone : float or None
        The skin's individual typology angle in degrees, ``atan((L* - 50) / b*)``, as it is in
        even, neutral light: about 60 for very light skin, -50 for very dark skin.
    """

    sex: str = "unsure"
    age: float | None = None
    tone: float | None = None

    def __post_init__(self) -> None:
        if self.sex not in SEXES:
            raise InputError(f"sex={self.sex!r} is unknown; take one of {', '.join(SEXES)}.")
        if self.age is not None and not 0 <= self.age <= 130:
            raise InputError(f"age={self.age} must lie in 0 to 130 years, or be None.")
        if self.tone is not None and not (math.isfinite(self.tone) and abs(self.tone) <= 90):
            raise InputError(f"tone={self.tone} must lie in -90 to 90 degrees, or be None.")
