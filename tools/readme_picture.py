"""Makes docs/images/before-after.jpg: synthetic people above, their release below.

python tools/readme_picture.py
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ksame.datasets import DemoPeople, demo_people
from ksame.release import Plan, deidentify

SHOWN = ("smile", "neutral", "smile", "neutral", "smile", "neutral")
SIDE = 256


def main() -> None:
    """De-identify all built-in people and show six of them, each from another group."""
    album = demo_people()
    with tempfile.TemporaryDirectory() as folder:
        labels = str(album.paths[0].parent / "people.csv")
        plan = Plan(album.paths, Path(folder) / "out", 5, "furthest", persons=labels, seed=1)
        release = deidentify(plan)
        ledger = json.loads(release.ledger.read_text())
        columns = [
            np.vstack([_square(original), _square(release.out / name)])
            for name, original in _chosen(ledger, album)
        ]
    target = Path(__file__).parents[1] / "docs/images/before-after.jpg"
    target.parent.mkdir(exist_ok=True)
    cv2.imwrite(str(target), np.hstack(columns), [cv2.IMWRITE_JPEG_QUALITY, 88])


def _chosen(ledger: dict[str, Any], album: DemoPeople) -> list[tuple[str, str]]:
    """Pairs of a released file and its original: one per group, with the wished expressions."""
    expression = {str(path): e for path, e in zip(album.paths, album.expression, strict=True)}
    groups, chosen = set(), []
    for face in sorted(ledger["faces"], key=lambda face: face["person"]):
        original = ledger["files"][face["file"]]
        wished = len(chosen) < len(SHOWN) and expression[original] == SHOWN[len(chosen)]
        if wished and face["group"] not in groups:
            groups.add(face["group"])
            chosen.append((face["file"], original))
    return chosen


def _square(path: str | Path) -> NDArray[np.uint8]:
    return cv2.resize(cv2.imread(str(path)), (SIDE, SIDE), interpolation=cv2.INTER_AREA)


if __name__ == "__main__":
    main()
