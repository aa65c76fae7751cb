"""The pool of faces that the model draws from: bred, vetted, and stored with their embeddings."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tools.face_model.breed import Parents
from tools.face_model.sources import Reading, read_people
from tools.face_model.vet import STEP, Gallery, Search, fill, limit_of

from ksame.codecs.face.model import FaceModel

Arrays = dict[str, npt.NDArray[Any]]

SETS = ("london", "canada", "3dsk", "imm")


def reference_people(data: Path, kept: Path) -> tuple[Reading, npt.NDArray[np.int64]]:
    """Real people whom no face may resemble, and the number of each picture's person."""
    with (data / "faces.csv").open(newline="", encoding="utf-8") as file:
        rows = {
            r["image"]: f"{r['set']} {r['person']}"
            for r in csv.DictReader(file)
            if r["set"] in SETS
        }
    real = read_people(data, list(rows), kept, masks=False)
    return real, np.unique([rows[str(n)] for n in real.names], return_inverse=True)[1]


def with_pool(
    arrays: Arrays, people: Reading, data: Path, kept: Path, tries: int, jobs: int = 1
) -> Arrays:
    """The arrays of the file: parents are replaced by the faces that passed."""
    # one layout in memory, so that sums are added in one order
    arrays = {name: np.ascontiguousarray(value) for name, value in arrays.items()}
    parents = Parents(
        *(arrays[f"pool_{n}"].astype(np.float32) for n in ("codes", "female", "age", "tone"))
    )
    rest = {name: value for name, value in arrays.items() if not name.startswith("pool_")}
    real, person = reference_people(data, kept)
    limits = {name: limit_of(name, getattr(real, name), person) for name in ("sface", "dlib")}
    number = np.full(len(people.names) + len(person), -1)
    number[arrays["pool_rows"]] = np.arange(len(parents.codes))
    gallery = Gallery(
        {n: np.concatenate([getattr(people, n), getattr(real, n)]) for n in limits}, number
    )
    model = FaceModel(
        rest | _stored([parents.codes[0]], *[[0.5]] * 3, *[[np.zeros(128)]] * 2, limits)
    )
    found = fill(Search(model, parents, gallery, limits, tries), jobs)
    print("limits", limits, "kept", len(found.codes), "of", tries, "tries a kind")
    return rest | _stored(
        found.codes, found.female, found.age, found.tone, found.sface, found.dlib, limits
    )


def _stored(
    codes: Any, female: Any, age: Any, tone: Any, sface: Any, dlib: Any, limits: dict[str, float]
) -> Arrays:
    return {
        "faces_codes": np.rint(np.stack(codes) / STEP).clip(-127, 127).astype(np.int8),
        "faces_step": np.array([STEP], np.float32),
        # until they are worn (`tools.face_model.worn`)
        "faces_on_women": np.array(female, np.float16),
        "faces_on_men": np.array(female, np.float16),
        "faces_age": np.array(age, np.float16),
        "faces_tone": np.array(tone, np.float16),
        # until they are looked at (`tools.face_model.flaws`)
        "faces_flaws": np.zeros(len(codes), np.uint8),
        "faces_sface": np.stack(sface).astype(np.float16),
        "faces_dlib": np.stack(dlib).astype(np.float16),
        "faces_limits": np.array([limits["sface"], limits["dlib"]], np.float32),
    }
