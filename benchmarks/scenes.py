"""The product on photographs of real life: what recognisers still know, what stays, how fast.

    python benchmarks/scenes.py --json FILE --data DIR [--quick] [--keep DIR]

Runs ``ksame deidentify`` with its default options and k = 5 on the sets ``scenes``, ``london`` and
``imm`` of DIR, and on crops around single faces of ``scenes`` as face collections hold them. Every
replaced face of at least 40 px is compared with all original faces of its set, the same photo's
included, by SFace and by dlib. ``deface`` (``make bench``) gets the same photos for the clock.

Keys without a prefix are those of ``scenes``; the others begin with their set's name.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from ksame.media import read_photo
from ksame.vision import (
    Face,
    Landmarks,
    blendshapes,
    embed_dlib,
    embed_sface,
    expression_class,
    find_faces,
    find_landmarks,
    measure_looks,
)
from scene_sets import albums

ROOT = Path(__file__).parents[1]
DEFACE = ROOT / ".venv-deface" / "bin" / "deface"
KNOWN = 40  # px: smaller faces tell recognisers nothing
COUNTED = 24  # px: what must be replaced or refused
FALSE_ACCEPTS = 0.001
EMBED: dict[str, Callable[[Any, Face], npt.NDArray[np.float64]]] = {
    "sface": embed_sface,
    "dlib": embed_dlib,
}
Figures = dict[str, Any]


@dataclass(frozen=True)
class Seen:
    """A face in the original and, if it was replaced, in the release."""

    file: str
    size: float
    vectors: dict[str, npt.NDArray[np.float64]] = field(repr=False)
    replaced: bool
    hidden: bool
    released: dict[str, npt.NDArray[np.float64]] = field(repr=False)
    before: Any = field(default=None, repr=False)
    after: Any = field(default=None, repr=False)


def main() -> None:
    """Run all sets and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--quick", action="store_true", help="every fifth photo, scenes alone")
    parser.add_argument("--keep", type=Path, help="folder for released photos and ledgers")
    chosen = parser.parse_args()
    figures: Figures = {}
    with nullcontext(chosen.keep) if chosen.keep else tempfile.TemporaryDirectory() as name:
        for prefix, photos in albums(chosen.data, chosen.quick, Path(name)).items():
            found = benchmark(photos, Path(name) / (prefix or "scenes"))
            figures |= {f"{prefix}_{key}" if prefix else key: v for key, v in found.items()}
            chosen.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    for key, value in figures.items():
        print(f"{key:<36}{value:.3f}" if isinstance(value, float) else f"{key:<36}{value}")


def benchmark(photos: Sequence[Path], folder: Path) -> Figures:
    """Every figure of one set."""
    out = folder / "out"
    folder.mkdir(parents=True, exist_ok=True)
    seconds = run_ksame(photos, out)
    figures: Figures = {"photos": len(photos), "photos_per_second": len(photos) / seconds}
    if DEFACE.is_file():
        theirs = run_deface(photos, folder / "deface")
        figures["deface_photos_per_second"] = len(photos) / theirs
        figures["speedup_vs_deface"] = theirs / seconds
    else:
        print("deface is not installed (make bench); its figures are left out", file=sys.stderr)
    ledger = json.loads(out.with_name(f"{out.name}.ledger.json").read_text(encoding="utf-8"))
    figures["withheld_share"] = 1 - len(ledger["files"]) / len(photos)
    faces = look(photos, ledger, out)
    return figures | recognised(faces) | coverage(faces, len(photos)) | utility(faces)


def run_ksame(photos: Sequence[Path], out: Path) -> float:
    """Seconds of a release with default options."""
    command = [sys.executable, "-m", "ksame.cli.app", "deidentify", *map(str, photos)]
    return timed([*command, "-o", str(out), "-k", "5", "--seed", "1", "--json"], (0, 3))


def run_deface(photos: Sequence[Path], folder: Path) -> float:
    """Seconds of deface with its defaults; it writes beside its inputs.

    It gets plain RGB copies, because it ends at photos with transparency.
    """
    folder.mkdir()
    for number, path in enumerate(photos):
        copy = folder / f"{number:05d}.jpg"
        cv2.imwrite(str(copy), read_photo(path).rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 92])
    return timed([str(DEFACE), *(str(path) for path in sorted(folder.iterdir()))], (0,))


def timed(command: list[str], fine: tuple[int, ...]) -> float:
    """Seconds of a command; anything but a fine exit code ends the benchmark."""
    start = time.perf_counter()
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode not in fine:
        raise SystemExit(f"{command[0]} failed ({ran.returncode}): {ran.stderr[-2000:]}")
    return time.perf_counter() - start


def look(photos: Sequence[Path], ledger: Figures, out: Path) -> list[Seen]:
    """All faces of the originals, found anew, with what became of them."""
    names = {Path(source).resolve(): name for name, source in ledger["files"].items()}
    faces: list[Seen] = []
    for path in photos:
        name = names.get(path.resolve())
        if name is None:  # withheld: nothing of it is released
            continue
        rgb, released = read_photo(path).rgb, read_photo(out / name).rgb
        entries = [entry for entry in ledger["faces"] if entry["file"] == name]
        after = find_faces(released)
        for face in find_faces(rgb):
            faces.append(compare(name, rgb, released, face, entries, after))
    return faces


