"""Read pictures of people: landmarks, looks, embeddings and which pixels show bare skin.

Reading takes a fifth of a second a picture, so what was read is kept in a folder of the user's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from tools.face_model.skin_classes import skin_classes

from ksame.vision import (
    blendshapes,
    embed_dlib,
    embed_sface,
    find_faces,
    find_landmarks,
    gender_age,
)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Reading:
    """What one picture says: arrays with one row per person, in the order of the files."""

    names: npt.NDArray[np.str_]
    points: npt.NDArray[np.float32]  # (n, 478, 3), photo pixels
    units: npt.NDArray[np.float32]  # (n, 52), MediaPipe's blendshape coefficients
    female: npt.NDArray[np.float32]
    age: npt.NDArray[np.float32]
    sface: npt.NDArray[np.float32]  # (n, 128)
    dlib: npt.NDArray[np.float32]  # (n, 128)
    classes: npt.NDArray[np.uint8]  # (n, 256, 256, 4): hair, skin, other, rest
    places: npt.NDArray[np.float32]  # (n, 2, 3): photo pixels to those of `classes`


def read_picture(path: Path) -> npt.NDArray[np.uint8]:
    """A picture as RGB."""
    bgr = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    return cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB)


def read_people(folder: Path, names: Iterable[str], kept: Path, *, masks: bool = True) -> Reading:
    """Read the pictures `names` of `folder`, or take what an earlier run kept of the same ones."""
    wanted = sorted(names)
    digest = hashlib.sha256("\n".join([*wanted, str(masks)]).encode()).hexdigest()[:16]
    file = kept / f"read-{digest}.npz"
    if not file.is_file():
        kept.mkdir(parents=True, exist_ok=True)
        np.savez(file, allow_pickle=False, **_read(folder, wanted, masks))
    with np.load(file, allow_pickle=False) as arrays:
        return Reading(**{field.name: arrays[field.name] for field in fields(Reading)})


def _read(folder: Path, names: list[str], masks: bool) -> dict[str, Any]:
    rows: dict[str, list[Any]] = {field.name: [] for field in fields(Reading)}
    for name in names:
        rgb = read_picture(folder / name)
        row = _read_one(rgb, masks)
        if row is None:
            continue
        rows["names"].append(name)
        for key, value in row.items():
            rows[key].append(value)
    return {
        key: np.array(values) if key == "names" else np.stack(values)
        for key, values in rows.items()
    }


def _read_one(rgb: npt.NDArray[np.uint8], masks: bool) -> dict[str, Any] | None:
    """All but the name, of the largest face; None where no face is found."""
    faces = find_faces(rgb, finest=1280)
    if not faces:
        return None
    face = faces[0]
    found = find_landmarks(rgb, face)
    looks = gender_age(rgb, face)
    if not found or not looks:
        return None
    centre = (face.box[:2] + face.box[2:]) / 2
    half = 0.95 * face.size
    scale = 256 / (2 * half)
    place = np.array(
        [[scale, 0, -scale * (centre[0] - half)], [0, scale, -scale * (centre[1] - half)]]
    )
    classes = (
        skin_classes(cv2.warpAffine(rgb, place, (256, 256), flags=cv2.INTER_AREA))
        if masks
        else np.zeros((1, 1, 4), np.uint8)
    )
    return {
        "points": np.column_stack([found.points, found.depth]).astype(np.float32),
        "units": blendshapes(found.points).astype(np.float32),
        "female": np.float32(looks.female),
        "age": np.float32(looks.age),
        "sface": embed_sface(rgb, face).astype(np.float32),
        "dlib": embed_dlib(rgb, face).astype(np.float32),
        "classes": classes,
        "places": place.astype(np.float32),
    }
