"""The k-Same family on face sets."""

import sys

import numpy as np
import pytest

from ksame import FaceSet
from ksame.codecs import Eigen
from ksame.errors import GuaranteeError, InputError, NoGuaranteeWarning
from ksame.grouping import closest
from ksame.methods import KSame, KSameEigen, KSameFurthest, KSamePixel
from ksame.methods.closed_set import Shares
from ksame.metrics import check_k_anonymity, count_recognised


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(24, 10))


def test_pixel_is_the_mean_of_each_group(X):
    method = KSamePixel(k=3, random_state=1)
    released = method.fit_transform(X)
    np.testing.assert_array_equal(method.labels_, closest(X, 3, 1))
    for label in np.unique(method.labels_):
        group = method.labels_ == label
        np.testing.assert_allclose(released[group], [X[group].mean(axis=0)] * group.sum())
    np.testing.assert_array_equal(method.surrogates_[method.labels_], released)


def test_images_keep_their_shape(X):
    images = X.reshape(24, 2, 5)
    assert KSamePixel(k=3, random_state=0).fit_transform(images).shape == (24, 2, 5)
    colour = np.random.default_rng(1).integers(0, 256, size=(6, 4, 4, 3), dtype=np.uint8)
    assert KSamePixel(k=3, random_state=0).fit_transform(colour).shape == colour.shape


def test_eigen_with_all_components_is_pixel_and_with_fewer_is_not(X):
    pixel = KSamePixel(k=3, random_state=0).fit_transform(X)
    everything = KSameEigen(k=3, n_components=None, random_state=0).fit_transform(X)
    few = KSameEigen(k=3, n_components=2, random_state=0).fit_transform(X)
    np.testing.assert_allclose(everything, pixel, atol=1e-9)
    assert np.abs(few - pixel).max() > 0.1


def test_furthest_recognises_nobody_in_the_space_of_its_codec(X):
    method = KSameFurthest(k=3, codec=Eigen(4), random_state=0)
    released = method.fit_transform(X)
    codec = Eigen(4).fit(X)
    assert count_recognised(codec.encode(X), codec.encode(released), None) == 0


def test_a_persons_rows_move_together_and_count_once(X):
    people = np.repeat(np.arange(8), 3)
    method = KSamePixel(k=4, random_state=0)
    released = method.fit_transform(X, persons=people)
    assert method.report_.n_people == 8
    assert (method.labels_.reshape(8, 3) == method.labels_.reshape(8, 3)[:, :1]).all()
    means = X.reshape(8, 3, 10).mean(axis=1)
    members = method.labels_.reshape(8, 3)[:, 0] == method.labels_[0]
    np.testing.assert_allclose(released[0], means[members].mean(axis=0))


def test_rows_beyond_k_do_not_help_where_people_are_missing(X):
    with pytest.raises(GuaranteeError, match="this set has 4"):
        KSamePixel(k=5).fit_transform(X, persons=np.repeat(np.arange(4), 6))


def test_a_face_set_brings_its_people_and_columns(X):
    labels = {"gender": np.tile(["f", "m"], 12)}
    faces = FaceSet(X, np.repeat(np.arange(12), 2).reshape(12, 2).T.ravel(), labels)
    method = KSamePixel(k=2, random_state=0)
    assert check_k_anonymity(X, method.fit_transform(faces), faces.persons, 2)
    method.fit_transform(faces, classes="gender")
    with pytest.raises(InputError, match="not in the face set"):
        method.fit_transform(faces, classes="age")
    with pytest.raises(InputError, match="knows its persons"):
        method.fit_transform(faces, persons=faces.persons)


def test_any_function_groups_and_a_wrong_one_releases_nothing(X):
    def halves(codes, k, rng):
        return np.arange(len(codes)) % 2

    assert KSame(k=3, grouping=halves).fit(X).report_.n_surrogates == 2
    with pytest.raises(GuaranteeError, match="a group of 1 people breaks k=3"):
        KSame(k=3, grouping=lambda codes, k, rng: np.arange(len(codes))).fit_transform(X)
    with pytest.raises(GuaranteeError, match="every person a group"):
        KSame(k=3, grouping=lambda codes, k, rng: np.zeros(3, dtype=int)).fit_transform(X)


def test_nothing_is_released_that_fails_the_independent_check(X, monkeypatch):
    """Were the grouping code itself wrong, the check of the released bytes would still refuse."""
    module = sys.modules[KSame.__module__]
    wrong = Shares(np.arange(24), X, np.arange(24), ())
    monkeypatch.setattr(module, "group_people", lambda *_: wrong)
    method = KSamePixel(k=3, random_state=0)
    with pytest.raises(GuaranteeError, match="not 3-anonymous, nothing may be handed out"):
        method.fit_transform(X)
    assert not hasattr(method, "labels_")


def test_furthest_is_checked_for_zero_before_release(X, monkeypatch):
    module = sys.modules[KSame.__module__]
    labels = np.arange(24) // 12
    means = X.reshape(2, 12, 10).mean(axis=1)
    monkeypatch.setattr(
        module, "group_people", lambda *_: Shares(labels, means, np.arange(len(means)), ())
    )
    with pytest.raises(GuaranteeError, match="would be recognised"):
        KSameFurthest(k=3, random_state=0).fit_transform(X)


def test_the_literal_furthest_can_be_selected_and_warns(X):
    with pytest.warns(NoGuaranteeWarning, match="as printed"):
        released = KSame(k=3, grouping="furthest-literal", random_state=0).fit_transform(X)
    assert check_k_anonymity(X, released, None, 3)


def test_unknown_groupings_are_refused(X):
    with pytest.raises(InputError, match="grouping 'kmeans' is not known"):
        KSame(k=3, grouping="kmeans").fit(X)


@pytest.mark.parametrize("method", [KSame, KSamePixel, KSameEigen, KSameFurthest])
@pytest.mark.parametrize(
    ("faces", "arguments", "says"),
    [
        (np.full((6, 2), np.nan), {}, "NaN"),
        ([[1.0, 2.0], [1.0]], {}, "ragged"),
        ([["x", "y"]] * 6, {}, "not numeric"),
        (np.eye(6), {"persons": [1, 2]}, "one value per row"),
        (np.eye(6), {"classes": [1, 2]}, "one value per row"),
        (np.eye(6) * 1j, {}, "Complex"),
    ],
)
def test_bad_input_is_never_released(method, faces, arguments, says):
    with pytest.raises(ValueError, match=says):
        method(k=2).fit_transform(faces, **arguments)


@pytest.mark.parametrize("k", [1, 0, -3, 2.5, "2", None, 7])
def test_bad_k_is_never_released(k):
    with pytest.raises(ValueError, match="k="):
        KSamePixel(k=k).fit_transform(np.eye(6))


def test_errors_name_no_person():
    with pytest.raises(ValueError, match="people") as error:
        KSamePixel(k=5).fit_transform(np.eye(3), persons=["alice", "bob", "carol"])
    assert "alice" not in str(error.value)
