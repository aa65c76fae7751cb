"""A model as one file: NumPy's own archive, no pickle, with a format version and a checksum.

The header is JSON; the checksum covers it and every array's name, type, shape and bytes. Nothing
in the file is executed on reading.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ksame.arrays import Array, Arrays
from ksame.codecs.aam.appearance import AppearanceModel, Light
from ksame.codecs.aam.fit import Fitting
from ksame.codecs.aam.model import ActiveAppearanceModel
from ksame.codecs.aam.shape import ShapeModel
from ksame.codecs.aam.start import BoxPlace
from ksame.codecs.aam.template import Template
from ksame.codecs.aam.warp import PiecewiseAffine, frame
from ksame.errors import InputError, MediaError
from ksame.files import replacing

_LEVEL = ("mean", "modes", "variances", "spread")  # what a level of the fitting has learned
FORMAT = "ksame-aam"
VERSION = 1

_BROKEN_ARCHIVE = (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error)


def save_model(model: ActiveAppearanceModel, path: Path) -> None:
    """Write a trained model; a reader never sees half a file."""
    if not hasattr(model, "appearance_"):
        raise InputError("this model is not trained; call fit(images, shapes) before save.")
    arrays = _arrays(model)
    header = json.dumps(_header(model), sort_keys=True)
    arrays["header"] = np.frombuffer(header.encode(), dtype=np.uint8)
    arrays["checksum"] = np.frombuffer(_digest(arrays), dtype=np.uint8)
    with replacing(path, mode=None, clear_times=False) as hidden, hidden.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def load_model(path: Path) -> ActiveAppearanceModel:
    """Read a model; MediaError where the file is missing, foreign, newer or altered."""
    arrays = _read(path)
    if not {"header", "checksum"} <= arrays.keys():
        raise MediaError(f"{path} is not a {FORMAT} file; give one that save wrote.")
    if arrays["checksum"].tobytes() != _digest(arrays):
        raise MediaError(
            f"{path} was altered: its checksum does not match. Train or copy it again."
        )
    header = json.loads(arrays["header"].tobytes().decode())
    if header["format"] != FORMAT or header["version"] != VERSION:
        raise MediaError(
            f"{path} has format {header['format']} version {header['version']}; this release reads "
            f"{FORMAT} version {VERSION}. Train it again, or use the release that wrote it."
        )
    return _model(header, arrays)


def _read(path: Path) -> Arrays:
    """All arrays of an archive; each one's CRC is checked, pickled objects are refused."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            return {
                name.removesuffix(".npy"): _array(archive.read(name)) for name in archive.namelist()
            }
    except FileNotFoundError:
        raise MediaError(f"{path} does not exist; train a model and save it there.") from None
    except (OSError, ValueError, EOFError, KeyError, *_BROKEN_ARCHIVE) as why:
        raise MediaError(
            f"{path} cannot be read as a model ({type(why).__name__}): it is cut short, altered or "
            "of another kind. Train or copy it again."
        ) from None


def _array(content: bytes) -> Array:
    return np.asarray(np.lib.format.read_array(io.BytesIO(content), allow_pickle=False))


def _digest(arrays: Arrays) -> bytes:
    """SHA-256 over all arrays but the checksum itself, in the order of their names."""
    total = hashlib.sha256()
    for name in sorted(arrays.keys() - {"checksum"}):
        array = np.ascontiguousarray(arrays[name])
        total.update(f"{name}|{array.dtype.str}|{array.shape}|".encode())
        total.update(array.data)
    return total.digest()


def _header(model: ActiveAppearanceModel) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "size": model.size,
        "colour": model.colour,
        "shape_variance": model.shape_variance,
        "texture_variance": model.texture_variance,
        "fitting": asdict(model.fitting),
        "box": asdict(model.box_),
        "light": asdict(model.appearance_.light),
        "weight": model.weight_,
        "shape_total": model.shape_.total_variance,
        "texture_total": model.appearance_.total_variance,
    }


def _arrays(model: ActiveAppearanceModel) -> Arrays:
    finest = max(model.templates_, key=lambda template: len(template.shape))
    arrays: Arrays = {
        "triangles": model.mesh_.triangles,
        "shape_mean": model.shape_.mean,
        "shape_modes": model.shape_.modes,
        "shape_variances": model.shape_.variances,
        "fit_modes": finest.shape.modes,
        "fit_variances": finest.shape.variances,
        "texture_mean": model.appearance_.mean,
        "texture_modes": model.appearance_.modes,
        "texture_variances": model.appearance_.variances,
    }
    for number, template in enumerate(model.templates_):
        for name in _LEVEL:
            arrays[f"level{number}_{name}"] = getattr(template, name)
    return arrays


def _model(header: dict[str, Any], arrays: Arrays) -> ActiveAppearanceModel:
    given: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in header["fitting"].items()
    }
    fitting = Fitting(**given)
    model = ActiveAppearanceModel(
        size=header["size"],
        colour=header["colour"],
        shape_variance=header["shape_variance"],
        texture_variance=header["texture_variance"],
        fitting=fitting,
    )
    triangles, mean = arrays["triangles"], arrays["shape_mean"]
    model.shape_ = ShapeModel(
        mean=mean,
        modes=arrays["shape_modes"],
        variances=arrays["shape_variances"],
        total_variance=header["shape_total"],
    )
    model.appearance_ = AppearanceModel(
        mean=arrays["texture_mean"],
        modes=arrays["texture_modes"],
        variances=arrays["texture_variances"],
        total_variance=header["texture_total"],
        light=Light(**header["light"]),
    )
    points, grid = frame(mean, model.size)
    model.mesh_ = PiecewiseAffine(points, triangles, grid)
    full = ShapeModel(
        mean=mean,
        modes=arrays["fit_modes"],
        variances=arrays["fit_variances"],
        total_variance=header["shape_total"],
    )
    model.templates_ = tuple(
        Template(
            shape=full.truncated(modes),
            triangles=triangles,
            size=size,
            features=fitting.features,
            **{name: arrays[f"level{level}_{name}"] for name in _LEVEL},
        )
        for level, (size, modes) in enumerate(zip(fitting.sizes, fitting.shape_modes, strict=True))
    )
    model.box_ = BoxPlace(**header["box"])
    model.weight_ = header["weight"]
    return model
