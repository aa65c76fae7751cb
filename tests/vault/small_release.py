"""A release that needs no networks: pictures of noise with boxes for faces, blacked out."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from ksame.vault import Contents, find_locks, make_vault, open_vault, write_pair

# who is where: file -> (person or None, box); the two of pair.jpg overlap
PHOTOS = {
    "000001.png": [("ada", (4, 6, 20, 26))],
    "000002.jpg": [("ada", (2, 3, 18, 23)), ("bob", (14, 8, 30, 28))],
    "000003.jpg": [("bob", (5, 5, 25, 25)), (None, (30, 2, 40, 12))],
    "000004.png": [],
    "000005.png": [("eve", (10, 10, 30, 30))],
}
SIZE = (36, 48)  # height and width


@dataclass(frozen=True)
class Small:
    """A release, its vault, and what opens it."""

    root: Path
    out: Path
    path: Path
    key: Path
    book: dict

    @property
    def locks(self):
        return find_locks(self.key)

    def open(self):
        return open_vault(self.path, self.locks)

    def original(self, name):
        """The pixels of an original, and its bytes."""
        path = Path(self.book["files"][name])
        with Image.open(path) as image:
            return np.array(image.convert("RGB")), path.read_bytes()

    def released(self, name):
        with Image.open(self.out / name) as image:
            return np.array(image.convert("RGB"))


def canonical(value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def build(root: Path, photos=PHOTOS, seed=0) -> tuple[Path, dict]:
    """The folder of a release with its certificate, and its ledger."""
    draw = np.random.default_rng(seed)
    out = root / "out"
    out.mkdir(parents=True)
    originals, faces, files = {}, [], {}
    for name, people in photos.items():
        rgb = draw.integers(1, 256, (*SIZE, 3), dtype=np.uint8)
        place = root / "photos" / (people[0][0] or "nobody" if people else "wall") / name
        place.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rgb).save(place, quality=95)
        with Image.open(place) as image:
            changed = np.array(image.convert("RGB"))
        for person, box in people:
            x0, y0, x1, y1 = box
            changed[y0:y1, x0:x1] = 0
            faces.append(_face(name, person, box))
        Image.fromarray(changed).save(out / name, quality=95)
        files[name] = str(place)
        originals[name] = hashlib.sha256(place.read_bytes()).hexdigest()
    certificate = {
        "format": "ksame-certificate-2",
        "files": {n: hashlib.sha256((out / n).read_bytes()).hexdigest() for n in photos},
    }
    certificate["digest"] = canonical(certificate)
    (out / "certificate.json").write_text(json.dumps(certificate))
    book = {
        "format": "ksame-ledger-2",
        "certificate": certificate["digest"],
        "job": "0123",
        "files": files,
        "originals": originals,
        "faces": faces,
        "groups": [{"group": 0, "people": ["ada", "bob", "eve"], "others": [], "donors": ["eve"]}],
        "withheld": [{"file": str(root / "photos" / "ada" / "broken.jpg"), "reason": "broken"}],
        "uncertain": [],
    }
    return out, book


def _face(name, person, box):
    points = [[box[0] + 3.25, box[1] + 4.5]] * 5
    told = {"file": name, "box": list(map(float, box)), "points": points, "person": person}
    return {**told, "group": 0, "hidden": None if person else list(box), "numbers": None}


def seal(root: Path, out: Path, book: dict, locks) -> Path:
    """The vault of a release."""
    path = root / "out.vault"
    make_vault(path, locks, Contents(book, out, root / "sealed", 10**6))
    return path


def small_release(root: Path, photos=PHOTOS, seed=0) -> Small:
    out, book = build(root, photos, seed)
    write_pair(root / "key")
    path = seal(root, out, book, find_locks(root / "key.pub"))
    return Small(root, out, path, root / "key", book)
