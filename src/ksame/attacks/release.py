"""Attack a release of photos, of ksame or of any other tool."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ksame._version import __version__
from ksame.arrays import AnyFloats, Array
from ksame.attacks.attacker import Attacker
from ksame.attacks.case import NoTrial, Trial
from ksame.attacks.measure import Measured, measure
from ksame.attacks.outcomes import reference_of
from ksame.attacks.photo_case import PhotoCase
from ksame.attacks.photos import Original, Reader, Released, Step, gather, read_rgb
from ksame.attacks.table import ATTACKS, find_attacks
from ksame.errors import InputError
from ksame.recognition.contract import Recogniser
from ksame.recognition.named import DEFAULT
from ksame.recognition.named import recogniser as by_name

ON_PHOTOS = tuple(name for name in ATTACKS if name != "informed")
"""What can be tried on photos without the tool that made them."""

NO_RECOGNISER = "-"
"""Stands for the recogniser of attacks that look at photos as they are."""

OriginalLike = Original | tuple[Path | str, Any]
ReleasedLike = Released | tuple[Any, ...]


@dataclass(frozen=True)
class AttackResult:
    """What a set of attacks achieved against one release."""

    rows: tuple[Measured, ...]
    skipped: tuple[tuple[str, str, str], ...]
    baseline: tuple[Measured, ...]
    originals: int
    released: int
    people: int
    hidden: int
    missed_originals: int
    missed_released: int
    k: int | None = None
    kept: dict[str, Any] | None = None
    versions: dict[str, str] = field(default_factory=dict, repr=False)

    def row(self, recogniser: str, attack: str) -> Measured:
        """The figures of one attack by one recogniser."""
        for r in self.rows:
            if (r.recogniser, r.attack) == (recogniser, attack):
                return r
        raise InputError(f"{attack!r} by {recogniser!r} was not measured on this release.")

    def as_dict(self) -> dict[str, Any]:
        """The content of attack.json; it names no person and no file."""
        return {
            "k": self.k,
            "line": None if not self.k else 1.0 / self.k,
            "originals": self.originals,
            "released": self.released,
            "people": self.people,
            "faces_hidden_from_the_detector": self.hidden,
            "missed": {"originals": self.missed_originals, "released": self.missed_released},
            "kept": self.kept,
            "results": [row.as_dict() for row in self.rows],
            "unaltered": [row.as_dict() for row in self.baseline],
            "not_attacked": [
                {"recogniser": r, "attack": a, "reason": why} for r, a, why in self.skipped
            ],
            "seed": 0,
            "versions": self.versions,
        }


def attack_release(
    originals: Iterable[OriginalLike],
    release: Iterable[ReleasedLike],
    recognisers: Sequence[str | Recogniser] = DEFAULT,
    attacks: Sequence[str] = ON_PHOTOS,
    k: int | None = None,
    *,
    utility: int = 0,
    read: Reader = read_rgb,
    step: Step = lambda n: None,
) -> AttackResult:
    """Attack released photos with every recogniser and every attack.

    Parameters
    ----------
    originals
        `Original` values, or `(path, person)`.
    release
        `Released` values, or `(path, person[, donors[, original path]])`. Without an original path
        a face that the detector no longer finds cannot be placed.
    recognisers
        Names, `package.module:name`, or recognisers that take crops.
    attacks
        Names of `ksame.attacks.table.ATTACKS`; one that cannot be made on this release is listed
        with its reason.
    k
        Draws the line 1/k that the release promises.
    utility
        On how many pairs of original and released faces to measure what is kept: whether two
        detectors still find a face, expression, landmarks, SSIM and PSNR. 0 measures nothing.

    Every face is read, cropped and described once per recogniser. The universe is closed: released
    faces of people without an original are left out and counted.
    """
    chosen = [by_name(r) if isinstance(r, str) else r for r in recognisers]
    wanted = find_attacks(list(attacks))
    gallery, probes = gather(
        [_original(o) for o in originals],
        [_released(r) for r in release],
        read,
        step,
        look=not all(attack.aligned for attack in wanted.values()),
    )
    case = PhotoCase(gallery, probes)
    rows: list[Measured] = []
    baseline: list[Measured] = []
    skipped: list[tuple[str, str, str]] = []
    for name, attack in wanted.items():
        if not attack.aligned:
            found = attack.make(Attacker(chosen[0], case))
            if isinstance(found, Trial):
                rows.append(measure(NO_RECOGNISER, name, (found,), groups=probes.groups))
            elif isinstance(found, NoTrial):
                skipped.append((NO_RECOGNISER, name, found.reason))
    aligned = {name: attack for name, attack in wanted.items() if attack.aligned}
    for recogniser in chosen if aligned else ():
        attacker = Attacker(recogniser, case)
        within = attacker.distances(attacker.plain(), gallery.crops, gallery.crops)
        reference = reference_of(within, gallery.persons)
        unaltered = _baseline(recogniser.name, within, gallery.persons)
        if unaltered is not None:
            baseline.append(unaltered)
        for name, attack in aligned.items():
            found = attack.make(attacker)
            if isinstance(found, NoTrial):
                skipped.append((recogniser.name, name, found.reason))
                continue
            several = found if isinstance(found, tuple) else (found,)
            fair = (reference,) if attack.comparable else ()
            groups = probes.groups if attack.surrogates else ()
            rows.append(measure(recogniser.name, name, several, fair, groups))
    return AttackResult(
        rows=tuple(rows),
        skipped=tuple(skipped),
        baseline=tuple(baseline),
        originals=len(gallery.persons),
        released=len(probes.persons),
        people=len(np.unique(gallery.persons)),
        hidden=probes.hidden,
        missed_originals=gallery.missed,
        missed_released=probes.missed,
        k=k,
        kept=_kept(case, utility) if utility else None,
        versions=versions(),
    )


def _baseline(recogniser: str, within: AnyFloats, persons: Array) -> Measured | None:
    """Unaltered photos against other photos of the same people: what the release takes away."""
    people, counts = np.unique(persons, return_counts=True)
    rows = np.flatnonzero(np.isin(persons, people[counts > 1]))
    if not len(rows):
        return None
    distances = np.array(within, dtype=np.float64)[rows]
    distances[np.arange(len(rows)), rows] = np.inf
    trial = Trial(distances, persons, persons[rows], np.full(len(rows), -1, np.intp))
    return measure(recogniser, "unaltered", (trial,), (reference_of(within, persons),))


def _kept(case: PhotoCase, count: int) -> dict[str, Any] | None:
    """What released faces keep of their originals, on some pairs."""
    from ksame.attacks.looks import compare_crops

    gallery, probes = case.originals, case.probes
    linked = np.flatnonzero(probes.source >= 0)
    if not len(linked):
        return None
    pairs = min(count, len(linked))
    found = compare_crops(gallery.crops[probes.source[linked]], probes.crops[linked], pairs)
    return {"pairs": pairs, "faces": len(linked), **found.as_dict()}


def versions() -> dict[str, str]:
    """What a result depends on besides the photos."""
    return {
        "ksame": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "opencv": cv2.__version__,
    }


def _original(value: OriginalLike) -> Original:
    return value if isinstance(value, Original) else Original(Path(value[0]), value[1])


def _released(value: ReleasedLike) -> Released:
    if isinstance(value, Released):
        return value
    path, person, *rest = value
    donors = tuple(rest[0] or ()) if rest else ()
    source = Path(rest[1]) if len(rest) > 1 and rest[1] is not None else None
    return Released(Path(path), person, source, donors=donors)
