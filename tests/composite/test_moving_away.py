import dataclasses
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ksame.composite import Portrait, Surrogate, best_portrait, synthesise
from ksame.composite.away import _LARGEST_CHANGE, _MOST_TIMES, _shrinkage
from ksame.composite.code import without_tone
from ksame.composite.masks import rho

People = list[list[Portrait]]
GREY = np.array([0.299, 0.587, 0.114])


@pytest.fixture(scope="module")
def far(people: People) -> Surrogate:
    """The surrogate of the last two people, made from the first two."""
    return synthesise(people[:2], people[2], grey=True)


def moved_on(people: People, others: list[Portrait]) -> Surrogate:
    """The same, further from some people."""
    return synthesise(people[:2], people[2], grey=True, people=others)


def standing_for(people: People) -> list[Portrait]:
    return [best_portrait(person) for person in people[2:]]


def coded(portrait: Portrait, code: np.ndarray) -> Portrait:
    return dataclasses.replace(portrait, code=np.concatenate([np.zeros(3), code]))


def test_it_ends_as_far_from_its_people_as_donors_are(people: People, far: Surrogate) -> None:
    """By the codes, counted pair by pair; the mesh shows how far it went."""
    donors, others = [best_portrait(person) for person in people[:2]], standing_for(people)
    a, b = ([without_tone(p.code) for p in some] for some in (donors, others))
    pairs = np.mean([((x - y) ** 2).sum() for x, y in product(a, b)])
    times = np.sqrt(pairs / ((np.mean(a, axis=0) - np.mean(b, axis=0)) ** 2).sum())
    assert 1 < times < _MOST_TIMES
    here, there = (np.mean([p.points for p in some], axis=0) for some in (donors, others))
    moved = moved_on(people, others).looks["neutral"]
    expected = far.looks["neutral"].points + (times - 1) * (here - there)
    # the fit of one mesh to the other is not exact where a look has other photos behind it
    np.testing.assert_allclose(moved.points, expected, atol=0.1 * np.abs(here - there).max())


def test_only_the_inner_face_changes_and_little(people: People, far: Surrogate) -> None:
    still = [dataclasses.replace(p, points=people[0][0].points) for p in standing_for(people)]
    donors = [[dataclasses.replace(best_portrait(ps), points=still[0].points)] for ps in people[:2]]
    look, moved = (synthesise(donors, people=p).looks["neutral"] for p in ([], still))
    np.testing.assert_allclose(moved.points, look.points)
    change = (moved.face.astype(float) - look.face) @ GREY
    limit = _LARGEST_CHANGE * float(look.tone @ GREY)
    assert 0.2 * limit < np.abs(change).max() <= limit + 2  # rounding
    assert np.abs(change[rho(look.points) > 0.97]).max() <= 1
    mean = np.mean([p.layer[..., :3].astype(float) @ GREY / (p.tone @ GREY) for p in still], axis=0)
    away = look.face @ GREY / (look.tone @ GREY) - mean
    inner = rho(look.points) < 0.7
    assert np.corrcoef(change[inner], away[inner])[0, 1] > 0.3


def test_head_and_face_move_and_the_outline_hardly(people: People, far: Surrogate) -> None:
    moved = moved_on(people, standing_for(people))
    assert moved.donors == far.donors
    assert moved.looks.keys() == far.looks.keys()
    for state, look in moved.looks.items():
        before = far.looks[state]
        np.testing.assert_array_equal(look.tone, before.tone)
        inner = rho(before.points) < 0.7
        for part in ("face", "head"):
            now, was = (getattr(found, part)[..., :3].astype(int) for found in (look, before))
            assert np.abs(now - was)[inner].mean() > 0.5
        # the mesh takes hair near the face along, and no more than that
        assert np.abs(look.head[..., 3].astype(int) - before.head[..., 3]).mean() < 6
    grey = moved.looks["grey neutral"].face.astype(int)
    assert np.ptp(grey, axis=2).max() == 0


def test_one_move_for_the_group_in_any_order(people: People) -> None:
    others = standing_for(people)
    once = moved_on(people, others)
    assert moved_on(people, others).digest() == once.digest()
    turned = synthesise(people[1::-1], people[2], grey=True, people=others[::-1])
    for state, look in once.looks.items():
        np.testing.assert_allclose(turned.looks[state].points, look.points)
        for part in ("face", "head"):
            now, was = (getattr(found, part).astype(int) for found in (turned.looks[state], look))
            assert np.abs(now - was).max() <= 1


def test_one_face_is_as_far_as_it_is(people: People) -> None:
    """Nothing was averaged, so there is nothing to give back."""
    made = synthesise(people[:1])
    moved = synthesise(people[:1], people=[best_portrait(people[2])])
    for state, look in made.looks.items():
        np.testing.assert_allclose(moved.looks[state].points, look.points)
        assert np.abs(moved.looks[state].face.astype(int) - look.face).max() <= 1


def test_the_same_people_on_both_sides(people: People) -> None:
    made = synthesise(people[:2])
    same = [best_portrait(person) for person in people[:2]]
    moved = synthesise(people[:2], people=same)
    for state, look in made.looks.items():
        np.testing.assert_allclose(moved.looks[state].points, look.points)
        assert np.abs(moved.looks[state].face.astype(int) - look.face).max() <= 1


def test_a_turned_head_moves_no_mesh(people: People, far: Surrogate) -> None:
    others = standing_for(people)
    others[0] = dataclasses.replace(others[0], yaw=30.0)
    moved = moved_on(people, others)
    for state, look in far.looks.items():
        np.testing.assert_allclose(moved.looks[state].points, look.points)


@settings(deadline=None, max_examples=60)
@given(
    a=arrays(float, st.tuples(st.integers(1, 6), st.just(3)), elements=st.floats(-9, 9)),
    b=arrays(float, st.tuples(st.integers(1, 6), st.just(3)), elements=st.floats(-9, 9)),
)
def test_how_much_a_mean_shrank(people: People, a: np.ndarray, b: np.ndarray) -> None:
    portrait = people[0][0]
    sides = [[coded(portrait, code) for code in side] for side in (a, b)]
    shrunk = _shrinkage(*sides)
    assert 1 <= shrunk <= _MOST_TIMES
    means = ((a.mean(axis=0) - b.mean(axis=0)) ** 2).sum()
    pairs = np.mean([((x - y) ** 2).sum() for x, y in product(a, b)])
    if means > 1e-6:
        assert shrunk == pytest.approx(min(np.sqrt(pairs / means), _MOST_TIMES))
