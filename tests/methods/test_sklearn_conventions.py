"""The estimators follow scikit-learn: its own checks, cloning, parameters, pipelines, output."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from ksame.codecs import Eigen
from ksame.errors import InputError
from ksame.methods import KSame, KSameEigen, KSameFurthest, KSamePixel, KSameSelect

FAMILY = [KSame(k=2), KSamePixel(k=2), KSameEigen(k=2), KSameFurthest(k=2)]


class EveryRowAPerson(KSameFurthest):
    """Furthest without people in `y`: the checks pass two or three labels, and k=2 needs four."""

    def fit(self, X, y=None):
        return super().fit(X)

    def fit_transform(self, X, y=None):
        return super().fit_transform(X)


@parametrize_with_checks(
    [
        KSame(k=2, random_state=0),
        KSamePixel(k=2, random_state=0),
        KSameEigen(k=2, random_state=0),
        EveryRowAPerson(k=2, random_state=0),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture
def faces():
    return np.random.default_rng(0).normal(size=(12, 6))


@pytest.mark.parametrize("method", FAMILY, ids=lambda method: type(method).__name__)
def test_no_transform_for_unseen_people(method):
    assert not hasattr(method, "transform")


def test_parameters_are_stored_cloned_and_set():
    method = KSame(k=3, codec=Eigen(4), grouping="mdav", random_state=1)
    twin = clone(method)
    assert twin.get_params()["codec__n_components"] == 4
    assert twin.set_params(k=4, codec__n_components=2).codec.n_components == 2
    assert method.k == 3
    assert method.codec.n_components == 4


def test_select_passes_parameters_of_its_method():
    select = KSameSelect(KSamePixel(k=3, random_state=7))
    assert (select.k, select.random_state) == (3, 7)
    assert clone(select).set_params(method__k=4).k == 4


def test_fitting_leaves_the_codec_of_the_caller_alone(faces):
    codec = Eigen(2)
    KSame(k=2, codec=codec, random_state=0).fit(faces)
    assert not hasattr(codec, "mean_")


def test_last_step_of_a_pipeline(faces):
    people = np.repeat(np.arange(6), 2)
    pipeline = make_pipeline(StandardScaler(), KSamePixel(k=2, random_state=0))
    released = pipeline.fit_transform(faces, ksamepixel__persons=people)
    assert pipeline[-1].report_.n_people == 6
    assert len(np.unique(released, axis=0)) == pipeline[-1].report_.n_surrogates


def test_output_can_be_set(faces):
    method = KSamePixel(k=2, random_state=0).set_output(transform="default")
    assert isinstance(method.fit_transform(faces), np.ndarray)
    assert list(method.get_feature_names_out()) == [f"x{i}" for i in range(6)]


def test_people_may_come_second_by_position_and_never_twice(faces):
    people = np.repeat(np.arange(6), 2)
    by_place = KSamePixel(k=3, random_state=0).fit_transform(faces, people)
    by_name = KSamePixel(k=3, random_state=0).fit_transform(faces, persons=people)
    np.testing.assert_array_equal(by_place, by_name)
    with pytest.raises(InputError, match="only one"):
        KSamePixel(k=3).fit(faces, people, persons=people)
