"""Attackers who learn from released faces of other people, then attack these."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ksame.arrays import AnyFloats
from ksame.attacks.attacker import Attacker
from ksame.attacks.case import Case, Lesson, NoTrial, Trial
from ksame.attacks.head import fit_head
from ksame.recognition.contract import FaceImages, Recogniser
from ksame.recognition.spaces import Trained


def trained(attacker: Attacker) -> tuple[Trial, ...] | NoTrial:
    """A discriminant trained on original and released faces of other people, then naive."""

    def learn(lesson: Lesson, attacker: Attacker) -> Callable[[FaceImages, FaceImages], AnyFloats]:
        model = attacker.plain()
        sides = (lesson.originals, lesson.released)
        head = Trained(model).fit_described(
            np.concatenate([attacker.features(model, side.faces) for side in sides]),
            np.concatenate([side.persons for side in sides]),
        )
        return lambda probes, gallery: np.asarray(
            head.distances(head.describe_features(probes), head.describe_features(gallery))
        )

    return _by_lessons(attacker, learn)


def linear_head(attacker: Attacker) -> tuple[Trial, ...] | NoTrial:
    """A linear map from released to original features, learned on pairs of other people.

    What a release does to everybody's features alike is undone by it, as by an attacker who
    fine-tunes the last layer of a network on released photos.
    """

    def learn(lesson: Lesson, attacker: Attacker) -> Callable[[FaceImages, FaceImages], AnyFloats]:
        model = attacker.plain()
        sides = (lesson.originals, lesson.released)
        known, shown = (attacker.features(model, side.faces) for side in sides)
        means = {p: known[lesson.originals.persons == p].mean(axis=0) for p in
                 np.unique(lesson.originals.persons).tolist()}  # fmt: skip
        wanted = np.stack([means[p] for p in lesson.released.persons.tolist()])
        head = fit_head(shown, wanted, lesson.released.persons)
        return lambda probes, gallery: np.asarray(
            model.distances(head.apply(probes).astype(gallery.dtype), gallery)
        )

    return _by_lessons(attacker, learn)


def _by_lessons(
    attacker: Attacker,
    learn: Callable[[Lesson, Attacker], Callable[[FaceImages, FaceImages], AnyFloats]],
) -> tuple[Trial, ...] | NoTrial:
    """Learn from some people and attack the others, for every lesson of the case."""
    if attacker.recogniser.learns:
        return NoTrial("this recogniser learns by itself; reverse and parrot train it")
    case, model = attacker.case, attacker.plain()
    lessons = case.lessons()
    if isinstance(lessons, NoTrial):
        return lessons
    return tuple(
        _lesson_trial(case, lesson, attacker, model, learn(lesson, attacker)) for lesson in lessons
    )


def _lesson_trial(
    case: Case,
    lesson: Lesson,
    attacker: Attacker,
    model: Recogniser,
    distances: Callable[[FaceImages, FaceImages], AnyFloats],
) -> Trial:
    """Naive recognition among the people who were not learned from."""
    g, p = lesson.gallery, lesson.probes
    column = np.full(len(case.gallery) + 1, -1, np.intp)
    column[g] = np.arange(len(g))
    released = attacker.features(model, case.release.faces)[p]
    known = attacker.features(model, case.gallery.faces)[g]
    return Trial(
        distances(released, known),
        case.gallery.persons[g],
        case.release.persons[p],
        column[case.source[p]],
        tuple(case.donors[i] for i in p) if case.donors else (),
    )
