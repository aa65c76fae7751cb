"""The faces of a picture as parallel arrays."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ksame.errors import InputError
from ksame.faces import Face, Faces


def some(n=3, **columns):
    rng = np.random.default_rng(n)
    low = rng.uniform(0, 50, (n, 2))
    return Faces(
        xyxy=np.concatenate([low, low + rng.uniform(5, 50, (n, 2))], axis=1),
        points=rng.normal(size=(n, 5, 2)),
        score=rng.uniform(size=n),
        **columns,
    )


def full(n=3):
    return some(
        n,
        landmarks=np.zeros((n, 478, 3)),
        track=np.arange(n),
        person=[f"Zoë {i}" for i in range(n)],
        failure=["", "turned by 60°", ""][:n],
        data={"yaw": np.arange(n) / 2, "state": ["neutral"] * n},
    )


def assert_same(a, b):
    one, other = a.as_arrays(), b.as_arrays()
    assert one.keys() == other.keys()
    for name in one:
        assert one[name].dtype == other[name].dtype
        np.testing.assert_array_equal(one[name], other[name])


def test_it_reads_like_a_list_of_faces():
    faces = some()
    first, *rest = faces
    assert isinstance(first, Face)
    assert len(rest) == 2
    np.testing.assert_array_equal(faces[1].box, faces.xyxy[1])
    assert [face.size for face in faces] == pytest.approx(faces.size.tolist())
    assert_same(Faces.of(list(faces)), faces)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([2, 0], [2, 0]),
        (np.array([True, False, True]), [0, 2]),
        (slice(1, None), [1, 2]),
        ([], []),
    ],
)
def test_rows_are_chosen_with_all_their_columns(rows, expected):
    chosen = full()[rows]
    assert chosen.track.tolist() == expected
    assert chosen.data["yaw"].tolist() == [i / 2 for i in expected]
    assert chosen.person.tolist() == [f"Zoë {i}" for i in expected]


def test_rows_that_are_chosen_are_frozen_and_stay_apart():
    faces = full()
    for chosen in (faces[[0, 2]], faces[1:], faces[faces.score >= 0]):
        for name, column in chosen.as_arrays().items():
            assert not np.shares_memory(column, faces.as_arrays()[name]), name
        with pytest.raises(ValueError, match="read-only"):
            chosen.xyxy[0] = 0
        with pytest.raises(ValueError, match="read-only"):
            chosen.data["yaw"][0] = 9
        with pytest.raises(TypeError):
            chosen.data["new"] = np.zeros(len(chosen))


@given(texts=st.lists(st.text(st.characters(exclude_characters="\0"), max_size=8), max_size=5))
def test_arrays_bring_everything_back(texts):
    n = len(texts)
    faces = some(n, failure=texts, data={"note": np.array(texts, dtype=np.str_)}) if n else full(0)
    stored = faces.as_arrays()
    assert all(value.dtype.kind in "biuf" for value in stored.values())
    back = Faces.from_arrays(stored)
    assert_same(back, faces)
    assert back.failure.tolist() == texts


@pytest.mark.parametrize("again", [copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f))])
def test_copies_are_equal_and_frozen(again):
    copied = again(full())
    assert_same(copied, full())
    with pytest.raises(ValueError, match="read-only"):
        copied.xyxy[0] = 0


def test_the_callers_arrays_stay_apart():
    xyxy = np.array([[0.0, 0, 5, 5]])
    faces = Faces(xyxy, np.zeros((1, 5, 2)), np.ones(1))
    xyxy[0] = 9
    assert faces.xyxy[0, 2] == 5
    with pytest.raises(TypeError):
        faces.data["new"] = np.zeros(1)


def test_parts_are_merged_and_empty_ones_passed_over():
    both = Faces.merge([full(2), full(0), some(0), full(3)])
    assert len(both) == 5
    assert both.track.tolist() == [0, 1, 0, 1, 2]
    assert len(Faces.merge([])) == 0


def test_parts_with_other_columns_are_not_merged():
    with pytest.raises(InputError, match="landmarks"):
        Faces.merge([full(2), some(2)])


def test_a_column_is_added_and_the_faces_stay():
    faces = some()
    more = faces.with_data(yaw=[1.0, 2.0, 3.0])
    assert "yaw" not in faces.data
    assert more.data["yaw"].tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"track": [1, 2]}, "track has shape"),
        ({"landmarks": np.zeros((3, 68, 2))}, "landmarks has shape"),
        ({"data": {"yaw": [1.0]}}, "column 'yaw'"),
        ({"data": {"odd": [object()] * 3}}, "type object"),
    ],
)
def test_columns_that_do_not_fit_are_refused(columns, said):
    with pytest.raises(InputError, match=said):
        some(3, **columns)


def test_places_must_be_finite():
    with pytest.raises(InputError, match="not finite"):
        Faces([[0, 0, np.inf, 1]], np.zeros((1, 5, 2)), [1.0])


def test_an_unknown_array_is_refused():
    with pytest.raises(InputError, match="no column"):
        Faces.from_arrays(full().as_arrays() | {"age": np.zeros(3)})


def test_the_repr_names_no_person():
    faces = some(person=["Ann", "Bo", "Cy"], data={"yaw": [0.0, 1.0, 2.0]})
    assert repr(faces) == "Faces(3 faces, columns: xyxy, points, score, person, yaw)"
