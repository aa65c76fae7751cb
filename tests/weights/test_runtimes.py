"""Networks give the same whichever library runs them."""

import os
import threading

import cv2
import numpy as np
import pytest

from ksame import weights
from ksame.errors import WeightsError
from ksame.weights import runtimes
from ksame.weights import session as module
from ksame.weights.onnx_files import with_one_input, with_plain_activations
from ksame.weights.runtimes import LiteRtSession, OnnxSession, OpenCvSession
from ksame.weights.session import network, session

TFLITE = {
    "landmarks": ((1, 256, 256, 3), ("Identity", "Identity_1"), 0.05),
    "selfie": ((1, 256, 256, 3), ("activation_10",), 1e-3),
    "blendshapes": ((1, 146, 2), ("StatefulPartitionedCall:0",), 1e-3),
}


@pytest.mark.parametrize("model", TFLITE)
def test_litert_and_opencv_agree(model, capfd):
    shape, outputs, allowed = TFLITE[model]
    values = np.random.default_rng(0).random(shape, np.float32)
    content = weights.path(model).read_bytes()
    found = LiteRtSession(content).run(values, outputs)
    other = OpenCvSession(content).run(values, outputs)
    for ours, theirs in zip(found, other, strict=True):
        np.testing.assert_allclose(ours.ravel(), theirs.ravel(), atol=allowed)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("model", "side"), [("gender", 32), ("age", 64)])
def test_onnx_runtime_and_opencv_agree(model, side):
    blob = np.random.default_rng(0).random((1, 3, side, side), np.float32)
    net = cv2.dnn.readNetFromONNX(str(weights.path(model)))
    net.setInput(blob)
    (found,) = session(model).run(blob, ())
    np.testing.assert_allclose(found.ravel(), net.forward().ravel(), atol=1e-5)


def test_opencv_runs_tflite_files_where_litert_is_missing(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: name != "ai_edge_litert")
    monkeypatch.setattr(module, "network", lambda name, build: build())
    shape, outputs, _ = TFLITE["selfie"]
    found = session("selfie")
    assert isinstance(found, OpenCvSession)
    assert found.run(np.zeros(shape, np.float32), outputs)[0].size == 256 * 256


@pytest.mark.parametrize(("model", "library"), [("age", "onnxruntime"), ("selfie", "ai-edge-lit")])
def test_a_session_names_its_library(model, library):
    name, version = session(model).runtime.split()
    assert name.startswith(library) or name == "opencv"
    assert version[0].isdigit()


@pytest.mark.parametrize("model", ["landmarks", "yunet"])
def test_a_library_is_named_without_a_session(monkeypatch, model):
    built = session(model).runtime
    monkeypatch.setattr(module, "network", None)
    assert module.runtime_of(model) == built


def test_a_network_is_built_once_in_each_thread():
    built = []

    def build():
        built.append(threading.get_ident())
        return object()

    def use():
        assert network("test only", build) is network("test only", build)

    use()
    other = threading.Thread(target=use, daemon=True)
    other.start()
    other.join(60)
    assert len(set(built)) == len(built) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_network_of_before_a_fork_is_built_anew(monkeypatch):
    before = network("test fork", object)
    monkeypatch.setattr(module.os, "getpid", lambda: -1)  # as in the child
    assert network("test fork", object) is not before


def test_weights_that_are_listed_as_inputs_are_taken_off_the_list():
    content = weights.path("sface").read_bytes()
    repaired = with_one_input(content, "data")
    assert len(repaired) < len(content)
    blob = np.zeros((1, 3, 112, 112), np.float32)
    assert OnnxSession(repaired).run(blob, ())[0].shape == (1, 128)
    assert with_one_input(repaired, "data") == repaired


@pytest.mark.parametrize("content", [b"", b"not a model at all", bytes(50), b"\x3a\x7f\x01"])
def test_what_is_no_model_is_refused(content):
    with pytest.raises(WeightsError, match="Install it again"):
        with_one_input(content, "data")


def test_plain_activations_say_the_same(monkeypatch):
    content = with_one_input(weights.path("sface").read_bytes(), "data")
    plain = with_plain_activations(content)
    assert b"PRelu" in content
    assert b"PRelu" not in plain
    assert with_plain_activations(plain) == plain
    blob = np.random.default_rng(0).random((1, 3, 112, 112), np.float32) * 255
    (found,) = OnnxSession(content).run(blob, ())
    monkeypatch.setattr(runtimes, "with_plain_activations", lambda model: model)
    np.testing.assert_allclose(found, OnnxSession(content).run(blob, ())[0], atol=1e-6)


def test_a_model_without_such_activations_is_not_copied():
    content = weights.path("gender").read_bytes()
    assert with_plain_activations(content) is content


def test_an_input_that_is_not_there_is_refused():
    with pytest.raises(WeightsError, match="no input 'pixels'"):
        with_one_input(weights.path("sface").read_bytes(), "pixels")


def test_stderr_is_given_back_when_building_fails(capfd):
    def fail():
        with runtimes._without_its_greeting():
            os.write(2, b"greeting")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    os.write(2, b"after")
    assert capfd.readouterr().err == "after"
