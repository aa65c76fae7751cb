"""Methods x levels x recognisers x attacks on registered faces, with the papers' protocol.

A method is a function of a set of faces (`ksame.attacks.arrays.Alter`); the bench applies it to the
probes, and to whatever else an attack lets the attacker alter. The trials of all splits are pooled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ksame.attacks.arrays import Alter, ArrayCase, Protocol, Universe, unaltered
from ksame.attacks.attacker import Attacker
from ksame.attacks.case import NoTrial, Rows, Trial
from ksame.attacks.measure import Measured, measure
from ksame.attacks.outcomes import Reference, reference_of
from ksame.attacks.table import find_attacks
from ksame.metrics.cmc import Cmc
from ksame.recognition.contract import Recogniser

__all__ = ["Alter", "BenchRow", "Protocol", "Rows", "Universe", "run", "unaltered"]

LONGEST_CURVE = 50  # ranks of a match curve that results.json keeps


@dataclass(frozen=True)
class BenchRow:
    """One cell of method x level x recogniser x attack."""

    method: str
    level: float
    measured: Measured

    @property
    def recogniser(self) -> str:
        """The recogniser's name."""
        return self.measured.recogniser

    @property
    def attack(self) -> str:
        """The attack's name."""
        return self.measured.attack

    @property
    def cmc(self) -> Cmc:
        """The match curve."""
        return self.measured.cmc

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for JSON; what was not measured is left out."""
        found = {k: v for k, v in self.measured.as_dict().items() if v not in (None, "")}
        found["cmc"] = found["cmc"][:LONGEST_CURVE]
        return {"method": self.method, "level": self.level, **found}


def run(
    universe: Universe,
    methods: Mapping[str, Mapping[float, Alter | Sequence[Alter]]],
    recognisers: Sequence[Recogniser],
    attacks: Sequence[str] = ("naive",),
    protocol: Protocol = Protocol(),  # noqa: B008
    step: Callable[[int], None] = lambda n: None,
) -> list[BenchRow]:
    """Every method and level against every recogniser and attack, all splits pooled.

    A method is a function, or one function for each split (other seeds). An attack that cannot be
    made on a release (no pixelation to enhance, ...) has no row.
    """
    wanted = find_attacks(attacks)
    divisions = list(protocol.divisions(len(universe)))
    found = []
    for method, levels in methods.items():
        for level, alter in levels.items():
            alters = [alter] * len(divisions) if callable(alter) else alter
            cases = [
                ArrayCase(universe, one, *division)
                for one, division in zip(alters, divisions, strict=True)
            ]
            for recogniser in recognisers:
                attackers = [Attacker(recogniser, case) for case in cases]
                for name, attack in wanted.items():
                    made = [attack.make(attacker) for attacker in attackers]
                    trials = [t for one in made if not isinstance(one, NoTrial) for t in _all(one)]
                    fair = [_reference(a) for a in attackers] if attack.comparable else ()
                    if trials:
                        cell = measure(
                            recogniser.name, name, trials, fair if len(fair) == len(trials) else ()
                        )
                        found.append(BenchRow(method, float(level), cell))
                step(1)
    return found


def _all(made: Trial | tuple[Trial, ...]) -> tuple[Trial, ...]:
    return made if isinstance(made, tuple) else (made,)


def _reference(attacker: Attacker) -> Reference:
    """Unaltered faces of the gallery, compared with each other."""
    gallery = attacker.case.gallery
    within = attacker.distances(attacker.plain(), gallery.faces, gallery.faces)
    return reference_of(within, gallery.persons)
