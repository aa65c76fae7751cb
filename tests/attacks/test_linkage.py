"""Who is who by counts and company alone, on albums that a reader can check."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ksame.attacks.linkage import HIDDEN, Appearances, possible, suspicion
from ksame.errors import InputError


def album(*photos):
    """Faces of photos, each a string of one-letter names."""
    return Appearances(
        np.array([i for i, people in enumerate(photos) for _ in people]),
        np.array([person for people in photos for person in people]),
    )


def test_everybody_with_a_face_of_their_own_is_told_by_counts():
    """Ada is on three photos, Bob on two, Cy on one; so are X, Y and Z."""
    found = possible(album("A", "A", "A", "B", "B", "C"), album("Z", "Y", "X", "Y", "X", "X"))
    # rows: A, B, C; columns: Z, Y, X in order of appearance
    assert found.tolist() == [
        [False, False, True],
        [False, True, True],
        [True, True, True],
    ]


def test_company_tells_what_counts_do_not():
    """Everybody is on two photos; only Ada and Bob are ever together."""
    originals = album("AB", "A", "B", "C", "C")
    released = album("X", "YZ", "X", "Y", "Z")
    assert possible(originals, released).tolist() == [
        [False, True, True],
        [False, True, True],
        [True, False, False],
    ]


def test_who_is_there_most_often_is_suspected_most():
    likely = suspicion(album("A", "A", "A", "B"), album("X", "X", "X", "X"))
    assert likely.ravel().tolist() == [0.75, 0.25]


def test_equal_people_in_one_group_cannot_be_told():
    likely = suspicion(album("AB", "CD", "AC"), album("XY", "YX", "XX"))
    assert (likely.max(axis=0) <= 0.5).all()


def test_a_hidden_face_can_be_anybody_s():
    """Ada is on two photos, of which one shows her hidden: she can still be behind X."""
    found = possible(album("A", "A", "B"), Appearances(np.arange(3), np.array(["X", HIDDEN, "Y"])))
    assert found.all()


@given(st.integers(2, 9), st.integers(1, 12), st.integers(1, 4), st.integers(0, 10**6))
def test_the_truth_is_never_ruled_out(people, photos, groups, seed):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, groups, people)
    shown = [
        rng.choice(people, rng.integers(1, min(people, 4) + 1), replace=False)
        for _ in range(photos)
    ]
    order = rng.permutation(photos)
    where = np.concatenate([[i] * len(s) for i, s in enumerate(shown)])
    who = np.concatenate(shown)
    released = Appearances(order[where][::-1], group[who][::-1])
    originals = Appearances(where, who)
    fits = possible(originals, released)
    for row, column in zip(originals.numbers, released.numbers[::-1], strict=True):
        assert fits[row, column]


def test_wrong_lengths():
    with pytest.raises(InputError, match="2 photos and 1 names"):
        Appearances(np.arange(2), np.array(["a"]))
