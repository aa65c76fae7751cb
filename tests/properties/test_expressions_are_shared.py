from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from ksame.release.expressions import PLAIN, looks_to_show
from ksame.states import State

SMILE, GREY, LEFT = State.SMILE, State.GREY_NEUTRAL, State.LEFT


@st.composite
def groups(draw):
    k = draw(st.integers(2, 5))
    one = st.sets(st.sampled_from(State), min_size=1)
    people = draw(st.lists(one, min_size=k, max_size=2 * k - 1))
    looks = draw(st.sets(st.sampled_from(State))) | {PLAIN}
    return people, looks, k


@given(groups())
def test_every_look_that_is_shown_has_k_people(group):
    """A face shows its own look, else the plain one: grey in a grey photo if there is such."""
    people, looks, k = group
    allowed = looks_to_show(people, looks, k)
    shown = defaultdict(set)
    for person, expressions in enumerate(people):
        for state in expressions:
            plain = GREY if state[:4] == "grey" and GREY in allowed else PLAIN
            shown[state if state in allowed else plain].add(person)
    assert all(len(found) >= k for found in shown.values())
    assert allowed <= looks


def test_what_everybody_shows_is_kept():
    people = [{PLAIN, SMILE}] * 3
    assert looks_to_show(people, {PLAIN, SMILE, State.OPEN}, 3) == {PLAIN, SMILE}


def test_a_single_smile_is_not_shown():
    people = [{PLAIN, SMILE}, {PLAIN}, {PLAIN}]
    assert looks_to_show(people, {PLAIN, SMILE}, 3) == {PLAIN}


def test_a_single_straight_face_among_smiles_takes_the_smiles_away():
    people = [{SMILE}, {SMILE}, {SMILE, PLAIN}]
    assert looks_to_show(people, {PLAIN, SMILE}, 3) == {PLAIN}


def test_one_look_is_given_up_and_the_others_stay():
    """Somebody without a straight face: smiles go, for a head that faces front again shows more."""
    people = [{PLAIN, SMILE, LEFT}, {PLAIN, SMILE, LEFT}, {SMILE, LEFT}]
    assert looks_to_show(people, {PLAIN, SMILE, LEFT}, 3) == {PLAIN, LEFT}


def test_a_single_photo_without_colour_is_not_shown_without_colour():
    """A grey head among coloured ones is as good as a name."""
    people = [{PLAIN, GREY}, {PLAIN}, {PLAIN}]
    assert looks_to_show(people, {PLAIN, GREY}, 3) == {PLAIN}
    people = [{PLAIN, GREY}, {PLAIN, State.GREY_SMILE}, {PLAIN, GREY}]
    assert looks_to_show(people, {PLAIN, GREY, State.GREY_SMILE}, 3) == {
        PLAIN,
        GREY,
    }
