"""The independent verifier finds what is wrong, and only that."""

import numpy as np
import pytest

from ksame.errors import GuaranteeError, InputError
from ksame.metrics import check_k_anonymity, count_recognised

ORIGINAL = np.arange(12.0).reshape(6, 2)


def released(*numbers):
    return np.array(numbers, dtype=float)[:, None].repeat(2, axis=1)


def test_a_k_anonymous_release_passes_and_says_what_it_is():
    report = check_k_anonymity(ORIGINAL, released(1, 1, 1, 2, 2, 2), None, 3)
    assert report
    assert (report.n_people, report.n_surrogates, report.smallest) == (6, 2, 3)
    assert report.bound == pytest.approx(1 / 3)
    assert report.raise_if_violated() is report


def test_a_small_group_is_named_by_number():
    report = check_k_anonymity(ORIGINAL, released(1, 1, 1, 2, 2, 3), None, 2)
    assert not report
    assert report.violations == ("surrogate 2 is shared by 1 people and needs 2",)
    with pytest.raises(GuaranteeError, match="surrogate 2"):
        report.raise_if_violated()


def test_rows_of_one_person_count_once():
    faces = released(1, 1, 1, 2, 2, 2)
    assert check_k_anonymity(ORIGINAL, faces, list("abcdef"), 3)
    assert not check_k_anonymity(ORIGINAL, faces, list("aabccd"), 3)


def test_one_changed_bit_breaks_a_group():
    faces = released(1, 1, 1, 2, 2, 2)
    faces[0, 0] = np.nextafter(faces[0, 0], 2)
    assert not check_k_anonymity(ORIGINAL, faces, None, 3)


def test_intersecting_the_rows_of_a_person_is_seen():
    """Each face has two people, but only one person has both faces 1 and 2."""
    faces, people = released(1, 1, 2, 2, 3, 3), ["a", "b", "a", "c", "b", "c"]
    report = check_k_anonymity(ORIGINAL, faces, people, 2)
    assert report.smallest == 2
    assert not report
    assert "linked set" in report.violations[0]


def test_the_number_of_linked_rows_names_a_person():
    """Persons with five rows and with one share a face: a chain of five is the first one's."""
    faces, people = released(1, 1, 1, 1, 1, 1), ["a"] * 5 + ["b"]
    report = check_k_anonymity(ORIGINAL, faces, people, 2)
    assert report
    assert (report.bound, report.linked_bound) == (0.5, 1.0)
    assert (report.smallest, report.linked_smallest) == (2, 1)
    strict = check_k_anonymity(ORIGINAL, faces, people, 2, linked=True)
    assert not strict
    assert strict.violations[0] == "chain of linked rows 0 is shared by 1 people and needs 2"
    even = check_k_anonymity(ORIGINAL, faces, list("aaabbb"), 2, linked=True)
    assert even
    assert even.linked_bound == 0.5


def test_messages_name_no_person():
    names = ["ulla", "vera", "wim", "xara", "yves", "zoe"]
    report = check_k_anonymity(ORIGINAL, released(1, 1, 1, 2, 2, 3), names, 2)
    assert not report
    assert not any(name in repr(report) for name in names)


def test_unchanged_rows_are_counted():
    assert check_k_anonymity(np.ones((4, 2)), np.ones((4, 2)), None, 4).unchanged == 4


def test_images_are_checked_as_they_are():
    images = np.random.default_rng(0).integers(0, 256, size=(4, 5, 6, 3), dtype=np.uint8)
    assert check_k_anonymity(images, np.zeros_like(images), None, 4)


@pytest.mark.parametrize(
    ("faces", "persons", "k", "says"),
    [
        (released(1, 1, 1), None, 2, "must be equal"),
        (released(1, 1, 1, 2, 2, 2), ["a"], 2, "one value per row"),
        (released(1, 1, 1, 2, 2, 2), None, 1, "at least 2"),
        (released(1, 1, 1, 2, 2, np.nan), None, 2, "NaN"),
        (released(1, 1, 1, 2, 2, 2), [None, *"bcdef"], 2, "misses 1 of 6"),
    ],
)
def test_wrong_arguments_are_errors_and_never_a_report(faces, persons, k, says):
    with pytest.raises(InputError, match=says):
        check_k_anonymity(ORIGINAL, faces, persons, k)


def test_recognised_rows_are_counted_with_ties_against_us():
    X = np.array([[0.0], [1.0], [4.0], [5.0]])
    assert count_recognised(X, X, None) == 4
    assert count_recognised(X, X[::-1], None) == 0
    assert count_recognised(X, np.full((4, 1), 0.5), None) == 2
    assert count_recognised(X, X[[1, 0, 3, 2]], [0, 0, 1, 1]) == 4
