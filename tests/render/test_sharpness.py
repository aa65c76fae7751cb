"""How sharp a photo is around a face: told by how much of its edges a known blur takes."""

import cv2
import numpy as np
import pytest

from ksame.render.sharpness import blur_of, softness_of

PLACES = np.array([[40.0, 40.0], [160.0, 160.0]])


@pytest.fixture
def edges():
    """Edges in all directions, as sharp as an area sensor sees them."""
    rng = np.random.default_rng(4)
    large = np.full((800, 800, 3), 128, np.uint8)
    for _ in range(60):
        corner, shade = rng.integers(0, 700, 2), int(rng.integers(0, 255))
        cv2.ellipse(
            large, corner.tolist(), (90, 60), float(rng.integers(180)), 0, 360, [shade] * 3, -1
        )
    return cv2.resize(large, (200, 200), interpolation=cv2.INTER_AREA)


@pytest.mark.parametrize("sigma", [1.0, 1.5, 2.0, 3.0])
def test_a_blur_is_told(edges, sigma):
    blurred = cv2.GaussianBlur(edges, (0, 0), sigma)
    assert softness_of(blurred, PLACES) == pytest.approx(np.hypot(sigma, 0.5), rel=0.25)


@pytest.mark.parametrize("sigma", [0.0, 1.5])
def test_noise_changes_little(edges, sigma):
    rng = np.random.default_rng(5)
    soft = edges if sigma == 0 else cv2.GaussianBlur(edges, (0, 0), sigma)
    noisy = np.clip(soft + rng.normal(0, 4, soft.shape), 0, 255).astype(np.uint8)
    assert softness_of(noisy, PLACES) == pytest.approx(softness_of(soft, PLACES), abs=0.2)


def test_without_edges_nothing_is_told(edges):
    assert softness_of(np.full_like(edges, 90), PLACES) is None
    assert softness_of(edges, np.array([[0.0, 0.0], [4.0, 4.0]])) is None
    assert blur_of(None, 40.0) == 0


def test_a_softer_photo_gets_a_softer_face(edges):
    told = [
        blur_of(softness_of(cv2.GaussianBlur(edges, (0, 0), sigma), PLACES), 40.0)
        for sigma in (0.3, 1.0, 2.0, 4.0)
    ]
    assert told == sorted(told)
    assert told[0] < told[1] < told[2] < told[3]
    assert blur_of(0.6, 40.0) <= 0
