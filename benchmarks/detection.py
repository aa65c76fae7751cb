"""Faces that a release leaves: what detectors find in the originals that take no part in it.

    python benchmarks/detection.py --data DIR [--photos 277] [--release OUT] [--sheets FOLDER]

Releases photos of the set ``scenes`` of DIR with the default options and k = 5 (or takes the
release that is there, with its ledger beside it), and shows the originals to CenterFace, dlib's HOG
detector and to MTCNN. A face of 20 px or more that any of them finds is *left* if less than half of
its middle was changed and the ledger lists no face there. What is left need not be a face, and what
is covered neither: the sheets show everything that is left, and a hundred of what is covered, each
with its surroundings, to be looked at. Faces in the ledger that HOG takes for frontal and that have
no landmarks are shown as well. The sheets show real people: they are private.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from ksame.media import read_photo
from other_detectors import DETECTORS, Box, Image, at_hand, merged, overlap

COUNTED = (20, 24, 32)  # px of the larger side from which on faces are counted
CHANGED = 6  # levels of 255: more than JPEG does
LISTED = 0.2  # intersection over union with a box of the ledger that is the same face
LEAST = 0.5  # of the middle of a face that must be changed
SHOWN = 100  # covered ones on the sheet, drawn by chance
NO_POSE = "its pose cannot be told"  # the ledger's reason for a face without landmarks


def share_changed(before: Image, after: Image, box: Box) -> float:
    """How much of the middle of a face was changed: half of its box, to each side a quarter."""
    middle, half = (box[:2] + box[2:]) / 2, (box[2:] - box[:2]) / 4
    limit = np.array([before.shape[1], before.shape[0]])
    x0, y0 = np.clip(np.floor(middle - half).astype(int), 0, limit - 1)
    x1, y1 = np.clip(np.ceil(middle + half).astype(int), (x0 + 1, y0 + 1), limit)
    apart = cv2.absdiff(before[y0:y1, x0:x1], after[y0:y1, x0:x1]).max(axis=2)
    return float((apart > CHANGED).mean())


def release(photos: Sequence[Path], out: Path) -> None:
    """A release with default options."""
    command = [sys.executable, "-m", "ksame.cli.app", "deidentify", *map(str, photos)]
    command += ["-o", str(out), "-k", "5", "--seed", "1", "--allow-faceless", "--jobs", "1"]
    ended = subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    if ended.returncode not in (0, 3):
        raise SystemExit(f"the release ended with {ended.returncode}")


def told_of(book: dict[str, Any], name: str, box: Box) -> str:
    """What the ledger says of a place: a face, a doubtful detection, or nothing."""
    faces = [np.array(face["box"]) for face in book["faces"] if face["file"] == name]
    doubts = [np.array(other) for other in book["ignored"].get(name, ())]
    for boxes, what in ((faces, "a face"), (doubts, "a doubtful detection")):
        if any(overlap(box, other) > LISTED for other in boxes):
            return what
    return "not found"


def crop(rgb: Image, box: Box, side: int = 160) -> Any:
    """A face with as much around it, to be looked at."""
    middle, half = (box[:2] + box[2:]) / 2, float((box[2:] - box[:2]).max())
    scale = side / (2 * half)
    move = np.array([[scale, 0, side / 2 - scale * middle[0]],
                     [0, scale, side / 2 - scale * middle[1]]])  # fmt: skip
    return cv2.warpAffine(rgb, move, (side, side), flags=cv2.INTER_AREA)


class Sheets:
    """Tiles under a few headings, with numbers, written as pictures."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.tiles: dict[str, list[Any]] = {}

    def add(self, name: str, *pictures: Any) -> None:
        """One row entry: crops beside each other, numbered."""
        row = self.tiles.setdefault(name, [])
        tile = np.ascontiguousarray(np.hstack(pictures))
        cv2.putText(tile, str(len(row)), (4, 20), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (255, 255, 0), 2)
        row.append(tile)

    def write(self, wide: int = 1600) -> None:
        """Write each heading to a picture of its own."""
        for name, tiles in self.tiles.items() if self.folder else ():
            across = max(wide // tiles[0].shape[1], 1)
            tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % across)
            rows = [np.hstack(tiles[n : n + across]) for n in range(0, len(tiles), across)]
            assert self.folder is not None
            cv2.imwrite(str(self.folder / f"{name}.png"), np.vstack(rows)[..., ::-1])


