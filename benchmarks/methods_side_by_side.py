"""The bench on London and on faces of real life: every method beside `deface`, in one table.

    python benchmarks/methods_side_by_side.py --data DIR -o OUT [--docs PAGE ...] [--quick]

Gallery and probes are two photos of each of London's people, and photos of the people whom
``scenes`` names who have two or more photos with one near face each, cut at 2.2 times its size as
collections of faces are. `deface` must be on PATH (``make bench``).
"""

import argparse
import csv
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import cv2
import numpy as np

from ksame.media import read_photo
from ksame.vision import find_faces

NEAR = 60  # px: smaller faces are bystanders
CROP = 250  # px a side, as in collections of faces
# in parts, each of which takes some minutes; every part shows the ones before it as well
METHODS = (
    "none,deface,pixelate:15,blur:8",
    "suppress:10,k-diff-furthest:5,pixel:5,eigen:5",
    "m:5,furthest:5,wrong-map:5",
    "nobody:5",
    "proxy:5",
)
ATTACKS = "naive,parrot,trained,linear-head,furthest-original,informed"


def people_csv(data: Path, folder: Path, quick: bool) -> Path:
    """A people.csv of London's photos and of crops of the named people of scenes."""
    table = folder / "people.csv"
    rows: list[tuple[str, str, str]] = []
    with (data / "faces.csv").open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if row["set"] == "london":
                rows.append((str(data / row["image"]), row["person"], row["expression"]))
    rows += _scenes(data, folder)
    if quick:
        some = set(sorted({person for _, person, _ in rows})[::2])
        rows = [row for row in rows if row[1] in some]
    with table.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(("image", "person", "expression"))
        writer.writerows(rows)
    return table


def _scenes(data: Path, folder: Path) -> list[tuple[str, str, str]]:
    """Crops of the people who are named alone on two photos or more, the first as gallery."""
    with (data / "more.csv").open(newline="", encoding="utf-8") as stream:
        named = [
            (data / row["file"], row["person"])
            for row in csv.DictReader(stream)
            if row["set"] == "scenes" and row["person"] and ";" not in row["person"]
        ]
    found = []
    for number, (path, person) in enumerate(named):
        rgb = read_photo(path).rgb
        near = [face for face in find_faces(rgb) if face.size >= NEAR]
        if len(near) != 1:
            continue
        middle, half = (near[0].box[:2] + near[0].box[2:]) / 2, 1.1 * near[0].size
        x0, y0 = np.clip(np.round(middle - half).astype(int), 0, None)
        x1, y1 = np.round(middle + half).astype(int)
        crop = cv2.resize(rgb[y0:y1, x0:x1], (CROP, CROP), interpolation=cv2.INTER_AREA)
        cv2.imwrite(str(folder / f"{number:04d}.png"), crop[..., ::-1])
        found.append((str(folder / f"{number:04d}.png"), person))
    counts = Counter(person for _, person in found)
    seen: set[str] = set()
    rows = []
    for path, person in found:
        if counts[person] > 1:
            rows.append((path, person, "other" if person in seen else "neutral"))
            seen.add(person)
    return rows


def main() -> None:
    """Make the set, run the bench on it, and say how many people it has."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--docs", type=Path, action="append", default=[])
    parser.add_argument("--part", type=int, help="one part of the methods, from 0")
    parser.add_argument("--quick", action="store_true", help="every second person")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    found = given.out / "bench.json"
    parts = METHODS if given.part is None else METHODS[given.part : given.part + 1]
    with tempfile.TemporaryDirectory() as name:
        table = people_csv(given.data, Path(name), given.quick)
        for methods in parts:
            command = [sys.executable, "-m", "ksame.cli.app", "bench", methods]
            command += ["--attacks", ATTACKS, "--data", str(table), "-o", str(given.out)]
            command += ["--with", str(found)] if found.is_file() else []
            command += [part for page in given.docs for part in ("--docs", str(page))]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
