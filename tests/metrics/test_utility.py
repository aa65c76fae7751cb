"""Utility: classifiers that never see a person twice, likeness, and the choice of k."""

import numpy as np
import pytest

from ksame.errors import InputError
from ksame.metrics.intervals import rate
from ksame.metrics.utility import (
    OperatingPoint,
    advise,
    classification_accuracy,
    inseparable,
    most_folds,
    psnr,
    ssim,
)


@pytest.fixture
def data():
    """60 people x 2 faces; a class signal, and a far stronger sign of the person."""
    rng = np.random.default_rng(0)
    persons = np.repeat(np.arange(60), 2)
    labels = np.where(persons % 2, "f", "m")
    faces = rng.standard_normal((120, 40))
    faces[:, 0] += np.where(labels == "f", 2.5, -2.5)
    return faces, labels, persons


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_class_that_shows_is_found(data, kernel):
    assert classification_accuracy(*data, kernel=kernel).value > 0.9


def test_people_are_never_split_across_folds(data):
    _, labels, persons = data
    # The person is perfectly visible and says nothing about other people's class.
    faces = np.repeat(np.random.default_rng(1).standard_normal((60, 40)), 2, axis=0)
    apart = classification_accuracy(faces, labels, persons, keep_apart=False).value
    leaked = classification_accuracy(faces, labels, persons=None, keep_apart=False).value
    assert apart < 0.65
    assert leaked > apart


def test_noise_that_groups_share_is_at_chance():
    """One image of pure noise for every group of five: it says nothing about anybody's class."""
    rng = np.random.default_rng(2)
    labels = np.repeat(["f", "m"], 200)
    noise = rng.standard_normal((80, 300)).repeat(5, axis=0)
    honest = classification_accuracy(noise, labels, np.arange(400))
    assert honest.overall.low < 0.5 < honest.overall.high
    assert honest.overall.people == 80
    # divided by people alone, copies of a training face are in the test fold
    assert classification_accuracy(noise, labels, np.arange(400), keep_apart=False).value > 0.95


def test_whoever_shares_a_tested_face_is_not_learned_from():
    """Trained on originals of pure noise, tested on their means: there is nothing to learn."""
    rng = np.random.default_rng(3)
    labels = np.repeat(["f", "m"], 200)
    originals = rng.standard_normal((400, 300))
    means = originals.reshape(80, 5, 300).mean(axis=1).repeat(5, axis=0)
    honest = classification_accuracy(originals, labels, test_faces=means)
    assert honest.overall.low < 0.5 < honest.overall.high
    careless = classification_accuracy(originals, labels, test_faces=means, keep_apart=False)
    assert careless.value > 0.9


def test_faces_that_cannot_be_separated():
    faces = np.array([0.0, 0, 1, 2, 3, 3])[:, None]
    persons = ["a", "b", "b", "c", "d", "e"]
    found = inseparable(faces, persons, persons)
    assert found[0] == found[1] == found[2]
    assert found[4] == found[5]
    assert len(set(found.tolist())) == 3
    by_people = inseparable(faces, persons, persons, keep_apart=False)
    assert len(set(by_people.tolist())) == 5
    labels = ["x", "x", "x", "y", "y", "y"]
    assert most_folds(faces, labels, persons) == 0
    assert most_folds(faces, labels, persons, keep_apart=False) == 2


def test_test_faces_stand_in_for_the_release(data):
    faces, labels, persons = data
    blank = np.zeros_like(faces)
    found = classification_accuracy(faces, labels, persons, test_faces=blank, keep_apart=False)
    assert found.overall.value == pytest.approx(0.5, abs=0.15)
    assert len(found.folds) == 5


def test_too_few_people_are_named(data):
    faces, labels, persons = data
    with pytest.raises(InputError, match="5 folds need 2 classes"):
        classification_accuracy(faces[:6], labels[:6], persons[:6])
    with pytest.raises(InputError, match="one of each"):
        classification_accuracy(faces, labels[:5], persons)


def test_likeness_by_hand():
    a = np.full((20, 20), 100.0)
    assert psnr(a, a) == np.inf
    assert psnr(a, a + 10) == pytest.approx(10 * np.log10(255**2 / 100))
    assert ssim(a, a) == pytest.approx(1.0)
    c1 = (0.01 * 255) ** 2
    # Constant images have no variance: only the luminance term is left.
    assert ssim(a, a + 50) == pytest.approx((2 * 100 * 150 + c1) / (100**2 + 150**2 + c1))
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 40, (32, 32, 3))
    picture = np.clip(rng.normal(120, 50, (32, 32, 3)), 0, 255)
    assert ssim(picture, picture + noise) < ssim(picture, picture + noise / 10) < 1
    with pytest.raises(InputError, match="equal in size"):
        ssim(a, a[:10])


def point(k, hits, trials=200):
    return OperatingPoint(k, 1 / k, rate(hits, trials), utility=0.9, loss=float(k))


def test_smallest_k_by_proof_and_by_measurement():
    found = advise([point(20, 1), point(2, 90), point(10, 8), point(5, 30)], target=0.05)
    assert (found.proven, found.measured) == (20, 10)
    assert [p.k for p in found.points] == [2, 5, 10, 20]
    nothing = advise([point(2, 90)], target=0.05)
    assert (nothing.proven, nothing.measured) == (None, None)
    few = advise([point(3, 0, trials=6)], target=0.05)
    assert few.measured is None
    with pytest.raises(InputError, match="target"):
        advise([], 1.5)
