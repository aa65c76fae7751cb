"""YuNet against OpenCV's own reading of the same network."""

import cv2
import numpy as np
import pytest

from ksame import weights
from ksame.errors import WeightsError
from ksame.vision import yunet
from ksame.vision.images import as_network_input
from ksame.vision.yunet import YuNet


@pytest.mark.parametrize("shape", [(352, 352), (200, 333), (97, 64)])
def test_it_finds_what_opencv_finds(portrait, shape):
    image = cv2.resize(portrait, shape[::-1])
    theirs = cv2.FaceDetectorYN.create(
        str(weights.path("yunet")), "", (shape[1], shape[0]), 0.6, 0.3, 5000
    )
    (row,) = theirs.detect(cv2.cvtColor(image, cv2.COLOR_RGB2BGR))[1]
    (face,) = YuNet().detect(image, 0.6)
    np.testing.assert_allclose(face.box[:2], row[:2], atol=0.02)
    np.testing.assert_allclose(face.box[2:] - face.box[:2], row[2:4], atol=0.02)
    np.testing.assert_allclose(face.points.ravel(), row[4:14], atol=0.02)
    assert face.score == pytest.approx(row[14], abs=1e-3)


@pytest.mark.parametrize("bgr", [False, True])
def test_networks_are_given_what_opencv_gives_them(portrait, bgr):
    image = cv2.resize(portrait, (97, 64))
    np.testing.assert_array_equal(
        as_network_input(image, bgr=bgr), cv2.dnn.blobFromImage(image, swapRB=bgr)
    )


def test_networks_are_given_zeros_beyond_a_picture(portrait):
    image = cv2.resize(portrait, (97, 65))
    padded = cv2.copyMakeBorder(image, 0, 31, 0, 31, cv2.BORDER_CONSTANT)
    np.testing.assert_array_equal(as_network_input(image, multiple=32), as_network_input(padded))


def test_nothing_is_found_where_nothing_is():
    assert len(YuNet().detect(np.full((300, 300, 3), 128, np.uint8), 0.6)) == 0


def test_a_model_that_is_not_the_known_one_is_refused():
    with pytest.raises(WeightsError, match="Install it again"):
        yunet._any_size(b"another model")
