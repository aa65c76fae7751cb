"""The papers' protocol on registered faces: training, gallery, probe; closed universe; splits.

A method is a function of a set of faces; the bench applies it to the probes, and to whatever else
an attack lets the attacker alter. Every attack ends in a `Ranking`, and those of all splits are
pooled into one curve.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from ksame.attacks.enhance import enhance
from ksame.attacks.levels import apply_level, find_level, find_pixelation
from ksame.errors import InputError
from ksame.metrics.cmc import Cmc, Ranking, curve, pooled, ranking
from ksame.recognition.contract import Faces, Recogniser, compare
from ksame.recognition.spaces import CodeSpace

Rows = npt.NDArray[np.intp]
Alter = Callable[[Faces, Rows], Faces]
"""Alter faces; the rows say who they are, for methods that need classes."""


@dataclass(frozen=True)
class Universe:
    """One gallery and one probe face per person, row by row.

    `probe` may be the same images as `gallery` (N) or other photos of the same people (G, M).
    """

    gallery: Faces = field(repr=False)
    probe: Faces = field(repr=False)

    def __post_init__(self) -> None:
        if self.gallery.shape != self.probe.shape:
            raise InputError(
                f"gallery {self.gallery.shape} and probe {self.probe.shape} must have one face "
                "per person, row by row."
            )

    def __len__(self) -> int:
        return len(self.gallery)


@dataclass(frozen=True)
class Case:
    """All that an attacker may hold in one split."""

    universe: Universe
    training: Rows
    rows: Rows
    alter: Alter
    released: Faces = field(repr=False)

    @property
    def gallery(self) -> Faces:
        """Unaltered gallery faces of this split's people."""
        return np.asarray(self.universe.gallery[self.rows])

    @property
    def learning(self) -> Faces:
        """Unaltered training faces."""
        return np.asarray(self.universe.gallery[self.training])


def naive(recogniser: Recogniser, case: Case) -> Ranking:
    """Original gallery, released probe (N section 5.2, first kind)."""
    recogniser.fit(case.learning, case.training)
    return _rank(recogniser, case.released, case.gallery)


def reverse(recogniser: Recogniser, case: Case) -> Ranking:
    """Released gallery, original probe; trained on altered faces (N section 5.2, second kind)."""
    training = case.alter(case.learning, case.training)
    return _trained_rank(recogniser, training, case, case.gallery, case.released)


def parrot(recogniser: Recogniser, case: Case) -> Ranking:
    """Gallery and training altered as the probe was (N section 5.2, third kind)."""
    training = case.alter(case.learning, case.training)
    altered = case.alter(case.gallery, case.rows)
    return _trained_rank(recogniser, training, case, case.released, altered)


def auto_parrot(recogniser: Recogniser, case: Case) -> Ranking:
    """The level is read from each probe and applied to the gallery alone (M section 6.3.2)."""
    recogniser.fit(case.learning, case.training)
    levels = [find_level(face) for face in case.released]
    codes = recogniser.describe(case.released)
    distances = np.empty((len(codes), len(case.rows)))
    for level in set(levels):
        rows = [i for i, found in enumerate(levels) if found == level]
        altered = np.stack([apply_level(face, level) for face in case.gallery])
        distances[rows] = recogniser.distances(codes[rows], recogniser.describe(altered))
    people = np.arange(len(case.rows))
    return ranking(distances, people, people)


def enhanced(recogniser: Recogniser, case: Case) -> Ranking:
    """Pixelated probes are enhanced before naive recognition (M section 6.3.3)."""
    recogniser.fit(case.learning, case.training)
    faces = [enhance(face[None], find_pixelation(face))[0] for face in case.released]
    return _rank(recogniser, np.stack(faces), case.gallery)


def informed(recogniser: Recogniser, case: Case) -> Ranking:
    """The attacker knows the method and holds the very originals: makes the release again.

    Rows are compared pixel by pixel; who shares a face cannot be told apart, so that a k-anonymous
    release yields at most 1/k and any method that alters faces one by one yields 1.
    """
    again = case.alter(case.universe.probe[case.rows], case.rows)
    return _rank(CodeSpace(_as_rows, "pixels"), case.released, again)


