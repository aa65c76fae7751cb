"""How the pool's faces look when people wear them: ``python -m tools.face_model.worn --data DIR``.

A face that is a woman's on a grey ground may be read as a man's between a person's own hair, in a
photo's light. So every face is rendered into portraits of women and of men who do not exist, and
read there: by what sex, and how old. The file of the model gets what is read, and a new digest.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from safetensors.numpy import load
from tools.face_model.train import write

from ksame.codecs.face import FaceModel
from ksame.codecs.face.storage import FILE
from ksame.faces import Face
from ksame.media import read_photo
from ksame.render import front_mask, measure, render, replace_face
from ksame.vision import Landmarks, find_faces, find_landmarks
from ksame.vision.attributes import attributes_of
from ksame.vision.parts import Parts, find_parts

WEARERS = 4  # of each sex: the mean of more readings hardly differs
AGES = (20, 60)  # years: of children and the old the sex is read less surely
SURE = 0.1  # how far a wearer may be from being read with the own sex
_PROMPT = re.compile(r"(\d+)-year-old (man|woman)")
_SHRUNK = 0.5  # of the portraits' 768 px: faces of about 200 px, as photos have them
# the age of a face is mostly what is read when it is worn; what it was bred for counts as well,
# most for children, whom the network takes for adults
_READ_SHARE, _READ_SHARE_OF_CHILDREN, _CHILD = 0.75, 0.4, 14.0


@dataclass(frozen=True)
class Wearer:
    """A portrait of somebody who does not exist."""

    rgb: npt.NDArray[np.uint8]
    face: Face
    marks: Landmarks
    parts: Parts | None


def wearers(data: Path, sex: str) -> Iterator[Wearer]:
    """Portraits in which one face is found and read as what it was made for."""
    with (data / "more.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["set"] == "nobody/faker"]
    for row in rows:
        told = _PROMPT.search(row["note"])
        if not told or told[2] != sex or not AGES[0] <= int(told[1]) <= AGES[1]:
            continue
        whole = read_photo(data / row["file"]).rgb
        rgb = cv2.resize(whole, None, fx=_SHRUNK, fy=_SHRUNK, interpolation=cv2.INTER_AREA)
        faces = find_faces(rgb)
        marks = find_landmarks(rgb, faces[0]) if len(faces) == 1 else None
        if not isinstance(marks, Landmarks):
            continue
        if abs(attributes_of(rgb, marks).female - (sex == "woman")) <= SURE:
            yield Wearer(rgb, faces[0], marks, find_parts(rgb, [marks.points])[0])


def read_worn(model: FaceModel, code: npt.NDArray[np.float32], by: Wearer) -> tuple[float, float]:
    """The probability of female and the age with which a face is read on somebody; NaN if none."""
    numbers = measure(model, by.rgb, by.marks, code, np.random.default_rng(0), by.parts)
    shown = render(model, code, numbers, (by.rgb.shape[1], by.rgb.shape[0]))
    worn = by.rgb.copy()
    replace_face(worn, shown, front_mask(by.rgb, shown, by.parts))
    marks = find_landmarks(worn, by.face)
    if not isinstance(marks, Landmarks):
        return np.nan, np.nan
    told = attributes_of(worn, marks)
    return told.female, told.age


def main() -> None:
    """The command: rewrites the model's file and its digest."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    model = FaceModel.load()
    women, men = (list(islice(wearers(data, sex), WEARERS)) for sex in ("woman", "man"))
    read = np.array(
        [[read_worn(model, code, by) for by in (*women, *men)] for code in model.faces.codes]
    )
    folder = Path(str(resources.files("ksame.codecs.face")))
    arrays = load((folder / FILE).read_bytes())
    bred = arrays.pop("faces_bred_age", arrays["faces_age"]).astype(np.float64)
    share = np.where(bred < _CHILD, _READ_SHARE_OF_CHILDREN, _READ_SHARE)
    arrays |= {
        "faces_on_women": np.nanmean(read[:, :WEARERS, 0], axis=1).astype(np.float16),
        "faces_on_men": np.nanmean(read[:, WEARERS:, 0], axis=1).astype(np.float16),
        "faces_bred_age": bred.astype(np.float16),
        "faces_age": (bred + share * (np.nanmean(read[..., 1], axis=1) - bred)).astype(np.float16),
    }
    write(arrays, folder / FILE)
    print(len(read), "faces read on", WEARERS, "women and", WEARERS, "men")


if __name__ == "__main__":
    main()
