"""Classes of people: votes of their faces, and parts of like skin."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ksame.people import split_by_tone, tone_parts, vote_classes


def test_most_faces_decide_and_ties_go_to_the_first_name():
    faces = {
        "a": [{"gender": "f"}, {"gender": "m"}, {"gender": "f"}],
        "b": [{"gender": "m"}, {"gender": "f"}],
        "c": [{}],
    }
    assert vote_classes(["gender"], faces) == {"a": ("f",), "b": ("f",), "c": ("unknown",)}
    assert vote_classes([], faces) == {"a": (), "b": (), "c": ()}


@given(st.lists(st.floats(-2, 6), min_size=1, max_size=60), st.integers(1, 12))
def test_parts_keep_their_size_and_their_order(tones, size):
    parts = np.array(tone_parts(tones, size))
    if len(tones) >= size:
        assert np.bincount(parts).min() >= size
    order = np.argsort(tones, kind="stable")
    assert (np.diff(parts[order]) >= 0).all()


def test_two_tones_become_two_parts_inside_each_class():
    classes = {f"p{i:02d}": ("f" if i % 2 else "m",) for i in range(24)}
    tones = {person: (2.0 if i < 12 else 5.0) for i, person in enumerate(sorted(classes))}
    found = split_by_tone(classes, tones, 3)
    assert found["p00"] == ("m", "part 1")
    assert found["p23"] == ("f", "part 2")
    assert len(set(found.values())) == 4
