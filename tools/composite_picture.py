"""Makes docs/images/composite.jpg: synthetic people, and three ways to release them.

python tools/composite_picture.py
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from ksame.datasets import demo_people
from ksame.release import Plan, run
from readme_picture import square

RELEASES: tuple[tuple[str, str], ...] = (
    ("m", "strict"),
    ("furthest", "strict"),
    ("furthest", "natural"),
)
SIDE = 200


def main() -> None:
    """Three people of one group of closest people, three others; neutral photos."""
    album = demo_people()
    labels = str(album.paths[0].parent / "people.csv")
    plain = {
        person: str(path)
        for person, path, shown in zip(album.persons, album.paths, album.expression, strict=True)
        if shown == "neutral"
    }
    with tempfile.TemporaryDirectory() as folder:
        made = []
        for n, (method, mode) in enumerate(RELEASES):
            out = Path(folder) / str(n)
            chosen = {"persons": labels, "select": ("gender",), "seed": 1}
            release = run(Plan(album.paths, out, 5, method, composite=mode, **chosen))
            made.append((release.out, json.loads(release.ledger.read_text())))
        people = _chosen(made[0][1])
        rows = [np.hstack([square(plain[person], SIDE) for person in people])]
        rows += [_row(out, ledger, [plain[person] for person in people]) for out, ledger in made]
    target = Path(__file__).parents[1] / "docs/images/composite.jpg"
    cv2.imwrite(str(target), np.vstack(rows), [cv2.IMWRITE_JPEG_QUALITY, 88])


def _chosen(ledger: dict[str, Any]) -> list[str]:
    """Three people of the first group, and one of each of three others."""
    first, *others = (sorted(group["people"]) for group in ledger["groups"])
    return [*first[:3], *(group[0] for group in others[:3])]


def _row(out: Path, ledger: dict[str, Any], originals: list[str]) -> NDArray[np.uint8]:
    released = {original: name for name, original in ledger["files"].items()}
    return np.hstack([square(out / released[original], SIDE) for original in originals])


if __name__ == "__main__":
    main()
