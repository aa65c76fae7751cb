"""Portraits of a person, taken together: their code, and whose head suits a group."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from ksame.arrays import Floats
from ksame.composite.code import without_tone
from ksame.composite.portrait import best_portrait
from ksame.composite.traits import Traits
from ksame.errors import InputError
from ksame.states import TURNED, State

# how badly a head suits, about 1 for each fault that shows; chosen by looking at pairs
_OFF_TONE: Final = 10.0  # times the mean difference of the log tones
_OFF_CODE: Final = 0.5  # times the distance of the codes
_LOOSE_HAIR: Final = 4.0  # times the hair that hangs out of the frame
_CUT_OFF: Final = 20.0  # times the share of the head that its photo cuts off
_YAW: Final = 8.0  # degrees that count as one fault
_NO_TURNED, _NO_EXPRESSION = 2.0, 0.5  # for each state of the group that the head does not show
_NO_COLOUR: Final = 3.0  # a grey head in a collection with colour
_COLOURED: Final = 5  # grey levels that the channels of a tone with colour differ by


def person_code(portraits: Sequence[Traits], tone: bool = True) -> Floats:
    """The code that a person is grouped by: the mean over the person's portraits.

    With ``tone`` people of like skin come together, which suits groups of the closest. For
    ``furthest`` leave it out: else the furthest face is always the one of another skin colour.
    """
    mean: Floats = np.mean([portrait.code for portrait in portraits], axis=0)
    return mean if tone else without_tone(mean)


def choose_head(donors: Sequence[Sequence[Traits]], candidates: Sequence[Sequence[Traits]]) -> int:
    """Whose hair and outline suit a mean face: the index of one candidate.

    Candidates must be outside the group that the surrogate stands for; then no member of the group
    is singled out by it. Skin of the mean's tone, a similar face, a frontal view, hair that does
    not hang out of the frame and a head that the photo shows as a whole are preferred.
    """
    if not candidates:
        raise InputError("choose_head needs at least one candidate outside the group.")
    tone = np.mean([np.log(p.tone) for person in donors for p in person], axis=0)
    code = np.mean([person_code(person) for person in donors], axis=0)
    shown = {p.pose for person in donors for p in person}
    return int(np.argmin([_unfit(person, tone, code, shown) for person in candidates]))


def _unfit(person: Sequence[Traits], tone: Floats, code: Floats, shown: set[State]) -> float:
    """How badly a person's head suits; about 1 for each fault that shows."""
    best = best_portrait(person)
    colour = float(np.abs(np.log(best.tone) - tone).mean())
    has = {p.pose for p in person}
    missing = sum(_NO_TURNED if state in TURNED else _NO_EXPRESSION for state in shown - has)
    return (
        _OFF_TONE * colour
        + _OFF_CODE * float(np.linalg.norm(person_code(person) - code))
        + _LOOSE_HAIR * best.loose_hair
        + _CUT_OFF * max(p.cut_off for p in person if p is best or p.pose in shown)
        + abs(best.yaw) / _YAW
        + missing
        + _NO_COLOUR * (best.grey and np.ptp(np.exp(tone)) > _COLOURED)
    )
