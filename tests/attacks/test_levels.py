"""Reading an alteration from the altered face alone, and undoing pixelation."""

import cv2
import numpy as np
import pytest

from ksame.attacks.enhance import enhance
from ksame.attacks.levels import (
    Level,
    apply_level,
    blur,
    find_blur,
    find_level,
    find_pixelation,
    pixelate,
)
from ksame.errors import InputError


@pytest.fixture(scope="module")
def face():
    """A picture with the spectrum of photographs (power 1 / f^2) and some grain."""
    rng = np.random.default_rng(5)
    f = np.hypot(np.fft.fftfreq(134)[:, None], np.fft.fftfreq(99)[None, :])
    f[0, 0] = 1.0
    picture = np.fft.ifft2(np.fft.fft2(rng.standard_normal((134, 99))) / f).real
    picture = 128 + 45 * picture / picture.std()
    return np.clip(picture, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("block", [2, 3, 4, 5, 8, 15, 20])
def test_blocks_are_found_from_the_probe_alone(face, block):
    assert find_pixelation(pixelate(face, block)) == block
    assert find_level(pixelate(face, block)) == Level("pixelate", float(block))


def test_blocks_survive_jpeg(face):
    coded = cv2.imencode(".jpg", pixelate(face, 8), [cv2.IMWRITE_JPEG_QUALITY, 85])[1]
    assert find_pixelation(cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE)) == 8


@pytest.mark.parametrize("sigma", [3.0, 5.0, 8.0])
def test_sigma_is_found_within_a_quarter(face, sigma):
    assert find_blur(blur(face, sigma)) == pytest.approx(sigma, rel=0.25)
    assert find_level(blur(face, sigma)).kind == "blur"


def test_an_unaltered_or_empty_face_has_no_level(face):
    assert find_level(face).kind == "none"
    assert find_pixelation(np.zeros((40, 40), np.uint8)) == 1
    assert find_pixelation(np.dstack([face] * 3)) == 1


def test_pixelation_is_the_mean_of_each_block(face):
    out = pixelate(face.astype(float), 10)
    np.testing.assert_allclose(out[:10, :10], face[:10, :10].mean())
    np.testing.assert_allclose(out[130:, 90:], face[130:, 90:].mean())
    assert pixelate(face, 10).dtype == np.uint8


def test_a_found_level_can_be_applied_to_the_gallery(face):
    altered = pixelate(face, 6)
    np.testing.assert_array_equal(apply_level(face, find_level(altered)), altered)
    assert apply_level(face, Level("none")) is face


@pytest.mark.parametrize("block", [2, 4])
def test_enhancement_brings_a_pixelated_face_closer_to_the_original(face, block):
    smooth = blur(face, 2.0).astype(float)
    rough = pixelate(smooth, block)
    sharp = enhance(rough[None], block)[0]
    assert np.square(sharp - smooth).mean() < 0.5 * np.square(rough - smooth).mean()
    # It invents nothing: the blocks keep their means.
    assert np.abs(pixelate(sharp, block) - rough).max() < 3.0


def test_enhancement_rules(face):
    assert enhance(face[None], 1).shape == (1, 134, 99)
    with pytest.raises(InputError, match="larger than the faces"):
        enhance(face[None], 200)
    with pytest.raises(InputError, match="grey faces"):
        enhance(face, 4)