def compare(
    name: str,
    rgb: npt.NDArray[np.uint8],
    released: npt.NDArray[np.uint8],
    face: Face,
    entries: Sequence[Figures],
    after: Sequence[Face],
) -> Seen:
    """One original face and what the release shows in its place."""
    entry = max(entries, key=lambda e: overlap(face.box, np.array(e["box"])), default=None)
    known = entry is not None and overlap(face.box, np.array(entry["box"])) > 0.3
    replaced = known and entry["group"] is not None
    same = max(after, key=lambda other: overlap(face.box, other.box), default=None)
    there = same if same is not None and overlap(face.box, same.box) > 0.3 else face
    vectors = {n: e(rgb, face) for n, e in EMBED.items()} if face.size >= COUNTED else {}
    shown = replaced and face.size >= KNOWN
    return Seen(
        name,
        face.size,
        vectors,
        replaced,
        bool(known and not replaced),
        {n: e(released, there) for n, e in EMBED.items()} if shown else {},
        looks(rgb, face) if shown else None,
        looks(released, there) if shown else None,
    )


def overlap(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> float:
    """Intersection over union of two boxes."""
    shared = np.clip(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0, None).prod()
    return float(shared / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - shared))


def looks(rgb: npt.NDArray[np.uint8], face: Face) -> Figures | None:
    """What should stay: expression, pose, sex, age and tone; None without landmarks."""
    marks = find_landmarks(rgb, face)
    if not isinstance(marks, Landmarks):
        return None
    told = measure_looks(rgb, face, marks)
    return {
        "expression": expression_class(blendshapes(marks.points)),
        "yaw": angle(marks, 234, 454),
        "pitch": angle(marks, 10, 152),
        "female": told.female,
        "age": told.age,
        "tone": told.tone,
    }


def angle(marks: Landmarks, first: int, second: int) -> float:
    """The turn in degrees of the line between two points, out of the picture's plane."""
    across = float(np.hypot(*(marks.points[second] - marks.points[first])))
    return float(np.degrees(np.arctan2(marks.depth[second] - marks.depth[first], across)))


def recognised(faces: Sequence[Seen]) -> Figures:
    """Rank-1 and 1:1 at 0.1% false accepts, of every replaced face against all original ones."""
    known = [n for n, face in enumerate(faces) if face.vectors]
    probes = [n for n in known if faces[n].released]
    figures: Figures = {"faces_compared": len(probes)}
    own = np.array([known.index(n) for n in probes])
    for name in EMBED:
        gallery = np.stack([faces[n].vectors[name] for n in known])
        shown = np.stack([faces[n].released[name] for n in probes])
        apart, strangers = distances(shown, gallery), distances(gallery, gallery)
        limit = np.quantile(strangers[np.triu_indices(len(gallery), 1)], FALSE_ACCEPTS)
        figures[f"rank1_{name}"] = float((apart.argmin(axis=1) == own).mean())
        figures[f"accepted_{name}"] = float((apart[np.arange(len(own)), own] < limit).mean())
    return figures


def distances(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Between all rows of two arrays."""
    squared = (a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1)[None] - 2 * a @ b.T
    return np.sqrt(np.maximum(squared, 0))


def coverage(faces: Sequence[Seen], photos: int) -> Figures:
    """What was neither replaced nor hidden among faces of more than 24 px."""
    counted = [face for face in faces if face.size > COUNTED]
    left = [face for face in counted if not (face.replaced or face.hidden)]
    return {
        "faces": len(counted),
        "unreplaced_share": len(left) / max(len(counted), 1),
        "hidden_share": sum(face.hidden for face in counted) / max(len(counted), 1),
        "hidden_per_photo": sum(face.hidden for face in counted) / max(photos, 1),
    }


def utility(faces: Sequence[Seen]) -> Figures:
    """How far expression, pose, sex, age and tone stay."""
    both = [(face.before, face.after) for face in faces if face.before and face.after]
    if not both:
        return {}

    def gap(key: str) -> float:
        return float(np.nanmean([abs(a[key] - b[key]) for a, b in both]))

    sure = [(a, b) for a, b in both if not 0.1 < a["female"] < 0.9]
    agree = [(a["expression"], a["expression"] == b["expression"]) for a, b in both]
    classes = {
        f"expression_{name}": float(np.mean([same for told, same in agree if told == name]))
        for name in sorted({told for told, _ in agree})
    }
    return {
        "expression_agreement": float(np.mean([same for _, same in agree])),
        **classes,
        "yaw_error": gap("yaw"),
        "pitch_error": gap("pitch"),
        "sex_agreement": float(
            np.mean([(a["female"] > 0.5) == (b["female"] > 0.5) for a, b in sure] or [np.nan])
        ),
        "age_difference": gap("age"),
        "tone_difference": gap("tone"),
    }


if __name__ == "__main__":
    main()
