"""FaceSet: validated once, immutable, people first."""

import copy
import pickle

import numpy as np
import pytest

from ksame import FaceSet
from ksame.errors import InputError
from ksame.faceset import mean_by


@pytest.fixture
def faces():
    images = np.arange(5 * 6, dtype=np.uint8).reshape(5, 2, 3)
    labels = {"gender": list("ffmmf"), "expression": ["n", "s", "n", "s", "n"]}
    return FaceSet(images, ["b", "b", "a", "a", "c"], labels)


def test_what_it_knows(faces):
    assert (len(faces), faces.n_people, faces.is_person_specific) == (5, 3, False)
    assert faces.vectors.shape == (5, 6)
    assert faces.faces.dtype == np.uint8
    assert faces.person_codes.tolist() == [0, 0, 1, 1, 2]


def test_without_persons_every_row_is_a_person():
    assert FaceSet(np.zeros((3, 2))).is_person_specific


def test_it_cannot_be_changed(faces):
    with pytest.raises(ValueError, match="read-only"):
        faces.faces[0] = 0
    with pytest.raises(TypeError):
        faces.labels["gender"] = None
    with pytest.raises(AttributeError):
        faces.persons = None


def test_it_keeps_a_copy():
    rows = np.zeros((2, 2))
    faces = FaceSet(rows)
    rows[:] = 1
    assert faces.faces.sum() == 0


@pytest.mark.parametrize(
    "rows", [np.array([True, False, True, False, False]), slice(0, 3, 2), [0, 2]]
)
def test_rows_are_chosen_by_mask_slice_and_index(faces, rows):
    part = faces[rows]
    assert part.persons.tolist() == ["b", "a"]
    assert part.labels["gender"].tolist() == ["f", "m"]


def test_no_row_or_one_bare_row_is_refused(faces):
    for rows in (np.zeros(5, dtype=bool), 0):
        with pytest.raises(InputError, match="at least one"):
            faces[rows]


def test_one_per_person_takes_the_first_row(faces):
    one = faces.one_per_person()
    assert one.persons.tolist() == ["b", "a", "c"]
    np.testing.assert_array_equal(one.faces, faces.faces[[0, 2, 4]])


def test_person_means_keep_what_is_constant(faces):
    means = faces.person_means()
    assert list(means.labels) == ["gender"]
    np.testing.assert_array_equal(means.faces[0], faces.faces[:2].mean(axis=0))
    assert means.faces.shape == (3, 2, 3)


def test_merge_puts_sets_under_each_other(faces):
    both = FaceSet.merge([faces, FaceSet(np.zeros((1, 2, 3)), ["d"], {"gender": ["f"]})])
    assert (len(both), both.n_people, list(both.labels)) == (6, 4, ["gender"])
    with pytest.raises(InputError, match="2 face shapes"):
        FaceSet.merge([faces, FaceSet(np.zeros((1, 3, 3)))])


def test_its_repr_names_nobody(faces):
    assert repr(faces) == "FaceSet(5 faces of 2x3, 3 people, columns: gender, expression)"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([[1.0], [1.0, 2.0]],), "ragged"),
        ((np.zeros((2, 2)), ["a"]), "persons has shape"),
        ((np.zeros((2, 2)), ["a", None]), "misses 1 of 2"),
        ((np.zeros((2, 2)), ["a", "b"], {"age": [1.0, np.nan]}), "column 'age' misses 1"),
        ((np.full((2, 2), np.inf),), "infinity"),
    ],
)
def test_bad_sets_are_refused(arguments, says):
    with pytest.raises(InputError, match=says):
        FaceSet(*arguments)


def test_mean_by_survives_the_largest_floats():
    rows = np.full((4, 1), 1.7e308)
    np.testing.assert_allclose(mean_by(rows, np.array([0, 0, 1, 1]), 2), [[1.7e308]] * 2)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_a_face_set_pickles_and_copies(again):
    faces = FaceSet(np.arange(12.0).reshape(3, 4), ["a", "b", "a"], {"sex": ["f", "m", "f"]})
    copied = again(faces)
    np.testing.assert_array_equal(copied.faces, faces.faces)
    assert copied.persons.tolist() == ["a", "b", "a"]
    assert dict(copied.labels)["sex"].tolist() == ["f", "m", "f"]
    assert not copied.faces.flags.writeable
