"""A face behind a nearer head is not drawn on its hair; one that is detected always stays."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame.tracking import cover, without_hidden

NEAR = np.array([100.0, 100.0, 160.0, 180.0])
FAR = 30.0  # px of the face that passes behind


def passing(seen, count=40, near=NEAR):
    """A near head that stands still, and a small face that walks past behind it."""
    frame, boxes, labels = [], [], []
    for now in range(count):
        frame.append(now)
        boxes.append(near)
        labels.append(0)
        if now in seen:
            x = 40 + 5.0 * now
            frame.append(now)
            boxes.append(np.array([x, 80, x + FAR, 80 + FAR]))
            labels.append(1)
    return np.array(frame), np.array(boxes), np.array(labels)


def parts_of(seen, near=NEAR):
    frame, boxes, labels = passing(seen, near=near)
    covers = cover(frame, labels, 40, beyond=2)
    return frame, covers, [without_hidden(one, covers, frame, boxes) for one in covers]


def test_a_face_is_not_drawn_on_the_hair_of_who_hides_it():
    seen = [*range(10), *range(26, 36)]
    _, covers, (near, far) = parts_of(set(seen))
    assert len(near) == 1
    assert (near[0].first, near[0].stop) == (covers[0].first, covers[0].stop)
    assert len(far) == 2
    shown = {f for part in far for f in range(part.first, part.stop)}
    behind = [f for f in range(40) if 95 <= 40 + 5 * f <= 135]  # well inside of the head
    assert not shown & set(behind)
    assert set(seen) <= shown
    assert np.array_equal(np.concatenate([part.rows for part in far]), covers[1].rows)


def test_a_face_before_the_head_or_beside_it_is_held_through_a_gap():
    gap = set(range(40)) - set(range(10, 26))
    small = np.array([100.0, 100, 120, 125])  # no nearer than the face itself
    assert len(parts_of(gap, near=small)[2][1]) == 1
    assert len(parts_of(gap, near=NEAR + np.array([0, 200, 0, 200]))[2][1]) == 1


def test_a_moment_behind_a_head_parts_no_track():
    """Parts may be told as two people; a single frame is not worth that."""
    assert len(parts_of(set(range(40)) - {15})[2][1]) == 1


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(0, 39), min_size=1))
def test_no_detection_is_ever_left_out(seen):
    frame, covers, parts = parts_of(seen)
    for one, pieces in zip(covers, parts, strict=True):
        rows = np.concatenate([part.rows for part in pieces])
        assert np.array_equal(rows, one.rows)
        for part in pieces:
            assert len(part.rows)
            assert part.first <= frame[part.rows[0]]
            assert frame[part.rows[-1]] < part.stop
        for before, after in pairwise(pieces):
            assert before.stop <= after.first
        assert one.first <= pieces[0].first
        assert pieces[-1].stop <= one.stop
