"""Train the face model: ``python -m tools.face_model.train --data DIR``.

The flow: pictures -> `sources` (landmarks, classes, looks) -> `frame` -> `expressions` ->
`textures` -> `clean` (whom to keep, light) -> `skin`, `islands` -> one safetensors file. The same
pictures give the same bytes.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from safetensors.numpy import save
from tools.face_model.acted import act
from tools.face_model.clean import Clean, choose
from tools.face_model.clips import read_clips
from tools.face_model.expressions import (
    MOVING,
    Samples,
    calibrated,
    closing,
    frontal,
    learn_expressions,
    mirrored,
    samples_of,
    symmetrised,
    weights_of,
)
from tools.face_model.frame import EYE_PLACE, SIDE, Frame, build_frame
from tools.face_model.islands import choose_mouths, eye_mask, glint, learn_eyes
from tools.face_model.labels import labels
from tools.face_model.layers import layer_rows_of, looks_modes, tones
from tools.face_model.modes import principal
from tools.face_model.pool import with_pool
from tools.face_model.reader import teach_reader
from tools.face_model.regions import HALF, Regions, find_regions
from tools.face_model.skin import fine_layers, learn_skin
from tools.face_model.sources import Reading, read_people
from tools.face_model.textures import Textures, take_textures
from tools.face_model.warp import TextureWarp

from ksame.codecs.face.geometry import LIP_PAIRS, SKIN, part_lips
from ksame.codecs.face.pose import find_pose

Arrays = dict[str, npt.NDArray[Any]]

SHAPES, TEXTURES = 40, 100
TRIES = 300
SHUT = 0.72  # MediaPipe's blink coefficient of a face whose lids meet (of 12 rendered people)
# clips whose licence allows what is learned from them to be shipped
CLIPS = ("cry_laugh", "talking_head_smile", "vfr_hardcut", "portrait_1080", "grid/")
_SHUT_LIPS = 0.0  # between the lips of a closed mouth


@dataclass(frozen=True)
class Faces:
    """What geometry says of the training people; weights (n, 22) as the network reads them."""

    people: Reading
    frame: Frame
    points: npt.NDArray[np.float32]  # (n, 478, 3), frontal
    weights: npt.NDArray[np.float32]
    rest: npt.NDArray[np.float32]
    modes: npt.NDArray[np.float32]
    still: npt.NDArray[np.float32]  # (n, 468, 3): without expression
    samples: Samples

    @property
    def away(self) -> npt.NDArray[np.float32]:
        """Weights relative to rest."""
        return self.weights - self.rest


def read_faces(data: Path, kept: Path, wheel: Path) -> Faces:
    """Landmarks, the frame, and expression apart from identity."""
    names = sorted(str(p.relative_to(data)) for p in (data / "nobody").rglob("*.jpg"))
    people = read_people(data, names, kept)
    frame = build_frame(people.points[::3], wheel)
    samples = _moving_people(data, kept, frame)
    modes = symmetrised(frame, learn_expressions(frame, samples))
    points = frontal(frame, people.points)
    weights = weights_of(points)
    rest = np.median(weights, axis=0)
    for name in ("smile", "blink", "mouth"):
        sides = [MOVING.index(name + side) for side in ("Left", "Right")]
        rest[sides] = rest[sides].mean()
    still = points[:, :SKIN] - ((weights - rest) @ modes).reshape(-1, SKIN, 3)
    return Faces(people, frame, points, weights, rest, modes, still, samples)


def _moving_people(data: Path, kept: Path, frame: Frame) -> Samples:
    """People seen with several expressions: rendered ones, London's pairs, a few clips."""
    with (data / "faces.csv").open(newline="", encoding="utf-8") as file:
        rows = {r["image"]: r["person"] for r in csv.DictReader(file) if r["set"] == "london"}
    pairs = read_people(data, list(rows), kept, masks=False)
    who = np.unique([rows[str(n)] for n in pairs.names], return_inverse=True)[1]
    with (data / "more.csv").open(newline="", encoding="utf-8") as file:
        clips = [r["file"] for r in csv.DictReader(file) if r["set"] == "clips"]
    chosen = [name for name in clips if any(part in name for part in CLIPS)]
    sets = [(pairs.points, who), act(None, kept), read_clips(data, chosen, kept)]
    parts = [samples_of(frame, p, n + 10_000 * number) for number, (p, n) in enumerate(sets)]
    return Samples(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.weights for part in parts]),
        np.concatenate([part.person for part in parts]),
    )


