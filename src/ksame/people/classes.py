"""The class of a person, from what the person's faces say (G algorithm 4.2).

A person is in one class, also where the photos differ (a smile here, none there): several classes
would mean several surrogates, and their groups could be intersected.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ksame.arrays import Floats

Classes = dict[str, tuple[str, ...]]

UNKNOWN = "unknown"
_ALIKE = 0.04  # spread (s.d.) of log skin tones below which people look alike and are not split


def vote_classes(names: Sequence[str], faces: Mapping[str, Sequence[Mapping[str, str]]]) -> Classes:
    """The class of every person: per name, the value that most of the person's faces have.

    Parameters
    ----------
    names
        What the classes are made of, for example ``("gender", "age_band")``.
    faces
        For each person, one mapping per face from name to value. A face that lacks a name votes
        for ``unknown``.
    """
    return {
        person: tuple(_most_common(face.get(name, UNKNOWN) for face in values) for name in names)
        for person, values in faces.items()
    }


def split_by_tone(
    classes: Mapping[str, tuple[str, ...]], tones: Mapping[str, float], size: int
) -> Classes:
    """Split every class into parts of like skin, none smaller than ``size`` people.

    Parameters
    ----------
    classes
        The class of every person so far; ``()`` for all where there is none.
    tones
        The mean log skin tone of every person.
    size
        How many people a part must keep; at least as many as the method's groups need.
    """
    return split_by_likeness(classes, tones, size, _ALIKE, "part")


def split_by_likeness(
    classes: Mapping[str, tuple[str, ...]],
    values: Mapping[str, float],
    size: int,
    alike: float,
    name: str,
) -> Classes:
    """Split every class into parts of like values, none smaller than ``size`` people.

    Parts whose values spread (s.d.) by less than ``alike`` are not split further. The parts are
    called ``name`` and a number.
    """
    members: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for person in sorted(classes):
        members[classes[person]].append(person)
    split: Classes = {}
    for kind, people in members.items():
        parts = tone_parts([values[person] for person in people], size, alike)
        for person, part in zip(people, parts, strict=True):
            split[person] = (*kind, f"{name} {part + 1}")
    return split


def tone_parts(tones: Sequence[float] | Floats, size: int, alike: float = _ALIKE) -> list[int]:
    """Parts of people of like skin tone, each of at least ``size`` people; 0 is the darkest.

    Swapping faces across skin tones shows: group inside these parts. They adapt to the collection:
    a part is split where that makes both halves most alike inside.
    """
    values = np.asarray(tones, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    cuts = np.array(sorted(_cuts(values[order], size, 0, alike)), dtype=np.intp)
    found = np.zeros(len(values), np.intp)
    found[order] = np.searchsorted(cuts, np.arange(len(values)), side="right")
    return [int(part) for part in found]


def _most_common(values: Iterable[str]) -> str:
    """The value that most have; of equally many the first by name."""
    votes = Counter(values)
    return min(votes, key=lambda value: (-votes[value], value), default=UNKNOWN)


def _cuts(tones: Floats, size: int, start: int, alike: float) -> list[int]:
    """Where to cut sorted tones, every part keeping ``size`` of them."""
    if len(tones) < 2 * size or tones.std() < alike:
        return []
    at = range(size, len(tones) - size + 1)
    cut = min(at, key=lambda i: float(i * tones[:i].var() + (len(tones) - i) * tones[i:].var()))
    return [
        start + cut,
        *_cuts(tones[:cut], size, start, alike),
        *_cuts(tones[cut:], size, start + cut, alike),
    ]
