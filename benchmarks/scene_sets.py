"""The photos of each set that ``benchmarks/scenes.py`` releases."""

import csv
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from ksame.media import read_photo
from ksame.vision import find_faces

CROP = 250  # px a side of a crop, as in collections of faces


def albums(data: Path, quick: bool, folder: Path) -> dict[str, list[Path]]:
    """The photos of each set, by the prefix of its keys."""
    with (data / "more.csv").open(newline="", encoding="utf-8") as file:
        scenes = [data / row["file"] for row in csv.DictReader(file) if row["set"] == "scenes"]
    if quick:
        return {"": scenes[::5]}
    with (data / "faces.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    sets = {
        name: [data / row["image"] for row in rows if row["set"] == name]
        for name in ("london", "imm")
    }
    return {"": scenes, **sets, "crops": crops(scenes, folder / "cropped")}


def crops(photos: Sequence[Path], folder: Path) -> list[Path]:
    """One crop for each near face: 2.2 times its size, 250 px a side."""
    folder.mkdir(parents=True)
    paths = []
    for number, path in enumerate(photos):
        rgb = read_photo(path).rgb
        for index, face in enumerate(find_faces(rgb)):
            if face.size < 60 or face.score < 0.85:
                continue
            middle, half = (face.box[:2] + face.box[2:]) / 2, 1.1 * face.size
            x0, y0 = np.clip(np.round(middle - half).astype(int), 0, None)
            x1, y1 = np.round(middle + half).astype(int)
            crop = cv2.resize(rgb[y0:y1, x0:x1], (CROP, CROP), interpolation=cv2.INTER_AREA)
            paths.append(folder / f"{number:04d}-{index:03d}.png")
            cv2.imwrite(str(paths[-1]), crop[..., ::-1])
    return paths
