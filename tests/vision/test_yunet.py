"""The detector gives the same with either library."""

import sys

import numpy as np
import pytest

from ksame.vision import yunet
from ksame.vision.yunet import run_yunet

Image = np.ndarray


@pytest.mark.parametrize("shape", [(352, 352), (200, 333), (97, 64)])
def test_both_libraries_find_the_same(portrait: Image, shape: tuple[int, int]) -> None:
    import cv2

    image = cv2.resize(portrait, shape[::-1])
    found = run_yunet(image, 0.6)
    other = yunet._by_opencv(image, 0.6)
    assert len(found) == len(other) == 1
    np.testing.assert_allclose(found, other, atol=0.02)


def test_nothing_is_found_where_nothing_is() -> None:
    assert run_yunet(np.full((300, 300, 3), 128, np.uint8), 0.6).shape == (0, 15)


def test_opencv_finds_them_without_onnxruntime(
    portrait: Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert yunet._session() is None
    monkeypatch.setattr(yunet, "network", lambda name, build: build())
    assert len(run_yunet(portrait, 0.6)) == 1


def test_the_runtime_is_named() -> None:
    name, version = yunet.runtime().split()
    assert name in ("onnxruntime", "opencv")
    assert version[0].isdigit()
