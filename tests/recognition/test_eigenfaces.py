"""Eigenfaces: N figures 6 to 9, against a direct transcription and scikit-learn."""

import pickle

import numpy as np
import pytest
from sklearn.decomposition import PCA

from ksame.errors import InputError
from ksame.metrics.cmc import cmc
from ksame.recognition.contract import Recogniser, rank, squared_euclidean
from ksame.recognition.eigenfaces import Eigenfaces


@pytest.fixture
def faces():
    """60 smooth images of 20 x 15 that differ in a few directions and some noise."""
    rng = np.random.default_rng(1)
    basis = rng.standard_normal((12, 300)).cumsum(axis=1)
    weights = rng.standard_normal((60, 12)) * np.linspace(30, 3, 12)
    return np.clip(weights @ basis / 8 + 128 + rng.normal(0, 2, (60, 300)), 0, 255)


def transcribed(training, gallery, probe, top):
    """N fig. 7 to 9 line by line, in float64."""
    mean = training.mean(axis=0)
    a = (training - mean).T
    _, vectors = np.linalg.eigh(a.T @ a)
    faces = a @ vectors[:, ::-1][:, :top]
    faces /= np.linalg.norm(faces, axis=0)
    known = [faces.T @ (g - mean) for g in gallery]
    order = [np.argsort([np.linalg.norm(faces.T @ (p - mean) - o) for o in known]) for p in probe]
    return np.array(order)


def test_ranks_as_the_figures_say(faces):
    probe = faces + np.random.default_rng(2).normal(0, 6, faces.shape)
    ours = Eigenfaces(8).fit(faces[:30])
    order = rank(ours, ours.describe(probe), ours.describe(faces))
    np.testing.assert_array_equal(order, transcribed(faces[:30], faces, probe, 8))


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
def test_agrees_with_scikit_learn(faces, metric):
    ours = Eigenfaces(8, metric, dtype=np.float64).fit(faces)
    theirs = PCA(8, whiten=metric == "mahalanobis", svd_solver="full").fit(faces)
    np.testing.assert_allclose(ours.values_, theirs.explained_variance_, rtol=1e-9)
    np.testing.assert_allclose(np.abs(ours.describe(faces)), np.abs(theirs.transform(faces)))


def test_single_precision_ranks_as_double(faces):
    probe = faces + np.random.default_rng(3).normal(0, 4, faces.shape)
    single, double = (Eigenfaces(20, dtype=d).fit(faces) for d in (np.float32, np.float64))
    people = np.arange(60)
    a, b = (
        cmc(r.distances(r.describe(probe), r.describe(faces)), people, people)
        for r in (single, double)
    )
    np.testing.assert_array_equal(a.rates, b.rates)


def test_unaltered_faces_are_always_recognised(faces):
    model = Eigenfaces().fit(faces)
    codes = model.describe(faces)
    assert cmc(model.distances(codes, codes), range(60), range(60)).rank1.value == 1.0
    assert isinstance(model, Recogniser)
    assert model.vectors_.shape[0] <= 59


def test_share_of_variance_and_skip(faces):
    model = Eigenfaces(0.9, dtype=np.float64).fit(faces)
    theirs = PCA(0.9, svd_solver="full").fit(faces)
    assert len(model.values_) == theirs.n_components_
    later = Eigenfaces(5, skip=2, dtype=np.float64).fit(faces)
    np.testing.assert_allclose(later.values_, Eigenfaces(7).fit(faces).values_[2:], rtol=1e-3)


def test_images_keep_their_shape_out_of_it(faces):
    flat, square = (Eigenfaces(5).fit(f) for f in (faces, faces.reshape(60, 20, 15)))
    np.testing.assert_array_equal(flat.mean_, square.mean_)
    restored = Eigenfaces(None, dtype=np.float64).fit(faces)
    np.testing.assert_allclose(restored.reconstruct(restored.project(faces)), faces, atol=1e-6)


def test_many_faces_rank_as_the_full_decomposition():
    rng = np.random.default_rng(4)
    faces = rng.standard_normal((1000, 580)) * 40 * np.arange(1, 581) ** -0.6 + 100
    probe = faces[:200] + rng.normal(0, 1, (200, 580))
    ours, theirs = Eigenfaces(80).fit(faces), PCA(80, svd_solver="full").fit(faces)
    order = rank(ours, ours.describe(probe), ours.describe(faces))
    apart = squared_euclidean(theirs.transform(probe), theirs.transform(faces))
    truth = np.argsort(apart, axis=1)
    np.testing.assert_array_equal(order[:, 0], truth[:, 0])
    # Single precision may swap two that are equally far.
    assert np.mean(order[:, :10] == truth[:, :10]) > 0.995


def test_bytes_are_converted_in_parts(faces):
    many = np.tile(faces, (20, 1)).astype(np.uint8)
    model = Eigenfaces(8).fit(many[:60])
    weights = (many.astype(np.float32) - model.mean_) @ model.vectors_.T
    np.testing.assert_allclose(model.project(many), weights, atol=1e-2)


@pytest.mark.parametrize(
    ("model", "data", "match"),
    [
        (Eigenfaces(metric="cosine"), np.eye(4), "metric='cosine'"),
        (Eigenfaces(0), np.eye(4), "components=0"),
        (Eigenfaces(1.5), np.eye(4), "at most 1.0"),
        (Eigenfaces(), np.ones((1, 4)), "at least 2"),
        (Eigenfaces(), np.ones((3, 4)), "no component"),
        (Eigenfaces(0.9), np.ones((3, 4)), "no component"),
        (Eigenfaces(5), np.ones((800, 40)), "no component"),
        (Eigenfaces(), np.full((3, 4), np.nan), "not finite"),
        (Eigenfaces(), np.ones(4), "one face per row"),
    ],
)
def test_wrong_input_is_named(model, data, match):
    with pytest.raises(InputError, match=match):
        model.fit(data)


def test_other_frame_is_refused(faces):
    with pytest.raises(InputError, match="same frame"):
        Eigenfaces(3).fit(faces).project(faces[:, :100])


def test_squared_euclidean_is_the_plain_sum():
    a, b = np.random.default_rng(0).random((2, 5, 3))
    plain = ((a[:, None] - b[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(squared_euclidean(a, b), plain, atol=1e-12)


def test_before_it_has_learned_it_says_so():
    blank = Eigenfaces()
    for use in (blank.describe, blank.project):
        with pytest.raises(InputError, match="this Eigenfaces has learned nothing yet; call fit"):
            use(np.zeros((2, 9)))
    assert not hasattr(blank, "mean_")
    with pytest.raises(AttributeError, match="no attribute 'means'"):
        _ = blank.means
    assert repr(blank) == "Eigenfaces(components=None, metric='euclidean', dim=None)"
    assert pickle.loads(pickle.dumps(blank)).dim is None
