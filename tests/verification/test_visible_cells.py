"""Which cells of a head are visible, against a painter who lays heads and boxes pixel by pixel."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ksame.verification.cells import CELL, COLUMNS, ROWS, Look
from ksame.verification.documents import Face
from ksame.verification.placed import Placed, is_similarity, lies_on_its_face, shown, visible

SIDE = 160  # pixels of the test photos


def oval(across, down):
    """An oval of cells around the middle of the frame."""
    y, x = np.indices((ROWS, COLUMNS))
    return ((x - 13.5) / across) ** 2 + ((y - 15.5) / down) ** 2 <= 1


def look():
    """A head with a soft rim of two cells."""
    return Look(oval(9, 11), oval(11, 13), np.zeros((ROWS, COLUMNS, 3)))


def placed(x, y, scale, turn=0.0):
    """A head whose frame's middle lies at a place of the photo."""
    cos, sin = scale * np.cos(turn), scale * np.sin(turn)
    matrix = np.array([[cos, sin, 0.0], [-sin, cos, 0.0]])
    matrix[:, 2] = np.array([224.0, 256.0]) - matrix[:, :2] @ (x, y)
    return Placed(matrix, look())


def painted(heads, boxes):
    """Who is on top at each pixel: a head's number, -1 for nobody, -2 for a black box.

    Heads are painted from the smallest to the largest, with all cells that they touch.
    """
    y, x = np.indices((SIDE, SIDE))
    top = np.full((SIDE, SIDE), -1)
    for i in sorted(range(len(heads)), key=lambda i: -heads[i].scale):
        (a, b, tx), (c, d, ty) = heads[i].to_head
        column = np.floor((a * x + b * y + tx) / CELL).astype(int)
        row = np.floor((c * x + d * y + ty) / CELL).astype(int)
        inside = (column >= 0) & (column < COLUMNS) & (row >= 0) & (row < ROWS)
        on = np.zeros_like(inside)
        on[inside] = heads[i].look.reach[row[inside], column[inside]]
        top[on] = i
    for x0, y0, x1, y1 in boxes:
        top[y0:y1, x0:x1] = -2
    return top


heads_of_a_photo = st.lists(
    st.builds(
        placed,
        st.floats(-20, SIDE + 20),
        st.floats(-20, SIDE + 20),
        st.floats(1.5, 12),
        st.floats(-0.6, 0.6),
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda head: round(head.scale, 3),
)
corner = st.integers(0, SIDE)
boxes_of_a_photo = st.lists(
    st.tuples(corner, corner, corner, corner).map(
        lambda b: (min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3]))
    ),
    max_size=2,
)


@settings(max_examples=150)
@given(heads_of_a_photo, boxes_of_a_photo)
def test_a_cell_that_counts_as_visible_shows_its_own_head_alone(heads, boxes):
    top = painted(heads, boxes)
    y, x = np.indices(top.shape)
    for i, head in enumerate(heads):
        seen = visible(head, heads[:i] + heads[i + 1 :], boxes, (SIDE, SIDE))
        assert not (seen & ~head.look.solid).any()
        (a, b, tx), (c, d, ty) = head.to_head
        column = np.floor((a * x + b * y + tx) / CELL).astype(int)
        row = np.floor((c * x + d * y + ty) / CELL).astype(int)
        inside = (column >= 0) & (column < COLUMNS) & (row >= 0) & (row < ROWS)
        own = np.zeros(top.shape, bool)
        own[inside] = seen[row[inside], column[inside]]
        assert (top[own] == i).all()
        # and the photo shows every visible cell as a whole
        for r, c_ in np.argwhere(seen)[:: max(int(seen.sum()) // 5, 1)]:
            corners = np.array([[c_, r], [c_ + 1, r + 1]]) * float(CELL)
            assert (head.in_photo(corners) >= -0.5).all()
            assert (head.in_photo(corners) <= SIDE - 0.5).all()


def test_a_lone_head_is_seen_whole():
    head = placed(80, 80, 4.0)
    seen = visible(head, [], [], (SIDE, SIDE))
    assert (seen == head.look.solid).mean() > 0.9
    assert seen.sum() > 0.75 * head.look.solid.sum()


def test_the_larger_of_two_heads_is_seen_whole_and_the_smaller_where_it_sticks_out():
    small, large = placed(60, 80, 5.0), placed(100, 80, 4.0)
    alone = visible(large, [], [], (SIDE, SIDE))
    np.testing.assert_array_equal(visible(large, [small], [], (SIDE, SIDE)), alone)
    before = visible(small, [], [], (SIDE, SIDE)).sum()
    after = visible(small, [large], [], (SIDE, SIDE)).sum()
    assert 0 < after < before


def test_a_box_smaller_than_a_cell_hides_it():
    head = placed(80, 80, 0.5)
    row, column = 15, 13
    x, y = head.in_photo(np.array([column * CELL + 5.0, row * CELL + 6.0])).astype(int)
    assert visible(head, [], [], (SIDE, SIDE))[row, column]
    assert not visible(head, [], [(x, y, x + 2, y + 2)], (SIDE, SIDE))[row, column]


def test_cells_are_read_where_they_lie():
    """Every cell of a frame is painted in a colour of its own."""
    rng = np.random.default_rng(3)
    colours = rng.integers(0, 256, (ROWS, COLUMNS, 3))
    head = placed(300, 300, 0.8, 0.2)
    y, x = np.indices((600, 600))
    (a, b, tx), (c, d, ty) = head.to_head
    column = np.clip(((a * x + b * y + tx) // CELL).astype(int), 0, COLUMNS - 1)
    row = np.clip(((c * x + d * y + ty) // CELL).astype(int), 0, ROWS - 1)
    photo = colours[row, column].astype(np.uint8)
    inside = visible(head, [], [], photo.shape)
    apart = np.abs(shown(photo, head) - colours)[inside]
    assert inside.sum() > 200
    assert apart.mean() < 6  # neighbours mix at the borders of cells


def test_similarities():
    assert is_similarity(((1.0, 0.5, 3.0), (-0.5, 1.0, 2.0)))
    assert not is_similarity(((1.0, 0.5, 3.0), (0.5, 1.0, 2.0)))
    assert not is_similarity(((1.0, 0.0, 3.0), (0.0, 1.1, 2.0)))
    assert not is_similarity(((0.0, 0.0, 3.0), (0.0, 0.0, 2.0)))


def test_a_head_lies_on_its_face_or_does_not():
    head = placed(80, 80, 4.0)

    def face(box):
        return Face("a.png", box, None, None, None, None, None)

    assert lies_on_its_face(head, face((60.0, 60.0, 100.0, 100.0))) == 1
    assert lies_on_its_face(head, face((0.0, 0.0, 20.0, 20.0))) == 0
