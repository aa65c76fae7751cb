from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from ksame.release.expressions import PLAIN, looks_to_show

POSES = (PLAIN, "smile", "open", "left", "right")
STATES = (*POSES, *(f"grey {pose}" for pose in POSES))


@st.composite
def groups(draw):
    k = draw(st.integers(2, 5))
    one = st.sets(st.sampled_from(STATES), min_size=1)
    people = draw(st.lists(one, min_size=k, max_size=2 * k - 1))
    looks = draw(st.sets(st.sampled_from(STATES))) | {PLAIN}
    return people, looks, k


@given(groups())
def test_every_look_that_is_shown_has_k_people(group):
    """A face shows its own look, else the plain one: grey in a grey photo if there is such."""
    people, looks, k = group
    allowed = looks_to_show(people, looks, k)
    shown = defaultdict(set)
    for person, expressions in enumerate(people):
        for state in expressions:
            plain = "grey neutral" if state[:4] == "grey" and "grey neutral" in allowed else PLAIN
            shown[state if state in allowed else plain].add(person)
    assert all(len(found) >= k for found in shown.values())
    assert allowed <= looks


def test_what_everybody_shows_is_kept():
    people = [{PLAIN, "smile"}] * 3
    assert looks_to_show(people, {PLAIN, "smile", "open"}, 3) == {PLAIN, "smile"}


def test_a_single_smile_is_not_shown():
    people = [{PLAIN, "smile"}, {PLAIN}, {PLAIN}]
    assert looks_to_show(people, {PLAIN, "smile"}, 3) == {PLAIN}


def test_a_single_straight_face_among_smiles_takes_the_smiles_away():
    people = [{"smile"}, {"smile"}, {"smile", PLAIN}]
    assert looks_to_show(people, {PLAIN, "smile"}, 3) == {PLAIN}


def test_one_look_is_given_up_and_the_others_stay():
    """Somebody without a straight face: smiles go, for a head that faces front again shows more."""
    people = [{PLAIN, "smile", "left"}, {PLAIN, "smile", "left"}, {"smile", "left"}]
    assert looks_to_show(people, {PLAIN, "smile", "left"}, 3) == {PLAIN, "left"}


def test_a_single_photo_without_colour_is_not_shown_without_colour():
    """A grey head among coloured ones is as good as a name."""
    people = [{PLAIN, "grey neutral"}, {PLAIN}, {PLAIN}]
    assert looks_to_show(people, {PLAIN, "grey neutral"}, 3) == {PLAIN}
    people = [{PLAIN, "grey neutral"}, {PLAIN, "grey smile"}, {PLAIN, "grey neutral"}]
    assert looks_to_show(people, {PLAIN, "grey neutral", "grey smile"}, 3) == {
        PLAIN,
        "grey neutral",
    }
