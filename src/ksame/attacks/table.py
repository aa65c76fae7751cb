"""The attacks, each defined once for face sets and for photos.

| attack | gallery | probe | source |
|---|---|---|---|
| naive | original | released | N section 5.2 (1) |
| reverse | released | original | N section 5.2 (2) |
| parrot | altered as the release was | released | N section 5.2 (3) |
| auto-parrot | original, altered as the probes seem to be | released | M section 6.2.1 |
| enhance | original | released, resolution enhanced | M section 6.2.2 |
| intersection | original | all released faces of a person together | several images |
| furthest-original | original, furthest first | released | the answer to swapped groups (F) |
| trained | original | released; a discriminant learned on altered faces of others | parrot, today |
| linear-head | original | released, mapped back as learned on pairs of others | parrot, today |
| linkage | photos and company of everybody | which faces are alike | counts, no faces |
| informed | the release, made again | released | knows method, k and all originals |
| geometry, parameters, residual, ghost, counts | original | released, not aligned | `unaligned` |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from ksame.arrays import AnyFloats, Floats
from ksame.attacks.attacker import Attacker
from ksame.attacks.case import Case, NoTrial, Rows, Trial
from ksame.attacks.learned import linear_head, trained
from ksame.attacks.levels import Level
from ksame.attacks.linkage import HIDDEN, MOST_PHOTOS, Appearances, suspicion
from ksame.attacks.unaligned import counts, geometry, ghost, parameters, residual
from ksame.errors import InputError
from ksame.recognition.contract import FaceImages
from ksame.recognition.spaces import CodeSpace

Attempted = Trial | tuple[Trial, ...] | NoTrial


def naive(attacker: Attacker) -> Trial:
    """The release against the originals, as any recogniser would be run."""
    case = attacker.case
    return _against_originals(
        case, attacker.distances(attacker.plain(), case.release.faces, case.gallery.faces)
    )


def reverse(attacker: Attacker) -> Trial:
    """Each original against the release: which released face is made from it?

    A recogniser that learns is trained on altered faces, where the alteration may disperse over
    components that do not matter (N section 5.2).
    """
    case = attacker.case
    altered = case.altered()
    training = case.release if isinstance(altered, NoTrial) else altered.training
    rows = np.flatnonzero(np.isin(case.gallery.persons, case.release.persons))
    made = np.full(len(case.gallery), -1, np.intp)
    made[case.source[case.source >= 0]] = np.flatnonzero(case.source >= 0)
    persons = case.gallery.persons[rows]
    if attacker.recogniser.learns and _all_alike(training.faces):
        return _guess(persons, case.release.persons)
    model = attacker.trained(training)
    distances = attacker.distances(model, case.gallery.faces, case.release.faces)[rows]
    return Trial(distances, case.release.persons, persons, made[rows])


def parrot(attacker: Attacker) -> Trial | NoTrial:
    """Gallery and training altered as the release was: the attacker uses the method as well.

    Where the gallery shows the very file of a probe, that file is taken out: only people with
    another altered photo can be attacked.
    """
    case = attacker.case
    altered = case.altered()
    if isinstance(altered, NoTrial):
        return altered
    own = altered.gallery.persons[None, :] == case.release.persons[:, None]
    rows = np.flatnonzero(own.sum(axis=1) > (altered.same >= 0))
    persons = case.release.persons[rows]
    if attacker.recogniser.learns and _all_alike(altered.training.faces):
        return _guess(persons, altered.gallery.persons)
    model = attacker.trained(altered.training)
    distances = np.array(
        attacker.distances(model, case.release.faces, altered.gallery.faces)[rows], dtype=np.float64
    )
    same = altered.same[rows]
    distances[np.flatnonzero(same >= 0), same[same >= 0]] = np.inf
    return Trial(distances, altered.gallery.persons, persons, _unknown(len(rows)))


def auto_parrot(attacker: Attacker) -> Trial | NoTrial:
    """The level is read from the release and applied to the gallery alone (M section 6.3.2)."""
    case = attacker.case
    levels = case.levels()
    if isinstance(levels, NoTrial):
        return levels
    model = attacker.plain()
    distances = np.empty((len(case.release), len(case.gallery)))
    for level in dict.fromkeys(levels):
        rows = np.array([found == level for found in levels])
        distances[rows] = attacker.distances(model, case.release.faces, case.imitate(level))[rows]
    return _against_originals(case, distances, _told(levels))


def enhanced(attacker: Attacker) -> Trial | NoTrial:
    """Pixelated probes are enhanced before naive recognition (M section 6.3.3)."""
    case = attacker.case
    found = case.sharpened()
    if isinstance(found, NoTrial):
        return found
    faces, note = found
    return _against_originals(
        case, attacker.distances(attacker.plain(), faces, case.gallery.faces), note
    )


def intersection(attacker: Attacker) -> Trial | NoTrial:
    """All released faces of a person against the originals at once: mean distance.

    The attacker knows that these photos show one person (a series, clothes, a track in a video)
    but not who.
    """
    case = attacker.case
    people, counts = np.unique(case.release.persons, return_counts=True)
    people = people[counts > 1]
    if not len(people):
        return NoTrial("no person has two released photos")
    distances = naive(attacker).distances
    together = np.stack([distances[case.release.persons == p].mean(axis=0) for p in people])
    first = [int(np.flatnonzero(case.release.persons == p)[0]) for p in people]
    donors = tuple(case.donors[i] for i in first) if case.donors else ()
    return Trial(together, case.gallery.persons, people, _unknown(len(people)), donors)


def furthest_original(attacker: Attacker) -> Trial:
    """The release against the originals, the furthest first.

    A method that gives people the faces of those who are far from them is recognised less often
    than by guessing; an attacker who knows that turns the order round.
    """
    found = naive(attacker)
    return Trial(-np.asarray(found.distances), found.gallery, found.probes, found.own, found.donors)


def informed(attacker: Attacker) -> Trial | NoTrial:
    """The attacker knows the method and holds the very originals: makes the release again.

    Faces are compared pixel by pixel; who shares a face cannot be told apart, so that a k-anonymous
    release yields at most 1/k and any method that alters faces one by one yields 1.
    """
    case = attacker.case
    again = case.again()
    if isinstance(again, NoTrial):
        return again
    pixels = CodeSpace(_as_rows, "pixels")
    distances = attacker.distances(pixels, case.release.faces, again.faces)
    return Trial(distances, again.persons, case.release.persons, _unknown(len(case.release)))


def linkage(attacker: Attacker) -> Trial | NoTrial:
    """No face is compared: who can be behind a surrogate by their photos and their company."""
    case = attacker.case
    if all(group is None for group in case.groups):
        return NoTrial("which released faces share a surrogate is not known")
    photos = case.together()
    if isinstance(photos, NoTrial):
        return photos
    if len(np.unique(photos[1])) > MOST_PHOTOS:
        return NoTrial(f"there are more than {MOST_PHOTOS} photos; attack some of them")
    known = Appearances(photos[0], case.gallery.persons)
    groups = [HIDDEN if group is None else str(group) for group in case.groups]
    shown = Appearances(photos[1], np.array(groups))
    likely = suspicion(known, shown)
    distances = 1.0 - likely[known.numbers][:, shown.numbers].T
    left = int((likely > 0).sum(axis=0).min())
    note = f"{left} or more people can be behind every surrogate"
    return _against_originals(case, distances, note)


@dataclass(frozen=True)
class Attack:
    """An attack and what can be read from its distances.

    `comparable`: they are distances of whole faces to unaltered ones, so that a threshold set on
    unaltered photos means the same. `surrogates`: each probe is one released face, so that it can
    be told whether a surrogate singles out a donor. `aligned`: a recogniser compares faces that
    were cut out; without it the photo is looked at as it is, and no recogniser takes part.
    """

    make: Callable[[Attacker], Attempted] = field(repr=False)
    comparable: bool = False
    surrogates: bool = False
    aligned: bool = True


ATTACKS: MappingProxyType[str, Attack] = MappingProxyType(
    {
        "naive": Attack(naive, comparable=True, surrogates=True),
        "reverse": Attack(reverse),
        "parrot": Attack(parrot),
        "auto-parrot": Attack(auto_parrot),
        "enhance": Attack(enhanced),
        "intersection": Attack(intersection, comparable=True),
        "furthest-original": Attack(furthest_original),
        "trained": Attack(trained),
        "linear-head": Attack(linear_head),
        "linkage": Attack(linkage, aligned=False),
        "informed": Attack(informed),
        "geometry": Attack(geometry, aligned=False),
        "parameters": Attack(parameters, aligned=False),
        "residual": Attack(residual, aligned=False),
        "ghost": Attack(ghost, aligned=False),
        "counts": Attack(counts, aligned=False),
    }
)


def find_attacks(names: Sequence[str]) -> dict[str, Attack]:
    """Attacks by name, in the order given."""
    unknown = [name for name in names if name not in ATTACKS]
    if unknown or not names:
        raise InputError(
            f"attack {unknown[0] if unknown else ''!r} is not known; choose from "
            f"{', '.join(ATTACKS)}."
        )
    return {name: ATTACKS[name] for name in names}


def _against_originals(case: Case, distances: AnyFloats, note: str = "") -> Trial:
    return Trial(
        distances, case.gallery.persons, case.release.persons, case.source, case.donors, note
    )


def _unknown(count: int) -> Rows:
    return np.full(count, -1, np.intp)


def _all_alike(faces: FaceImages) -> bool:
    """Whether there is nothing to learn from faces: a method may make all of them equal."""
    return not np.ptp(faces, axis=0).any()


def _guess(probes: npt.NDArray[np.generic], gallery: npt.NDArray[np.generic]) -> Trial:
    """Nothing but guessing."""
    return Trial(np.zeros((len(probes), len(gallery))), gallery, probes, _unknown(len(probes)))


def _told(levels: Sequence[Level]) -> str:
    """What was found on the faces, in a few words."""
    level, count = Counter(levels).most_common(1)[0]
    if level.kind == "none":
        return ""
    return f"{level.kind} {level.value:.1f} px on {count / len(levels):.0%} of the faces"


def _as_rows(faces: FaceImages) -> Floats:
    return np.asarray(faces, dtype=np.float64).reshape(len(faces), -1)
