"""Microaggregation, its refinement, and blocks."""

import numpy as np
import pytest

from ksame.datasets import known_faces, read_points
from ksame.grouping import blocks, closest, information_loss, mdav
from ksame.grouping.blocks import main_direction
from ksame.grouping.mdav import mdav_plain
from ksame.grouping.refine import refine
from ksame.media import read_photo
from ksame.vision import register


@pytest.mark.parametrize("k", [2, 3, 5, 10])
@pytest.mark.parametrize(("n", "d"), [(97, 8), (60, 200)])
def test_mdav_loses_less_than_closest_and_refining_less_again(n, d, k):
    X = np.random.default_rng(0).normal(size=(n, d)) / np.sqrt(1 + np.arange(d))
    plain = information_loss(X, closest(X, k, 0))
    rough, refined = (information_loss(X, mdav(X, k, refined=flag)) for flag in (False, True))
    assert refined < rough
    assert refined < plain


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("n", [7, 13, 14, 20, 21, 35])
def test_groups_have_k_to_2k_minus_1_people(n, k):
    X = np.random.default_rng(n).normal(size=(n, 3))
    for labels in (mdav_plain(X, k), mdav(X, k), blocks(X, k, 0, block_size=4)):
        sizes = np.bincount(labels)
        assert (sizes >= k).all()
        assert (sizes < 2 * k).all()


def test_refining_reaches_the_best_partition_of_a_small_set():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.1]])
    bad = np.array([0, 1, 1, 2, 2, 0])
    assert information_loss(X, refine(X, bad, 2)) == pytest.approx(3 * 0.005)


def test_refining_moves_people_between_groups_of_unequal_size():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [5.2]])
    better = refine(X, np.array([0, 0, 0, 1, 1]), 2)
    assert better[2] == better[3] == better[4] != better[0]


def test_refining_never_raises_the_loss():
    rng = np.random.default_rng(1)
    for _ in range(60):
        n, d = int(rng.integers(4, 40)), int(rng.integers(1, 60))
        X = rng.integers(0, 4, size=(n, d)).astype(float)
        labels = closest(X, 2, rng)
        assert information_loss(X, refine(X, labels, 2)) <= information_loss(X, labels) + 1e-9


def test_blocks_keep_neighbours_together():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 8)) / np.sqrt(1 + np.arange(8))
    split = blocks(X, 5, 0, block_size=500)
    whole = closest(X, 5, 0)
    anyhow = rng.permutation(np.arange(3000) // 5)
    extra = information_loss(X, split) / information_loss(X, whole)
    assert extra < 1.15
    assert information_loss(X, split) < 0.6 * information_loss(X, anyhow)


def test_blocks_of_a_small_set_are_closest():
    X = np.random.default_rng(3).normal(size=(100, 4))
    np.testing.assert_array_equal(blocks(X, 3, 5), closest(X, 3, 5))


def test_blocks_repeat_with_a_seed_and_survive_identical_faces():
    X = np.random.default_rng(4).normal(size=(600, 4))
    np.testing.assert_array_equal(blocks(X, 3, 5, block_size=100), blocks(X, 3, 5, block_size=100))
    assert (np.bincount(blocks(np.ones((600, 4)), 3, 5, block_size=100)) >= 3).all()


def test_main_direction_is_that_of_the_largest_variance():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 6)) * [1, 1, 5, 1, 1, 1] + 100
    leading = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][0]
    assert abs(leading @ main_direction(X)) > 0.999


@pytest.mark.slow
def test_mdav_loses_less_on_real_people(data):
    """London, Canada and 3DSK: 242 people, one neutral face each."""
    faces = known_faces("london", "canada", "3dsk", root=data)
    faces = faces.where(lambda all_faces, i: all_faces.expression[i] == "neutral")
    X = np.array([_registered(*face) for face in zip(faces.images, faces.landmarks, strict=True)])
    assert X.shape == (242, 99 * 134)
    for k in (2, 3, 5, 10):
        plain = min(information_loss(X, closest(X, k, seed)) for seed in range(3))
        assert information_loss(X, mdav(X, k)) < plain


def _registered(image, landmarks):
    """The face in N's frame, from the pupils (points 0 and 1) and the base of the nose (55)."""
    points = read_points(landmarks)
    five = np.concatenate([points[[0, 1, 55]], points[[0, 1]]])
    return register(read_photo(image).rgb, five, "newton").pixels.ravel().astype(float)
