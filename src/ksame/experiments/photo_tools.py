"""Tools that work on photos, as methods of the bench: every crop is given to them as a photo.

What a tool leaves unaltered stays unaltered in the bench as well; what it withholds is black.
"""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from ksame.arrays import Image
from ksame.attacks.bench import Alter, Rows
from ksame.errors import InputError, MediaError
from ksame.recognition.contract import FaceImages


def release(method: str, k: int, seed: int = 0) -> Alter:
    """`ksame.deidentify` with a method, k and otherwise default options."""

    def alter(faces: FaceImages, people: Rows) -> FaceImages:
        from ksame.release import deidentify

        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            photos = _write(np.asarray(faces), folder / "photos")
            _write_people(folder / "people.csv", photos, people)
            out = folder / "release"
            deidentify(
                photos, out, k, method=method, persons=folder / "people.csv", seed=seed, jobs=1
            )
            ledger = json.loads((folder / "release.ledger.json").read_text(encoding="utf-8"))
            released = {Path(source).name: out / file for file, source in ledger["files"].items()}
            return _read(photos, released, np.asarray(faces))

    return alter


def deface() -> Alter:
    """The program `deface` with its default options; it must be on PATH.

    Raises
    ------
    InputError
        It is not installed.
    """
    program = shutil.which("deface")
    if program is None:
        raise InputError(
            "method 'deface' runs the program deface, which is not on PATH. Install it into an "
            "environment of its own (make bench) and add that environment's bin to PATH."
        )

    def alter(faces: FaceImages, people: Rows) -> FaceImages:
        with tempfile.TemporaryDirectory() as name:
            photos = _write(np.asarray(faces), Path(name))
            ran = subprocess.run([program, *map(str, photos)], capture_output=True, check=False)
            made = {p.name: p.with_name(f"{p.stem}_anonymized{p.suffix}") for p in photos}
            if ran.returncode or not all(path.is_file() for path in made.values()):
                raise MediaError(f"deface ended with code {ran.returncode} and left photos out.")
            return _read(photos, made, np.asarray(faces))

    return alter


def _write(faces: Image, folder: Path) -> list[Path]:
    """Crops as photos without loss."""
    folder.mkdir(exist_ok=True)
    photos = [folder / f"{number:05d}.png" for number in range(len(faces))]
    for path, face in zip(photos, faces, strict=True):
        if not cv2.imwrite(str(path), np.ascontiguousarray(face[..., ::-1])):
            raise MediaError("a crop could not be written to the folder of temporary files.")
    return photos


def _write_people(path: Path, photos: Sequence[Path], people: Rows) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(("image", "person"))
        writer.writerows(
            (f"{photo.parent.name}/{photo.name}", f"p{person}")
            for photo, person in zip(photos, people, strict=True)
        )


def _read(photos: Sequence[Path], made: dict[str, Path], like: Image) -> Image:
    """What became of each photo, in order; black where nothing did."""
    out = np.zeros_like(like)
    for row, photo in enumerate(photos):
        if photo.name in made:
            found = cv2.imread(str(made[photo.name]), cv2.IMREAD_COLOR)
            if found is None or found.shape != like.shape[1:]:
                raise MediaError("a tool wrote a photo of another size, or none that can be read.")
            out[row] = found[..., ::-1]
    return out