def learn(
    data: Path, faces: Faces, textures: Textures, clean: Clean, regions: Regions, small: Any
) -> tuple[Arrays, dict[str, Any]]:
    """All arrays of the model's file, and what its card tells."""
    female, age = labels(data, faces.people)
    rows = clean.rows
    covariates = np.column_stack([female[rows], age[rows] / 50, clean.level / 128])
    skin = learn_skin(small, clean, regions, faces.away[rows], covariates, TEXTURES)
    own = rows[skin.chosen]
    arrays = _shape_arrays(faces, own)
    shape_codes = arrays.pop("shape_codes")
    eyes, (height, width) = learn_eyes(textures, own)
    corner = (textures.eye_box[0].start, textures.eye_box[1].start)
    centre = (EYE_PLACE[0] - corner[1], EYE_PLACE[1] - corner[0])
    scale = np.array([find_pose(faces.frame.mean, p).scale for p in faces.people.points])
    mouths, whose = choose_mouths(textures, own, scale)
    inside = regions.skin & (regions.core | regions.features)
    layer_rows = layer_rows_of(skin, own, scale, textures, inside, age)
    mask = regions.skin_full
    layers, steps = fine_layers(textures.skin, clean, skin, faces.away[rows], layer_rows, mask)
    half_mask = _halved(mask)[:, : HALF // 2]
    quarter_mask = _halved(half_mask)
    arrays |= {
        "luma_mean": skin.luma_mean.astype(np.float16),
        "chroma_mean": skin.chroma_mean.astype(np.float16),
        "luma_mask": half_mask.astype(np.uint8),
        "chroma_mask": quarter_mask.astype(np.uint8),
        "layers": layers,
        "layer_steps": steps,
        "layer_codes": skin.codes[layer_rows].astype(np.float16),
        "layer_mask": mask.astype(np.uint8),
        "looks_modes": looks_modes(
            skin.codes,
            np.column_stack([female[own], np.log1p(age[own]), tones(skin.colour)]),
        ),
        "eye_mean": eyes.mean.astype(np.float16),
        "eye_glint": glint((height, width), centre).astype(np.float16),
        "eye_corner": np.array(corner, np.int32),
        "eye_mask": eye_mask(textures).astype(np.uint8),
        "mouths": mouths,
        "mouth_codes": skin.codes[whose].astype(np.float16),
        "mouth_corner": np.array([s.start for s in textures.mouth_box], np.int32),
        "pool_codes": np.concatenate([shape_codes, skin.codes, eyes.codes], 1).astype(np.float16),
        "pool_rows": own.astype(np.int64),
        "pool_female": female[own].astype(np.float32),
        "pool_age": age[own].astype(np.float32),
        "pool_tone": tones(skin.colour),
    }
    for name, modes in (
        ("luma_modes", skin.luma_modes[:, half_mask]),
        ("chroma_modes", skin.chroma_modes[:, quarter_mask].reshape(TEXTURES, -1)),
        ("folds", skin.folds[:, half_mask]),
        ("eye_modes", eyes.modes),
    ):
        arrays[name], arrays[f"{name}_steps"] = _int8(modes)
    card = {
        "people": len(faces.people.names), "left_out": clean.why, "kept": len(own),
        "female": round(float((female[own] > 0.5).mean()), 3),
        "age": np.percentile(age[own], [5, 25, 50, 75, 95]).round().tolist(),
        "tone": np.percentile(arrays["pool_tone"], [5, 25, 50, 75, 95]).round().tolist(),
    }  # fmt: skip
    return arrays, card


def _shape_arrays(faces: Faces, own: npt.NDArray[np.intp]) -> Arrays:
    """Shape, expression and the reader of expressions."""
    still = np.stack([closed_lips(skin) for skin in faces.still])
    both = np.concatenate([still, mirrored_skin(faces.frame, still)])
    count = len(faces.still)
    chosen = np.concatenate([own, own + count])
    shape = principal(both.reshape(2 * count, -1)[chosen], SHAPES)
    mean = shape.mean.reshape(SKIN, 3)
    modes = calibrated(mean, faces.modes, faces.rest)
    shut = closing(mean, modes).reshape(2, SKIN, 3)
    gap = np.array([mean[374, 1] - mean[386, 1], mean[145, 1] - mean[159, 1]], np.float32)
    blinks = [MOVING.index("blinkLeft"), MOVING.index("blinkRight")]
    modes[blinks] = 0  # lids are closed by how far they are open
    everyone = np.concatenate([faces.points, mirrored(faces.frame, faces.points)])
    points = np.concatenate([everyone, faces.samples.points])
    return {
        "places": faces.frame.places.astype(np.float32),
        "triangles": faces.frame.triangles.astype(np.int16),
        "shape_mean": mean.astype(np.float32),
        "shape_modes": shape.modes.astype(np.float16),
        "shape_codes": shape.codes[: len(own)],
        "rings": faces.frame.rings.astype(np.float32),
        "expression_modes": modes.astype(np.float16),
        "expression_rest": faces.rest.astype(np.float32),
        "closing_modes": (shut / gap[:, None, None]).astype(np.float16),
        "closing_shut": np.full(2, SHUT, np.float32),
        **teach_reader(faces.frame, points),
    }


def mirrored_skin(frame: Frame, skin: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Mirror images of skin points (n, 468, 3)."""
    return skin[:, frame.mirror] * np.array([-1, 1, 1], np.float32)


def closed_lips(skin: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The points of a face at rest with its mouth shut: parted lips are an expression."""
    out = skin.copy()
    upper, lower = (np.array(rows) for rows in zip(*LIP_PAIRS, strict=True))
    extra = np.maximum(out[lower, 1] - out[upper, 1] - _SHUT_LIPS, 0)
    out[upper, 1] += 0.4 * extra
    out[lower, 1] -= 0.6 * extra
    return part_lips(out)


def _halved(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    size = (mask.shape[1] // 2, mask.shape[0] // 2)
    return cv2.resize(mask.astype(np.uint8) * 255, size, interpolation=cv2.INTER_AREA) > 0


def _int8(modes: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    steps = np.maximum(np.abs(modes).max(axis=1), 1e-6) / 127
    return np.rint(modes / steps[:, None]).astype(np.int8), steps.astype(np.float32)


def write(arrays: Arrays, output: Path) -> str:
    """Write the file and pin its sha256 beside it; returns the sha256."""
    # safetensors writes an array's memory as it lies
    content = save({name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)})
    output.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    (output.parent / "pinned.py").write_text(
        '"""The sha256 that the shipped model must have; written by its training."""\n\n'
        f'SHA256 = "{digest}"\n',
        encoding="utf-8",
    )
    return digest


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the pictures")
    parser.add_argument("--kept", type=Path, required=True, help="folder for what was read once")
    parser.add_argument("--mesh", type=Path, required=True, help="the wheel mediapipe 0.10.21")
    parser.add_argument("--tries", type=int, default=TRIES, help="faces bred per kind for the pool")
    parser.add_argument("--jobs", type=int, default=1, help="processes that look for faces")
    package = Path(__file__).parents[2] / "src/ksame/codecs/face"
    parser.add_argument("-o", "--output", type=Path, default=package / "nobody.safetensors")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    faces = read_faces(asked.data, asked.kept, asked.mesh)
    regions = find_regions(
        faces.frame, TextureWarp(faces.frame.places, faces.frame.triangles, SIDE)
    )
    textures = take_textures(asked.data, faces.people, faces.frame, faces.still)
    small = np.stack(
        [cv2.resize(t, (HALF, HALF), interpolation=cv2.INTER_AREA) for t in textures.skin]
    )
    yaw = np.array([find_pose(faces.frame.mean, p).yaw_pitch[0] for p in faces.people.points])
    clean = choose(small, textures.classes, yaw.astype(np.float32), regions)
    arrays, card = learn(asked.data, faces, textures, clean, regions, small)
    arrays = with_pool(arrays, faces.people, asked.data, asked.kept, asked.tries, asked.jobs)
    print(json.dumps(card | {"faces": len(arrays["faces_codes"])}, indent=1))
    print(write(arrays, asked.output), asked.output.stat().st_size)


if __name__ == "__main__":
    main()
