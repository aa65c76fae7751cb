"""The attacks on released photos: each one turns two sides into a matrix of distances.

| attack | gallery | probe | source |
|---|---|---|---|
| naive | original | released | N section 5.2 (1) |
| reverse | released | original | N section 5.2 (2) |
| parrot | released, other photos | released | N section 5.2 (3) |
| auto-parrot | original, altered as the probes seem to be | released | M section 6.2.1 |
| enhance | original | released, resolution enhanced | M section 6.2.2 |
| intersection | original | all released photos of a person together | several images |
| trained | original | released; a discriminant learned on altered faces of others | parrot, today |
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from ksame.attacks.enhance import enhance
from ksame.attacks.levels import Level, apply_level
from ksame.attacks.photos import Gallery, Probes
from ksame.errors import InputError
from ksame.recognition.contract import Recogniser
from ksame.recognition.crops import FACE, SIDE, inner_grey
from ksame.recognition.spaces import Trained

Floats = npt.NDArray[np.floating]


@dataclass(frozen=True)
class Sides:
    """Both sides, described by one recogniser that was trained on the originals (once each)."""

    recogniser: Recogniser
    gallery: Gallery
    probes: Probes
    originals: npt.NDArray[Any] = field(repr=False)
    released: npt.NDArray[Any] = field(repr=False)


@dataclass(frozen=True)
class Trial:
    """Distances `(probes, gallery)` and who is on each side.

    `own[i]` is the gallery column of the very photo that probe i was made from, or -1.
    """

    distances: Floats = field(repr=False)
    gallery: npt.NDArray[Any] = field(repr=False)
    probes: npt.NDArray[Any] = field(repr=False)
    own: npt.NDArray[np.intp] = field(repr=False)
    donors: tuple[tuple[Hashable, ...], ...] = field(default=(), repr=False)
    note: str = ""


@dataclass(frozen=True)
class NoTrial:
    """Why an attack cannot be made on this release; false where a truth value is asked."""

    reason: str

    def __bool__(self) -> bool:
        return False


def sides(recogniser: Recogniser, gallery: Gallery, probes: Probes) -> Sides:
    """Train on the originals, as N does (training = gallery), and describe both sides once."""
    recogniser.fit(gallery.crops, gallery.persons)
    return Sides(
        recogniser,
        gallery,
        probes,
        recogniser.describe(gallery.crops),
        recogniser.describe(probes.crops),
    )


def naive(s: Sides) -> Trial:
    """The release against the originals, as any recogniser would be run."""
    return Trial(
        s.recogniser.distances(s.released, s.originals),
        s.gallery.persons,
        s.probes.persons,
        s.probes.source,
        s.probes.donors,
    )


def reverse(s: Sides) -> Trial | NoTrial:
    """Each original against the release: which released face is made from it?

    A recogniser that learns is trained on the altered faces, where the alteration may disperse
    over components that do not matter (N section 5.2).
    """
    known = np.flatnonzero(s.probes.source >= 0)
    if not len(known):
        return NoTrial("no released face is linked with its original")
    originals, released = s.originals, s.released
    if _learns(s.recogniser):
        s.recogniser.fit(s.probes.crops, s.probes.persons)
        originals = s.recogniser.describe(s.gallery.crops)
        released = s.recogniser.describe(s.probes.crops)
    rows = s.probes.source[known]
    return Trial(
        s.recogniser.distances(originals[rows], released),
        s.probes.persons,
        s.gallery.persons[rows],
        known,
    )


def parrot(s: Sides) -> Trial | NoTrial:
    """The release against itself: the attacker ran the tool on another photo of each person.

    Own photos are taken out, so only people with two released photos or more can be attacked.
    """
    people, counts = np.unique(s.probes.persons, return_counts=True)
    rows = np.flatnonzero(np.isin(s.probes.persons, people[counts > 1]))
    if not len(rows):
        return NoTrial("no person has two released photos; parrot compares different photos")
    released = s.released
    if _learns(s.recogniser):
        s.recogniser.fit(s.probes.crops, s.probes.persons)
        released = s.recogniser.describe(s.probes.crops)
    distances = np.array(s.recogniser.distances(released[rows], released))
    distances[np.arange(len(rows)), rows] = np.inf
    return Trial(
        distances, s.probes.persons, s.probes.persons[rows], np.full(len(rows), -1, np.intp)
    )


def auto_parrot(s: Sides) -> Trial | NoTrial:
    """Alter the gallery as the probes seem to be altered; training stays as it was (M 6.3.2)."""
    level, share = _common_level(s.probes.levels)
    if level.kind == "none":
        return NoTrial("neither pixelation nor blur was detected on the released faces")
    if level.kind == "blur":
        level = Level("blur", _matching_blur(s.gallery.crops, s.probes.crops))
    altered = _alter(s.gallery.crops, level, s.probes.crops)
    trial = naive(s)
    distances = s.recogniser.distances(s.released, s.recogniser.describe(altered))
    note = f"{level.kind} {level.value:.1f} px, detected on {share:.0%} of the faces"
    return Trial(distances, trial.gallery, trial.probes, trial.own, trial.donors, note)


def enhanced(s: Sides) -> Trial | NoTrial:
    """Sharpen pixelated probes by resolution enhancement, then attack as naive does."""
    level, share = _common_level(s.probes.levels)
    if level.kind != "pixelate":
        return NoTrial("no pixelation was detected on the released faces")
    block = max(round(level.value), 2)
    sharp = np.stack([_enhance_colour(c, block) for c in s.probes.crops])
    trial = naive(s)
    distances = s.recogniser.distances(s.recogniser.describe(sharp), s.originals)
    note = f"blocks of {block} px, detected on {share:.0%} of the faces"
    return Trial(distances, trial.gallery, trial.probes, trial.own, trial.donors, note)


def intersection(s: Sides) -> Trial | NoTrial:
    """All released photos of a person against the originals at once: mean distance.

    The attacker knows that these photos show one person (a series, clothes, a track in a video)
    but not who.
    """
    people, counts = np.unique(s.probes.persons, return_counts=True)
    people = people[counts > 1]
    if not len(people):
        return NoTrial("no person has two released photos")
    distances = s.recogniser.distances(s.released, s.originals)
    together = np.stack([distances[s.probes.persons == p].mean(axis=0) for p in people])
    first = [int(np.flatnonzero(s.probes.persons == p)[0]) for p in people]
    return Trial(
        together,
        s.gallery.persons,
        people,
        np.full(len(people), -1, np.intp),
        tuple(s.probes.donors[i] for i in first),
    )


def trained(s: Sides, splits: int = 5, share: float = 0.3) -> tuple[Trial, ...] | NoTrial:
    """A discriminant trained on original and released faces of other people, then naive.

    Person-disjoint: `share` of the people are for training, the others are gallery and probe;
    several random splits are pooled (M section 5.2).
    """
    people = np.unique(s.probes.persons)
    count = max(round(share * len(people)), 2)
    if len(people) < 8:
        return NoTrial(f"{len(people)} people are too few to train on some and attack the others")
    rng = np.random.default_rng(0)
    out = []
    for _ in range(splits):
        chosen = rng.choice(people, count, replace=False)
        g, p = np.isin(s.gallery.persons, chosen), np.isin(s.probes.persons, chosen)
        model = Trained(s.recogniser).fit_described(
            np.concatenate([s.originals[g], s.released[p]]),
            np.concatenate([s.gallery.persons[g], s.probes.persons[p]]),
        )
        out.append(_subset(s, model, np.flatnonzero(~g), np.flatnonzero(~p)))
    return tuple(out)


def _subset(s: Sides, model: Trained, g: npt.NDArray[np.intp], p: npt.NDArray[np.intp]) -> Trial:
    """Naive recognition among some gallery rows and some probes."""
    column = np.full(len(s.gallery.persons) + 1, -1, np.intp)
    column[g] = np.arange(len(g))
    return Trial(
        model.distances(
            model.describe_features(s.released[p]), model.describe_features(s.originals[g])
        ),
        s.gallery.persons[g],
        s.probes.persons[p],
        column[s.probes.source[p]],
        tuple(s.probes.donors[i] for i in p),
    )


Attack = Callable[[Sides], "Trial | tuple[Trial, ...] | NoTrial"]

TRIALS: dict[str, Attack] = {
    "naive": naive,
    "reverse": reverse,
    "parrot": parrot,
    "auto-parrot": auto_parrot,
    "enhance": enhanced,
    "intersection": intersection,
    "trained": trained,
}


def trials(names: Sequence[str]) -> list[tuple[str, Attack]]:
    """Attacks by name."""
    unknown = [name for name in names if name not in TRIALS]
    if unknown or not names:
        raise InputError(
            f"attack {unknown[0] if unknown else ''!r} is not known; choose from "
            f"{', '.join(TRIALS)}."
        )
    return [(name, TRIALS[name]) for name in names]


def _learns(recogniser: Recogniser) -> bool:
    return recogniser.name.startswith("eigenfaces")


def _common_level(levels: tuple[Level, ...]) -> tuple[Level, float]:
    """The level that most faces vote for: a tool alters all photos of a release alike."""
    kinds = [level.kind for level in levels if level.kind != "none"]
    if len(kinds) < 0.3 * len(levels):
        return Level("none"), 0.0
    kind = max(sorted(set(kinds)), key=kinds.count)
    values = [level.value for level in levels if level.kind == kind]
    return Level(kind, float(np.median(values))), len(values) / len(levels)


def _alter(
    gallery: npt.NDArray[np.uint8], level: Level, probes: npt.NDArray[np.uint8]
) -> npt.NDArray[np.uint8]:
    """The gallery altered like the probes: all of a crop, or the detector's box alone.

    Tools alter what a detector frames. Where the corners of the probes are as steep as those of
    the gallery, the surroundings were left as they are.
    """
    altered = np.stack([apply_level(c, level) for c in gallery])
    corner = (slice(None), slice(0, SIDE // 4))
    kept = np.median([_slope(p[corner]) for p in probes])
    if kept < 0.5 * np.median([_slope(g[corner]) for g in gallery]):
        return altered
    x0, y0, x1, y1 = FACE.box.astype(int)
    out = gallery.copy()
    out[:, y0:y1, x0:x1] = altered[:, y0:y1, x0:x1]
    return out


def _matching_blur(gallery: npt.NDArray[np.uint8], probes: npt.NDArray[np.uint8]) -> float:
    """The sigma that makes the gallery as smooth as the probes.

    Tools blur with boxes and masks as well as with Gaussians; how steep the inner face still is
    says more about those than the shape of its spectrum.
    """
    sigmas = np.geomspace(1.0, 40.0, 24)
    wanted = np.median([_steepness(p) for p in probes])
    some = gallery[:: max(len(gallery) // 40, 1)]
    found = [
        np.median([_steepness(apply_level(g, Level("blur", s))) for g in some]) for s in sigmas
    ]
    return float(sigmas[int(np.argmin(np.abs(np.log(found) - np.log(wanted))))])


def _steepness(face: npt.NDArray[np.uint8]) -> float:
    """Mean square slope of the inner face."""
    return _slope(inner_grey(face[None])[0][20:-20, 15:-15])


def _slope(image: npt.NDArray[Any]) -> float:
    steps = [np.diff(image.astype(np.float32), axis=axis) for axis in (0, 1)]
    return float(sum(np.mean(step**2) for step in steps)) + 1e-3


def _enhance_colour(face: npt.NDArray[np.uint8], block: int) -> npt.NDArray[np.uint8]:
    """Enhance the lightness; colours have little detail to win."""
    lab = cv2.cvtColor(face, cv2.COLOR_RGB2YCrCb)
    lab[..., 0] = np.clip(np.rint(enhance(lab[None, ..., 0], block)[0]), 0, 255)
    out: npt.NDArray[np.uint8] = cv2.cvtColor(lab, cv2.COLOR_YCrCb2RGB)
    return out
