"""The models give the same with either library."""

import numpy as np
import pytest

from ksame import weights
from ksame.vision import tflite

CASES = {
    "landmarks": ((1, 256, 256, 3), ("Identity", "Identity_1"), 0.05),
    "selfie": ((1, 256, 256, 3), ("activation_10",), 1e-3),
    "blendshapes": ((1, 146, 2), ("StatefulPartitionedCall:0",), 1e-3),
}


@pytest.mark.parametrize("model", CASES)
def test_both_libraries_agree(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    shape, outputs, allowed = CASES[model]
    values = np.random.default_rng(0).random(shape, np.float32)
    found = tflite.run_tflite(model, values, outputs)
    other = tflite._with_opencv(str(weights.path(model)), outputs)(values)
    for ours, theirs in zip(found, other, strict=True):
        np.testing.assert_allclose(ours.ravel(), theirs.ravel(), atol=allowed)
    assert capfd.readouterr().err == ""


def test_opencv_runs_them_without_litert(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "ai_edge_litert.interpreter", None)
    shape, outputs, _ = CASES["selfie"]
    run = tflite._build("selfie", outputs)
    assert run(np.zeros(shape, np.float32))[0].size == 256 * 256


def test_the_runtime_is_named() -> None:
    name, version = tflite.runtime().split()
    assert name in ("ai-edge-litert", "opencv")
    assert version[0].isdigit()
