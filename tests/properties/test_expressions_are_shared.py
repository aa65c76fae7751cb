from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from ksame.release.expressions import PLAIN, expressions_to_show

EXPRESSIONS = (PLAIN, "smile", "open", "left", "right")


@st.composite
def groups(draw):
    k = draw(st.integers(2, 5))
    one = st.sets(st.sampled_from(EXPRESSIONS), min_size=1)
    people = draw(st.lists(one, min_size=k, max_size=2 * k - 1))
    looks = draw(st.sets(st.sampled_from(EXPRESSIONS))) | {PLAIN}
    return people, looks, k


@given(groups())
def test_every_look_that_is_shown_has_k_people(group):
    people, looks, k = group
    allowed = expressions_to_show(people, looks, k)
    shown = defaultdict(set)
    for person, expressions in enumerate(people):
        for expression in expressions:
            shown[expression if expression in allowed else PLAIN].add(person)
    assert all(len(found) >= k for found in shown.values())
    assert allowed <= looks


def test_what_everybody_shows_is_kept():
    people = [{PLAIN, "smile"}] * 3
    assert expressions_to_show(people, {PLAIN, "smile", "open"}, 3) == {PLAIN, "smile"}


def test_a_single_smile_is_not_shown():
    people = [{PLAIN, "smile"}, {PLAIN}, {PLAIN}]
    assert expressions_to_show(people, {PLAIN, "smile"}, 3) == {PLAIN}


def test_a_single_straight_face_among_smiles_takes_the_smiles_away():
    people = [{"smile"}, {"smile"}, {"smile", PLAIN}]
    assert expressions_to_show(people, {PLAIN, "smile"}, 3) == {PLAIN}


def test_one_look_is_given_up_and_the_others_stay():
    """Somebody without a straight face: smiles go, for a head that faces front again shows more."""
    people = [{PLAIN, "smile", "left"}, {PLAIN, "smile", "left"}, {"smile", "left"}]
    assert expressions_to_show(people, {PLAIN, "smile", "left"}, 3) == {PLAIN, "left"}
