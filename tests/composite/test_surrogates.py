import dataclasses
import re

import numpy as np
import pytest

from ksame.composite import Portrait, Surrogate, choose_head, synthesise
from ksame.composite.frame import HEAD
from ksame.composite.masks import rho
from ksame.errors import InputError
from ksame.states import State

People = list[list[Portrait]]


def toned(portrait: Portrait, level: float) -> Portrait:
    return dataclasses.replace(portrait, tone=np.full(3, level) * (1.2, 1.0, 0.8))


def test_the_same_donors_make_the_same_head(people: People, surrogate: Surrogate) -> None:
    again = synthesise(people[:3], people[3])
    assert re.fullmatch("[0-9a-f]{64}", surrogate.digest())
    assert again.digest() == surrogate.digest()
    assert synthesise(people[:2], people[3]).digest() != surrogate.digest()
    assert surrogate.donors == 3


def test_the_face_is_the_mean_of_the_donors_meshes(people: People, surrogate: Surrogate) -> None:
    neutral = [[p for p in person if p.pose == "neutral"] for person in people[:3]]
    assert all(neutral)
    mean = np.mean([np.mean([p.points for p in person], axis=0) for person in neutral], axis=0)
    np.testing.assert_allclose(surrogate.looks["neutral"].points, mean)


def test_every_donor_is_in_the_face(people: People, surrogate: Surrogate) -> None:
    look = surrogate.looks["neutral"]
    inner = rho(look.points) < 0.7
    for i in range(3):
        dark = [
            dataclasses.replace(p, layer=(p.layer * (0.5, 0.5, 0.5, 1)).astype(np.uint8))
            for p in people[i]
        ]
        donors = [dark if i == j else people[j] for j in range(3)]
        changed = synthesise(donors, people[3]).looks["neutral"]
        shift = look.face[inner].mean() - changed.face[inner].mean()
        # a third of the face at half its brightness
        assert shift == pytest.approx(look.face[inner].mean() / 6, rel=0.2)


def test_photos_of_a_person_share_one_weight(people: People) -> None:
    neutral = [next(p for p in person if p.pose == "neutral") for person in people[:2]]
    once = synthesise([[neutral[0]], [neutral[1]]])
    often = synthesise([[neutral[0]] * 5, [neutral[1]]])
    apart = np.abs(once.looks["neutral"].face.astype(int) - often.looks["neutral"].face)
    assert apart.max() <= 1


def test_hair_is_not_a_members(people: People, surrogate: Surrogate) -> None:
    """Outside the face the head does not depend on the group's own hair and outline."""
    blank = [
        [
            dataclasses.replace(p, layer=np.where((rho(p.points) < 1.3)[..., None], p.layer, 0))
            for p in person
        ]
        for person in people[:3]
    ]
    look, other = surrogate.looks["neutral"], synthesise(blank, people[3]).looks["neutral"]
    outer = rho(look.points) > 1.6
    assert np.abs(look.head[outer].astype(int) - other.head[outer]).max() <= 1  # rounding


def test_looks_are_layers_of_the_frame(surrogate: Surrogate) -> None:
    for look in surrogate.looks.values():
        assert look.head.shape == (HEAD.height, HEAD.width, 4)
        assert (look.head[..., :3] <= look.head[..., 3:]).all()
        assert (look.head[look.solid][:, 3] >= 252).all()
        assert look.solid.mean() > 0.1
        assert not look.solid[(look.neck > 0)].any()


def test_a_look_that_the_group_lacks(people: People, surrogate: Surrogate) -> None:
    assert surrogate.look(State.LEFT) is surrogate.looks["neutral"]
    assert surrogate.look(State.GREY_LEFT) is surrogate.looks["neutral"]
    grey = synthesise(people[:3], people[3], grey=True)
    shown = grey.look(State.GREY_NEUTRAL)
    assert shown is not grey.look(State.NEUTRAL)
    assert (np.ptp(shown.head[..., :3].astype(int), axis=2) == 0).all()


def test_an_expression_is_borrowed_from_outside(people: People) -> None:
    neutral = [[p for p in person if p.pose == "neutral"] for person in people[:3]]
    outsider = next(ps for ps in people[3:] if {p.pose for p in ps} >= {"neutral", "smile"})
    made = synthesise(neutral, outsider)
    assert "smile" in made.looks
    still, moved = made.looks["neutral"], made.looks["smile"]
    mouth = np.hypot(*(moved.points[61] - moved.points[291]))
    assert mouth > np.hypot(*(still.points[61] - still.points[291])) + 2
    assert set(synthesise(neutral).looks) == {"neutral"}


def test_without_donors_there_is_no_surrogate(people: People) -> None:
    for donors in ([], [[]], [people[0], []]):
        with pytest.raises(InputError, match="at least one donor"):
            synthesise(donors)


def test_choosing_a_head(people: People) -> None:
    donors = people[:2]
    tone = np.exp(np.mean([np.log(p.tone) for person in donors for p in person], axis=0))
    same = [dataclasses.replace(p, tone=tone) for p in people[2]]
    dark = [dataclasses.replace(p, tone=tone / 3) for p in people[2]]
    assert choose_head(donors, [dark, same]) == 1
    assert choose_head(donors, [same, dark]) == 0
    cut = [dataclasses.replace(p, cut_off=0.2) for p in same]
    assert choose_head(donors, [cut, same]) == 1
    with pytest.raises(InputError, match="candidate"):
        choose_head(donors, [])
