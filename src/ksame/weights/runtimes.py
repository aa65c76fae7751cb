"""The libraries that run networks, each behind the same two members.

ONNX Runtime runs ONNX files. LiteRT runs TFLite files; where it has no wheel, OpenCV does, at half
the speed and with the same numbers up to rounding (docs/vision.md has the times). All work in one
thread: photos are shared out among processes.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, Protocol

import numpy as np

from ksame.arrays import Floats32
from ksame.weights.onnx_files import with_plain_activations

_ERRORS_ONLY = 3  # ONNX Runtime's level of log messages


class Session(Protocol):
    """One network, ready to run."""

    @property
    def runtime(self) -> str:
        """Which library runs it, with its version: what rounding depends on."""
        ...

    def run(self, values: Floats32, outputs: Sequence[str]) -> list[Floats32]:
        """The named outputs for one input."""
        ...


class Runtime(Protocol):
    """A library that runs networks: makes sessions of the bytes of files, and has a name."""

    @property
    def runtime(self) -> str:
        """What its sessions are called."""
        ...

    def __call__(self, model: bytes, /) -> Session:
        """A network, ready to run."""
        ...


class _Installed:
    """The name and version of a library, of its sessions and of their class alike."""

    def __init__(self, name: str, package: str) -> None:
        self._name, self._package = name, package

    def __get__(self, _session: object, _owner: object = None) -> str:
        return f"{self._name} {version(self._package)}"


class OnnxSession:
    """An ONNX file in ONNX Runtime; pictures are given as (1, 3, h, w)."""

    runtime = _Installed("onnxruntime", "onnxruntime")

    def __init__(self, model: bytes) -> None:
        onnxruntime = _without_telemetry()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = _ERRORS_ONLY
        # weights that are stored as bytes become numbers once, and not in every run
        options.add_session_config_entry("session.disable_quant_qdq", "1")
        self._session = onnxruntime.InferenceSession(
            with_plain_activations(model), options, providers=["CPUExecutionProvider"]
        )
        self._input = self._session.get_inputs()[0].name

    def run(self, values: Floats32, outputs: Sequence[str]) -> list[Floats32]:
        """The named outputs; all of them where none is named."""
        answer: list[Floats32] = self._session.run(list(outputs) or None, {self._input: values})
        return answer


class LiteRtSession:
    """A TFLite file in LiteRT; pictures are given as (1, h, w, 3)."""

    runtime = _Installed("ai-edge-litert", "ai-edge-litert")

    def __init__(self, model: bytes) -> None:
        from ai_edge_litert.interpreter import Interpreter

        self._interpreter: Any = Interpreter(model_content=model, num_threads=1)
        first = self._interpreter.get_input_details()[0]
        self._input, self._shape = first["index"], tuple(first["shape"].tolist())
        self._ready = False
        self._places = {d["name"]: d["index"] for d in self._interpreter.get_output_details()}

    def run(self, values: Floats32, outputs: Sequence[str]) -> list[Floats32]:
        """The named outputs."""
        if not self._ready or values.shape != self._shape:
            self._prepare(values.shape)
        self._interpreter.set_tensor(self._input, values)
        self._interpreter.invoke()
        return [self._interpreter.get_tensor(self._places[name]) for name in outputs]

    def _prepare(self, shape: tuple[int, ...]) -> None:
        """Make room for inputs of a shape; those that a network does not take raise ValueError."""
        if shape != self._shape:
            self._interpreter.resize_tensor_input(self._input, shape, strict=False)
        with _without_its_greeting():
            self._interpreter.allocate_tensors()
        self._shape, self._ready = shape, True


class OpenCvSession:
    """A TFLite file in OpenCV; pictures are given as (1, h, w, 3)."""

    runtime = _Installed("opencv", "opencv-python-headless")

    def __init__(self, model: bytes) -> None:
        import cv2

        self._net: Any = cv2.dnn.readNetFromTFLite(np.frombuffer(model, np.uint8))

    def run(self, values: Floats32, outputs: Sequence[str]) -> list[Floats32]:
        """The named outputs."""
        picture = values.ndim == 4
        self._net.setInput(
            np.ascontiguousarray(values.transpose(0, 3, 1, 2)) if picture else values
        )
        return [np.asarray(answer, np.float32) for answer in self._net.forward(list(outputs))]


def _without_telemetry() -> Any:
    """ONNX Runtime, which sends nothing to its maker.

    Its wheels do so by default from 1.31 on: they make up a lasting number for the machine, write
    it to the user's folder, and tell of every network that is loaded. The variable must be set
    before the library is loaded; where an application has loaded it, what it still can send is
    turned off.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime


@contextmanager
def _without_its_greeting() -> Iterator[None]:
    """Without the line that LiteRT writes to the process's stderr; it has no switch for it."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
