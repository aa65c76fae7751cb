"""Fitting: gradients by finite differences, every algorithm finds the mesh, failures say why."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from ksame.codecs.aam import Fitting
from ksame.codecs.aam.fit import fit_shape
from ksame.codecs.aam.steps import STEPS, Evidence, occlusion_weights
from ksame.errors import InputError

START = np.array([4.0, -3.0])


def distance(found, truth):
    return np.linalg.norm(found - truth, axis=1).mean()


def test_steepest_descent_images_against_finite_differences(model):
    """On a plane, central differences are exact: d T(W(x; p)) / dp must equal J."""
    template = model.templates_[0]
    rows, columns = np.divmod(template.warp.pixels, template.warp.shape[1])
    plane = np.stack([2.0 * columns - rows, 0.5 * columns + rows], axis=1).astype(np.float32)
    J = template.steepest(plane.ravel())
    grid = template.warp.paint(plane)
    y, x = np.mgrid[: grid.shape[0], : grid.shape[1]]
    grid = np.stack([2.0 * x - y, 0.5 * x + y], axis=2)
    inner = np.repeat((template.warp.neighbours >= 0).all(axis=1), 2)
    step = 0.01
    for d in range(len(template.basis)):
        moved = [
            template.warp.sample(grid, template.warp.points + sign * step * template.basis[d])
            for sign in (1, -1)
        ]
        slope = (moved[0] - moved[1]).ravel() / (2 * step)
        assert_allclose(J[inner, d], slope[inner], atol=1e-3)


def test_composition_undoes_a_small_step(model):
    """Warping by p and then composing with -p's own inverse returns to the template."""
    template = model.templates_[1]
    step = np.random.default_rng(1).normal(0, 0.02, len(template.basis))
    moved = template.warp.points + np.tensordot(step, template.basis, axes=1)
    assert_allclose(template.compose(moved, step), template.warp.points, atol=0.01)


@pytest.mark.parametrize("algorithm", list(STEPS))
@pytest.mark.parametrize("robust", [False, True])
def test_every_algorithm_finds_unseen_faces(model, unseen, small, algorithm, robust):
    fitting = replace(small, algorithm=algorithm, robust=robust)
    for image, truth in zip(unseen.images, unseen.shapes, strict=True):
        found = fit_shape(model.templates_, fitting, image, truth + START)
        assert found.converged, found.reason
        assert distance(found.shape, truth) < 0.25


@pytest.mark.parametrize("algorithm", list(STEPS))
def test_one_step_reduces_the_error(model, unseen, algorithm):
    template = model.templates_[1]
    image, truth = unseen.images[0], unseen.shapes[0]
    features, crop = template.observe(image, truth)
    p, pose = template.shape.encode(crop.inside(truth + 1.0))
    points = template.shape.decode(p, pose)
    error = template.sample(features, points) - template.mean
    before = error.copy()
    zero = np.zeros(len(template.basis))
    seen = Evidence(error, np.zeros(len(template.modes), np.float32), None, zero, zero)
    step = STEPS[algorithm](template, seen)
    after = template.compose(points, step.change)
    assert distance(after, crop.inside(truth)) < 0.6 * distance(points, crop.inside(truth))
    assert_allclose(error, before)  # nothing changes its input


def test_occluded_cells_lose_their_weight(model, unseen):
    template = model.templates_[1]
    image, truth = unseen.images[1].copy(), unseen.shapes[1]
    middle = truth.mean(axis=0).astype(int)
    image[middle[1] - 40 : middle[1], middle[0] - 40 : middle[0]] = 255
    features, crop = template.observe(image, truth)
    error = template.sample(features, crop.inside(truth)) - template.mean
    weights = occlusion_weights(template, error, template.modes @ error)[:: template.channels]
    source = template.warp.source(truth)
    hidden = (source < middle - 4).all(axis=1)
    shown = (source > middle + 4).all(axis=1)
    assert weights[hidden].mean() < 0.5 * weights[shown].mean()


def test_the_robust_variant_survives_occlusion(model, unseen, small):
    rng = np.random.default_rng(4)
    plain, robust = [], []
    for image, truth in zip(unseen.images, unseen.shapes, strict=True):
        covered = image.copy()
        x, y = truth.min(axis=0).astype(int) + rng.integers(0, 25, 2)
        covered[y : y + 34, x : x + 30] = rng.integers(0, 256, (34, 30, 3))
        for errors, on in ((plain, False), (robust, True)):
            fitting = replace(small, robust=on)
            found = fit_shape(model.templates_, fitting, covered, truth + START / 2)
            errors.append(distance(found.shape, truth))
    assert np.mean(robust) < 0.7 * np.mean(plain)
    assert np.mean(robust) < 0.5


def test_background_is_not_a_face(model, small):
    noise = np.random.default_rng(0).integers(0, 256, (150, 170, 3)).astype(np.uint8)
    start = model.shape_.mean * 30 + [85, 75]
    found = fit_shape(model.templates_, small, noise, start)
    assert not found
    assert found.reason


def test_a_start_outside_the_image_says_so(model, unseen, small):
    found = fit_shape(model.templates_, small, unseen.images[0], unseen.shapes[0] + 400)
    assert not found.converged
    assert found.lost
    assert "outside the image" in found.reason


def test_too_few_steps_do_not_count_as_converged(model, unseen, small):
    fitting = replace(small, iterations=(1, 1))
    found = fit_shape(model.templates_, fitting, unseen.images[0], unseen.shapes[0] + START)
    assert not found.converged
    assert "did not settle in 2 steps" in found.reason


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"algorithm": "magic"}, "algorithm='magic' is not one of wiberg"),
        ({"features": "smell"}, "features='smell'"),
        ({"sizes": (40,)}, "same number of levels"),
    ],
)
def test_wrong_settings_are_refused(change, message):
    with pytest.raises(InputError, match=message):
        replace(Fitting(), **change)