def look(book: dict[str, Any], out: Path, sheets: Sheets) -> Counter[str]:
    """Count what each detector finds and the release leaves."""
    counts, covered, names = Counter[str](), [], at_hand()
    for released, original in sorted(book["files"].items()):
        before, after = read_photo(Path(original)).rgb, read_photo(out / released).rgb
        each = {name: DETECTORS[name](before) for name in names}
        by: dict[int, list[str]] = {}
        everything = merged([found for one in each.values() for found in one])
        for n, (_, box) in enumerate(everything):
            by[n] = [w for w, f in each.items() if any(overlap(box, b) >= 0.3 for _, b in f)]
        for n, (score, box) in enumerate(everything):
            size = float((box[2:] - box[:2]).max())
            told, share = told_of(book, released, box), share_changed(before, after, box)
            left = share < LEAST and told != "a face"
            for least in (each for each in COUNTED if size >= each):
                for who in (*by[n], "any"):
                    counts[f"{who} from {least} px"] += 1
                    counts[f"{who} from {least} px, left"] += left
            if size >= COUNTED[0]:
                if left:
                    at = len(sheets.tiles.get("left", ()))
                    who = "+".join(by[n])
                    print(f"left {at}: {size:.0f} px, {who} {score:.2f}, {told}, {share:.2f}")
                    sheets.add("left", crop(before, box), crop(after, box))
                else:
                    covered.append((before, box))
        frontal(book, released, before, each["hog"], counts, sheets)
    draw = np.random.default_rng(0)
    for n in draw.permutation(len(covered))[:SHOWN]:
        sheets.add("covered", crop(*covered[n], 100))
    return counts


def frontal(
    book: dict[str, Any],
    released: str,
    before: Image,
    found: Sequence[tuple[float, Box]],
    counts: Counter[str],
    sheets: Sheets,
) -> None:
    """Count the nearly frontal faces, as HOG sees them, that have no landmarks.

    What HOG finds is the face of the ledger that it fits best: in crowds, boxes of neighbours meet.
    """
    faces = [face for face in book["faces"] if face["file"] == released]
    boxes = [np.array(face["box"]) for face in faces]
    seen = set()
    for _, other in found:
        shares = [overlap(box, other) for box in boxes]
        if shares and max(shares) > LISTED:
            seen.add(int(np.argmax(shares)))
    for i in sorted(seen):
        counts["nearly frontal"] += 1
        if faces[i]["reason"] == NO_POSE:
            counts["nearly frontal, no landmarks"] += 1
            sheets.add("frontal", crop(before, boxes[i]))


def main() -> None:
    """Release, look, count, and show."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--photos", type=int, default=277)
    parser.add_argument("--release", type=Path)
    parser.add_argument("--sheets", type=Path)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    with (chosen.data / "more.csv").open(newline="", encoding="utf-8") as file:
        scenes = [row["file"] for row in csv.DictReader(file) if row["set"] == "scenes"]
    step = max(len(scenes) // chosen.photos, 1)
    photos = [chosen.data / name for name in scenes[::step][: chosen.photos]]
    sheets = Sheets(chosen.sheets)
    with tempfile.TemporaryDirectory() as name:
        out = chosen.release or Path(name) / "out"
        if not out.exists():
            release(photos, out)
        book = json.loads(out.with_name(f"{out.name}.ledger.json").read_text())
        counts = look(book, out, sheets)
    print(f"{len(book['files'])} photos released, asked: {', '.join(at_hand())}")
    for key in sorted(counts):
        print(f"{key}: {counts[key]}")
    if chosen.json:
        chosen.json.write_text(json.dumps(counts, indent=1))
    sheets.write()


if __name__ == "__main__":
    main()
