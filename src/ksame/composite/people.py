"""Portraits of a person, taken together."""

from collections.abc import Sequence

import numpy as np

from ksame.composite.code import without_tone
from ksame.composite.frame import Floats
from ksame.composite.portrait import best_portrait
from ksame.composite.states import TURNED, Pose
from ksame.composite.traits import Traits
from ksame.errors import InputError

_ALIKE = 0.04  # spread of log tones below which a class is not split


def person_code(portraits: Sequence[Traits], tone: bool = True) -> Floats:
    """The code that a person is grouped by: the mean over the person's portraits.

    With ``tone`` people of like skin come together, which suits groups of the closest. For
    ``furthest`` leave it out: else the furthest face is always the one of another skin colour.
    """
    mean: Floats = np.mean([portrait.code for portrait in portraits], axis=0)
    return mean if tone else without_tone(mean)


def tone_classes(people: Sequence[Sequence[Traits]], size: int) -> list[int]:
    """Classes of people of like skin tone, each of at least ``size`` people; 0 is the darkest.

    Swapping faces across skin tones shows: group inside these classes. They adapt to the
    collection: a class is split where that makes both halves most alike inside.
    """
    tone = np.array([np.mean([np.log(p.tone).mean() for p in person]) for person in people])
    order = np.argsort(tone, kind="stable")
    cuts = sorted(_cuts(tone[order], size, 0))
    classes = np.searchsorted(np.array(cuts), np.arange(len(tone)), side="right")
    found = np.zeros(len(tone), int)
    found[order] = classes
    return [int(label) for label in found]


def _cuts(tone: Floats, size: int, start: int) -> list[int]:
    """Where to cut sorted tones, every part keeping ``size`` of them."""
    if len(tone) < 2 * size or tone.std() < _ALIKE:
        return []
    at = range(size, len(tone) - size + 1)
    cut = min(at, key=lambda i: float(i * tone[:i].var() + (len(tone) - i) * tone[i:].var()))
    return [
        start + cut,
        *_cuts(tone[:cut], size, start),
        *_cuts(tone[cut:], size, start + cut),
    ]


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


def _unfit(person: Sequence[Traits], tone: Floats, code: Floats, shown: set[Pose]) -> float:
    """How badly a person's head suits; about 1 for each fault that shows."""
    best = best_portrait(person)
    colour = float(np.abs(np.log(best.tone) - tone).mean())
    has = {p.pose for p in person}
    missing = sum(2.0 if state in TURNED else 0.5 for state in shown - has)
    return (
        10 * colour
        + 0.5 * float(np.linalg.norm(person_code(person) - code))
        + 4 * best.loose
        + 20 * max(p.cut for p in person if p is best or p.pose in shown)
        + abs(best.yaw) / 8
        + missing
        + 3 * (best.grey and np.ptp(np.exp(tone)) > 5)
    )
