"""Methods of the bench by name: functions of the attacker's crops and of the people they show."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ksame.attacks.bench import Alter, Rows, unaltered
from ksame.checks import number
from ksame.errors import InputError, NoGuaranteeWarning
from ksame.experiments.alterations import k_same
from ksame.experiments.bench_model import k_same_m
from ksame.experiments.photo_tools import deface, release
from ksame.faceset import mean_by
from ksame.grouping import k_diff_furthest
from ksame.methods import AD_HOC, RECIPES, KSame, KSameEigen, Recipe, conceal
from ksame.methods.filters import Layout
from ksame.methods.recipes import GROUPINGS
from ksame.plugins import names_of, resolve
from ksame.recognition.contract import FaceImages
from ksame.recognition.crops import POINTS, SIDE

USUAL_K = 5
_APART = float(POINTS[1, 0] - POINTS[0, 0])
CROP = Layout(
    eyes=float(POINTS[:2, 1].mean()) / SIDE,
    nose=float(POINTS[2, 1]) / SIDE,
    mouth=float(POINTS[3:, 1].mean()) / SIDE,
    gap=_APART / SIDE,
)
_SCALE = _APART / 42.0  # pixels of a crop per pixel of N's frame, in which levels are stated
_IN_PIXELS = ("pixelate", "blur")
_RELEASED = "release-"  # before a recipe's name: the crops are released as photos


@dataclass(frozen=True)
class Named:
    """A method with its level: k, or the strength of an ad hoc method."""

    name: str
    level: float
    alter: Alter = field(repr=False)


def find_method(text: str) -> Named:
    """A method by `name[:level]`.

    Names are those of ad hoc methods (`pixelate:15`), `pixel`, `eigen`, `m` and every grouping with
    its k (`furthest:5`), `k-diff-furthest`, `none`; `nobody`, `release-m` and every other recipe,
    for which each crop is released as a photo; `deface`; what installed packages offer as a method
    or a grouping; and `package.module:name` of your own function `(faces, people) -> faces`.
    """
    name, _, last = text.rpartition(":")
    try:
        level: float | None = float(last) if name else None
    except ValueError:
        level = None
    name = name if level is not None else text
    if name in AD_HOC:
        strength = AD_HOC[name][1] if level is None else level
        return Named(name, strength, _on_crops(name, strength))
    if name in _WITHOUT_LEVEL:
        return Named(name, 0.0, _WITHOUT_LEVEL[name]())
    k = USUAL_K if level is None else int(level)
    if name in _WITH_K:
        return Named(name, float(k), _WITH_K[name](k))
    if name in names_of("grouping", {}):
        return Named(name, float(k), _grouped(name)(k))
    if name in names_of("method", {}) or ":" in name:
        return _own(name, level, k)
    own = [*names_of("grouping", {}), *names_of("method", {})]
    known = ", ".join([*_WITHOUT_LEVEL, *_WITH_K, *AD_HOC, *own])
    raise InputError(f"method {name!r} is not known; choose from {known}, or package.module:name.")


def _own(name: str, level: float | None, k: int) -> Named:
    """What a stranger calls a method: a recipe for photos, or a function of crops and people."""
    found = resolve("method", name, {})
    if isinstance(found, Recipe):
        return Named(name, float(k), release(name, k))
    return Named(name, 0.0 if level is None else level, found)


def _grouped(grouping: str) -> Callable[[int], Alter]:
    return lambda k: k_same(lambda: KSame(k, grouping=grouping, random_state=0))


def _released(method: str) -> Callable[[int], Alter]:
    return lambda k: release(method, k)


def _k_diff(k: int) -> Alter:
    """k-Diff-furthest on pixels; a person's faces are moved together."""

    def alter(faces: FaceImages, people: Rows) -> FaceImages:
        flat = faces.reshape(len(faces), -1).astype(np.float64)
        numbers, count = number(people)
        means = mean_by(flat, numbers, count)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoGuaranteeWarning)
            moved = flat + (k_diff_furthest(means, k, 0) - means)[numbers]
        return np.clip(np.rint(moved), 0, 255).astype(np.uint8).reshape(faces.shape)

    return alter


_WITHOUT_LEVEL: dict[str, Callable[[], Alter]] = {"none": lambda: unaltered, "deface": deface}
_WITH_K: dict[str, Callable[[int], Alter]] = {
    "pixel": _grouped("closest"),
    "eigen": lambda k: k_same(lambda: KSameEigen(k, random_state=0)),
    "m": k_same_m,
    **{
        name: _grouped(name)
        for name, grouping in GROUPINGS.items()
        if name != "closest" and not grouping.sees_labels
    },
    "k-diff-furthest": _k_diff,
    # these two have no meaning but on photos; the others have one on crops as well
    **{name: _released(name) for name, recipe in RECIPES.items() if recipe.shows_nobody},
    **{
        _RELEASED + name: _released(name)
        for name, recipe in RECIPES.items()
        if not recipe.asks_for_classes
    },
}


def _on_crops(name: str, level: float) -> Alter:
    """An ad hoc method in the frame of the crops; its level is in pixels of N's frame."""
    strength = max(round(level * _SCALE), 1) if name in _IN_PIXELS else level

    def alter(faces: FaceImages, people: Rows) -> FaceImages:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoGuaranteeWarning)
            made = conceal(faces, name, level=strength, layout=CROP, random_state=0)
        return np.asarray(made)

    return alter
