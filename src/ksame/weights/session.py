"""Networks of the manifest, ready to run: which library runs them is decided here alone."""

import os
import threading
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar, cast

from ksame.weights.locate import path
from ksame.weights.manifest import WEIGHTS
from ksame.weights.runtimes import LiteRtSession, OnnxSession, OpenCvSession, Runtime, Session

T = TypeVar("T")
Prepare = Callable[[bytes], bytes]
_kept = threading.local()

RUNTIMES: Mapping[str, tuple[tuple[str, Runtime], ...]] = {
    ".onnx": (("onnxruntime", OnnxSession),),
    ".tflite": (("ai_edge_litert", LiteRtSession), ("cv2", OpenCvSession)),
}
"""By the ending of a model file: packages with what runs the file by them, the best first."""


def session(name: str, prepare: Prepare | None = None) -> Session:
    """The network of a name of the manifest: built on first use in this thread of this process.

    ``prepare`` changes the bytes of the model file before it is read; the file itself is checked
    against its pinned sha256 first. It is a function of a module: its name tells sessions apart.

    Raises
    ------
    WeightsError
        The weight file is missing, truncated or altered.
    """
    changed = f" {prepare.__module__}.{prepare.__qualname__}" if prepare else ""
    return network(f"session {name}{changed}", partial(_build, name, prepare))


def runtime_of(name: str) -> str:
    """Which library runs the network of a name, with its version; no network is built for it."""
    return _runtime(Path(WEIGHTS[name].filename).suffix).runtime


def network(name: str, build: Callable[[], T]) -> T:
    """Whatever is called ``name``: built on first use in this thread of this process.

    Networks keep their buffers inside, so two threads must not share one; and one that was built
    before a fork is not used after it.
    """
    if getattr(_kept, "process", None) != os.getpid():
        _kept.process, _kept.networks = os.getpid(), {}
    if name not in _kept.networks:
        _kept.networks[name] = build()
    return cast(T, _kept.networks[name])


def _build(name: str, prepare: Prepare | None) -> Session:
    file = path(name)
    model = file.read_bytes()
    return _runtime(file.suffix)(model if prepare is None else prepare(model))


def _runtime(suffix: str) -> Runtime:
    """The library for a kind of file: the first that is installed."""
    return next(runtime for package, runtime in RUNTIMES[suffix] if find_spec(package))
