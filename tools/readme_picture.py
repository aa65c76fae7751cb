"""Makes docs/images/before-after.jpg: synthetic people, their natural and their strict release.

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
from ksame.release import Plan, run

SHOWN = ("p006", "p029", "p020", "p007", "p002", "p013")
WISHED = ("smile", "neutral")
SIDE = 256


WAYS: tuple[dict[str, Any], ...] = (
    {"select": ("gender",)},
    {"composite": "strict", "select": ("gender",)},
)


def main() -> None:
    """De-identify all built-in people in both ways and show six of them, side by side."""
    album = demo_people()
    labels = str(album.paths[0].parent / "people.csv")
    rows: list[list[NDArray[np.uint8]]] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, options in enumerate(WAYS):
            plan = Plan(
                album.paths, Path(folder) / f"out{number}", 5, persons=labels, seed=1, **options
            )
            release = run(plan)
            pairs = _chosen(json.loads(release.ledger.read_text()), album)
            if not rows:
                rows.append([square(original) for _, original in pairs])
            rows.append([square(release.out / name) for name, _ in pairs])
    target = Path(__file__).parents[1] / "docs/images/before-after.jpg"
    target.parent.mkdir(exist_ok=True)
    picture = np.vstack([np.hstack(row) for row in rows])
    cv2.imwrite(str(target), picture, [cv2.IMWRITE_JPEG_QUALITY, 88])


def _chosen(ledger: dict[str, Any], album: DemoPeople) -> list[tuple[str, str]]:
    """Pairs of a released file and its original, smiling and neutral in turn."""
    labels = zip(album.persons, album.expression, strict=True)
    label = {str(path): shown for path, shown in zip(album.paths, labels, strict=True)}
    released = {label[original]: (name, original) for name, original in ledger["files"].items()}
    return [released[person, WISHED[i % 2]] for i, person in enumerate(SHOWN)]


def square(path: str | Path, side: int = SIDE) -> NDArray[np.uint8]:
    """A photo as a square of some pixels."""
    return cv2.resize(cv2.imread(str(path)), (side, side), interpolation=cv2.INTER_AREA)


if __name__ == "__main__":
    main()
