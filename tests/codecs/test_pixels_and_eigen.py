"""Pixels and eigenfaces: codes and back."""

import numpy as np
import pytest

from ksame.codecs import Eigen, Pixels
from ksame.errors import InputError


@pytest.mark.parametrize("shape", [(7,), (4, 5), (4, 5, 3)])
def test_pixels_come_back_as_they_were(shape):
    faces = np.random.default_rng(0).integers(0, 256, size=(6, *shape)).astype(float)
    codec = Pixels().fit(faces)
    assert codec.encode(faces).shape == (6, int(np.prod(shape)))
    np.testing.assert_array_equal(codec.decode(codec.encode(faces)), faces)


@pytest.mark.parametrize("shape", [(9, 30), (40, 6), (9, 4, 5, 3)])
def test_all_eigenfaces_lose_nothing(shape):
    faces = np.random.default_rng(1).normal(size=shape)
    codec = Eigen().fit(faces)
    np.testing.assert_allclose(codec.decode(codec.encode(faces)), faces, atol=1e-9)


@pytest.mark.parametrize("shape", [(12, 30), (60, 10)])
def test_snapshot_method_finds_the_principal_components(shape):
    X = np.random.default_rng(2).normal(size=shape) * np.linspace(3, 1, shape[1])
    codec = Eigen(4).fit(X)
    leading = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:4]
    np.testing.assert_allclose(np.abs((codec.components_ * leading).sum(axis=1)), 1, atol=1e-9)
    np.testing.assert_allclose(codec.components_ @ codec.components_.T, np.eye(4), atol=1e-9)


def test_distances_survive_with_all_components_and_shrink_with_fewer():
    X = np.random.default_rng(3).normal(size=(10, 25))
    gap = np.linalg.norm(X[0] - X[1])
    full, few = (Eigen(count).fit(X).encode(X) for count in (None, 3))
    assert np.linalg.norm(full[0] - full[1]) == pytest.approx(gap)
    assert np.linalg.norm(few[0] - few[1]) < gap


def test_dropped_components_really_change_the_face():
    X = np.random.default_rng(4).normal(size=(10, 25))
    codec = Eigen(3).fit(X)
    assert np.abs(codec.decode(codec.encode(X)) - X).max() > 0.1


def test_a_share_of_the_variance_is_reached_with_the_fewest():
    X = np.random.default_rng(5).normal(size=(40, 12)) * np.linspace(5, 0.1, 12)
    codec = Eigen(0.9).fit(X)
    shares = codec.explained_variance_ratio_
    assert shares.sum() >= 0.9
    assert shares[:-1].sum() < 0.9


def test_more_components_than_there_are_keep_all():
    assert Eigen(100).fit(np.random.default_rng(6).normal(size=(5, 9))).components_.shape == (4, 9)


def test_identical_faces_have_a_code():
    codec = Eigen(0.9).fit(np.full((4, 3), 7.0))
    np.testing.assert_array_equal(codec.decode(codec.encode(np.full((1, 3), 7.0))), [[7.0] * 3])


@pytest.mark.parametrize("bad", [0, -1, 1.5, 0.0, True, "all"])
def test_bad_numbers_of_components_are_refused(bad):
    with pytest.raises(InputError, match="n_components"):
        Eigen(bad).fit(np.random.default_rng(7).normal(size=(5, 9)))


@pytest.mark.parametrize("codec", [Pixels(), Eigen()])
def test_faces_of_another_shape_are_refused(codec):
    codec.fit(np.random.default_rng(8).normal(size=(5, 9)))
    with pytest.raises(InputError, match="one frame"):
        codec.encode(np.zeros((2, 8)))
