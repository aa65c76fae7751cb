"""What the listed numbers of a natural release tell inside its groups, number by number.

    python benchmarks/inside_groups.py --release OUT --json FILE

The attacker knows the people of a group, holds another photo of each, and has the private ledger's
numbers of the released photo. Two attackers are compared. One holds photos of the same sitting: the
same light, camera and distance tell as much as the person does. The other holds photos *taken
again*: each original is turned, moved, brought to another size, relit, blurred and made noisy, and
its numbers are measured anew with the face of its group, so that only what belongs to the person is
left. A control permutes the released photos inside their groups: what it scores is chance.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from ksame.attacks.case import Trial
from ksame.attacks.inside import inside_groups
from ksame.attacks.sightings import numbers_row
from ksame.attacks.unaligned import spread_within, weighed
from ksame.codecs.face import EXPRESSION_NAMES, FaceModel
from ksame.media import read_photo
from ksame.render import measure
from ksame.vision import NoLandmarks, find_faces, find_landmarks

Floats = npt.NDArray[np.float64]
Image = npt.NDArray[np.uint8]
KINDS = ("sitting", "again", "permuted")
SIDE = 900  # px of a photo that is taken again: larger ones take long and tell no more
_WEIGHTS = 9 + len(EXPRESSION_NAMES)
# the columns of `numbers_row`
FAMILIES = {
    "size": range(1),
    "turn": range(1, 7),
    "place": range(7, 9),
    "expression": range(9, _WEIGHTS - 2),
    "gaze": range(_WEIGHTS - 2, _WEIGHTS),
    "light_level": (_WEIGHTS, _WEIGHTS + 8, _WEIGHTS + 11),
    "light_shape": (*range(_WEIGHTS + 1, _WEIGHTS + 8), *(_WEIGHTS + n for n in (9, 10, 12, 13))),
    "outline": range(_WEIGHTS + 14, _WEIGHTS + 23),
    "black_blur_grain": range(_WEIGHTS + 23, _WEIGHTS + 28),
    "person": (
        *range(1, 7), *range(9, _WEIGHTS), *range(_WEIGHTS + 1, _WEIGHTS + 8),
        *(_WEIGHTS + n for n in (9, 10, 12, 13)), *range(_WEIGHTS + 14, _WEIGHTS + 23),
    ),
    "all": range(_WEIGHTS + 28),
}  # fmt: skip


def taken_again(rgb: Image, rng: np.random.Generator) -> Image:
    """A photo as another camera would show it, in another light and from a little elsewhere."""
    high, wide = rgb.shape[:2]
    small = min(SIDE / max(high, wide), 1.0)
    size = round(wide * small), round(high * small)
    move = cv2.getRotationMatrix2D(
        (wide / 2, high / 2), rng.uniform(-6, 6), small * rng.uniform(0.75, 1.2)
    )
    move[:, 2] += np.array(size) / 2 - [wide / 2, high / 2] + rng.uniform(-0.06, 0.06, 2) * size
    seen = cv2.warpAffine(rgb, move, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
    bright = (seen.astype(np.float32) / 255) ** np.float32(rng.uniform(0.75, 1.35))
    bright *= np.exp(rng.normal(0, 0.09, 3) + rng.normal(0, 0.2)).astype(np.float32)
    y, x = np.mgrid[: size[1], : size[0]].astype(np.float32)
    way, strength = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.9)
    slope = (x / size[0] - 0.5) * np.cos(way) + (y / size[1] - 0.5) * np.sin(way)
    lit = np.clip(bright * np.exp(strength * slope)[..., None].astype(np.float32) * 255, 0, 255)
    lit = cv2.GaussianBlur(lit, (0, 0), rng.uniform(0.3, 1.2))
    noisy = lit + rng.normal(0, rng.uniform(0, 3), lit.shape)
    return np.clip(np.round(noisy), 0, 255).astype(np.uint8)


def rows_of(out: Path) -> tuple[Floats, Floats, list[str], list[int]]:
    """Numbers of the ledger and of photos taken again, and whose and of which group they are."""
    ledger = json.loads(out.with_name(f"{out.name}.ledger.json").read_text(encoding="utf-8"))
    codes = {group["group"]: np.array(group["code"], np.float32) for group in ledger["groups"]}
    model = FaceModel.load()
    listed, again, persons, groups = [], [], [], []
    for place, entry in enumerate(ledger["faces"]):
        if entry["group"] is None or not entry.get("numbers"):
            continue
        rgb = read_photo(Path(ledger["files"][entry["file"]])).rgb
        photo = taken_again(rgb, np.random.default_rng(place))
        found = list(find_faces(photo, turned=False))
        marks = find_landmarks(photo, found[0]) if len(found) == 1 else NoLandmarks("not alone")
        if isinstance(marks, NoLandmarks):  # several people: which of them would be a guess
            continue
        told = measure(model, photo, marks, codes[entry["group"]])
        listed.append(numbers_row(entry["numbers"], rgb.shape))
        again.append(numbers_row(told.as_json(), photo.shape))
        persons.append(str(entry["person"]))
        groups.append(int(entry["group"]))
    return np.stack(listed), np.stack(again), persons, groups


def rate(probes: Floats, gallery: Floats, persons: list[str], groups: list[int]) -> Any:
    """The rates inside groups; `other` leaves the very photo out."""
    whose = np.array(persons)
    distances = weighed(probes, gallery, spread_within(gallery, whose))
    found = inside_groups(Trial(distances, whose, whose, np.arange(len(whose))), groups)
    if found is None or found.other is None:
        raise SystemExit("nobody has two photos of a single face; take another release")
    return found


def permuted(groups: list[int], rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Photos in another order inside their groups."""
    order = np.arange(len(groups))
    for group in set(groups):
        rows = np.flatnonzero(np.array(groups) == group)
        order[rows] = rng.permutation(rows)
    return order


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--release", type=Path, required=True, help="OUT, its ledger beside it")
    parser.add_argument("--json", type=Path, required=True)
    asked = parser.parse_args()
    listed, again, persons, groups = rows_of(asked.release)
    order = permuted(groups, np.random.default_rng(0))
    figures: dict[str, Any] = {"faces": len(persons)}
    for name, columns in FAMILIES.items():
        a, b = listed[:, list(columns)], again[:, list(columns)]
        sitting, other = rate(a, a, persons, groups), rate(a, b, persons, groups)
        chance = rate(a[order], b, persons, groups)
        figures[f"{name}_sitting"] = sitting.other.as_dict()["rate"]
        figures[f"{name}_again"] = other.other.as_dict()["rate"]
        figures[f"{name}_permuted"] = chance.other.as_dict()["rate"]
        figures["fair"] = other.fair
        print(f"{name:<18}" + "".join(f"{figures[f'{name}_{k}']:>10.3f}" for k in KINDS))
    asked.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
