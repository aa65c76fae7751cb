"""Runs the TFLite models: with LiteRT where it is installed, else with OpenCV, at half the speed.

Both take and give the same numbers up to rounding.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ksame import weights
from ksame.vision.networks import network

Floats32 = npt.NDArray[np.float32]
Run = Callable[[Floats32], list[Floats32]]


def run_tflite(model: str, values: Floats32, outputs: Sequence[str]) -> list[Floats32]:
    """The named outputs of a model of the manifest; pictures are given as (1, h, w, 3)."""
    run: Run = network(f"tflite {model}", partial(_build, model, tuple(outputs)))
    return run(values)


@cache
def runtime() -> str:
    """Which library runs the models, with its version: what rounding depends on."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"ai-edge-litert {version('ai-edge-litert')}"
    except PackageNotFoundError:
        return f"opencv {version('opencv-python-headless')}"


def _build(model: str, outputs: Sequence[str]) -> Run:
    path = str(weights.path(model))
    try:
        from ai_edge_litert.interpreter import Interpreter
    except ImportError:
        return _with_opencv(path, outputs)
    # one thread: photos are shared out among processes
    return _with_litert(Interpreter(model_path=path, num_threads=1), outputs)


def _with_litert(interpreter: Any, outputs: Sequence[str]) -> Run:
    with _quiet():
        interpreter.allocate_tensors()
    entry = interpreter.get_input_details()[0]["index"]
    places = {one["name"]: one["index"] for one in interpreter.get_output_details()}

    def run(values: Floats32) -> list[Floats32]:
        interpreter.set_tensor(entry, values)
        interpreter.invoke()
        return [interpreter.get_tensor(places[name]) for name in outputs]

    return run


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the line that LiteRT writes to stderr whatever it is told."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _with_opencv(path: str, outputs: Sequence[str]) -> Run:
    import cv2

    net = cv2.dnn.readNetFromTFLite(path)

    def run(values: Floats32) -> list[Floats32]:
        picture = values.ndim == 4
        net.setInput(np.ascontiguousarray(values.transpose(0, 3, 1, 2)) if picture else values)
        return [np.asarray(answer, np.float32) for answer in net.forward(list(outputs))]

    return run