ATTACKS: dict[str, Callable[[Recogniser, Case], Ranking]] = {
    "naive": naive,
    "reverse": reverse,
    "parrot": parrot,
    "auto-parrot": auto_parrot,
    "enhance": enhanced,
    "informed": informed,
}


@dataclass(frozen=True)
class BenchRow:
    """One cell of method x level x recogniser x attack."""

    method: str
    level: float
    recogniser: str
    attack: str
    cmc: Cmc = field(repr=False)

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON."""
        return {
            "method": self.method,
            "level": self.level,
            "recogniser": self.recogniser,
            "attack": self.attack,
            "rank1": self.cmc.rank1.as_dict(),
            "chance": self.cmc.chance,
            "cmc": [round(float(r), 5) for r in self.cmc.rates[:50]],
        }


@dataclass(frozen=True)
class Protocol:
    """How people are divided.

    `training` is the share of people who are for training only; 0 trains on the gallery itself, as
    N does. `people` caps the gallery (N takes 200 at random). `splits` random divisions are pooled.
    """

    training: float = 0.3
    splits: int = 5
    people: int | None = None
    seed: int = 0

    def divisions(self, count: int) -> Iterator[tuple[Rows, Rows]]:
        """Random `(training, gallery)` rows; disjoint unless training is 0."""
        rng = np.random.default_rng(self.seed)
        for _ in range(self.splits):
            order = rng.permutation(count).astype(np.intp)
            cut = round(self.training * count)
            rows = np.sort(order[cut:][: self.people])
            yield (np.sort(order[:cut]) if cut else rows), rows


def run(
    universe: Universe,
    methods: Mapping[str, Mapping[float, Alter]],
    recognisers: Sequence[Recogniser],
    attacks: Sequence[str] = ("naive",),
    protocol: Protocol = Protocol(),  # noqa: B008
) -> list[BenchRow]:
    """Every method and level against every recogniser and attack, all splits pooled."""
    unknown = [a for a in attacks if a not in ATTACKS]
    if unknown:
        raise InputError(f"attack {unknown[0]!r} is not known; choose from {', '.join(ATTACKS)}.")
    divisions = list(protocol.divisions(len(universe)))
    found = []
    for method, levels in methods.items():
        for level, alter in levels.items():
            cases = [_case(universe, alter, *division) for division in divisions]
            for recogniser in recognisers:
                for attack in attacks:
                    made = pooled([ATTACKS[attack](recogniser, case) for case in cases])
                    found.append(
                        BenchRow(method, float(level), recogniser.name, attack, curve(made))
                    )
    return found


def unaltered(faces: Faces, rows: Rows) -> Faces:
    """The method that changes nothing: the baseline."""
    return faces


def _case(universe: Universe, alter: Alter, training: Rows, rows: Rows) -> Case:
    once = _once(alter)
    return Case(universe, training, rows, once, np.asarray(once(universe.probe[rows], rows)))


def _once(alter: Alter) -> Alter:
    """The same method, run once for the same faces: several attacks alter the gallery alike."""
    made: dict[bytes, Faces] = {}

    def remembered(faces: Faces, rows: Rows) -> Faces:
        key = blake2b(np.ascontiguousarray(faces).tobytes() + rows.tobytes()).digest()
        if key not in made:
            made[key] = alter(faces, rows)
        return made[key]

    return remembered


def _as_rows(faces: Faces) -> npt.NDArray[np.float64]:
    return np.asarray(faces, dtype=np.float64).reshape(len(faces), -1)


def _trained_rank(
    recogniser: Recogniser, training: Faces, case: Case, probes: Faces, gallery: Faces
) -> Ranking:
    """Train on altered faces and rank; where those are all alike there is nothing but guessing."""
    if not np.ptp(training, axis=0).any():
        people = np.arange(len(gallery))
        return ranking(np.zeros((len(probes), len(gallery))), people, people)
    recogniser.fit(training, case.training)
    return _rank(recogniser, probes, gallery)


def _rank(recogniser: Recogniser, probes: Faces, gallery: Faces) -> Ranking:
    people = np.arange(len(gallery))
    return ranking(compare(recogniser, probes, gallery), people, people)
