"""Train `ksame.vision.tone` and write its file: ``python -m tools.skin_tone.train --data DIR``.

Truth: for people who do not exist, one of six classes of skin tone, judged by eye
(``labels.csv``); for London, whose studio light is the same for everybody, the measured angle.
Each photo is learned as it is and in seven other lights.
"""

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
from safetensors.numpy import save_file
from tools.skin_tone.relight import Sitting, encoded, resized, varied

from ksame.vision import find_faces, find_landmarks
from ksame.vision.skin import FaceView
from ksame.vision.tone import FILE, ToneModel, measures, typology_angle

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

# classes of labels.csv in degrees, after Chardon et al.: very light to dark
CLASSES = {1: 60.0, 2: 47.0, 3: 33.0, 4: 18.0, 5: -10.0, 6: -42.0}
LIGHTS = 7  # further lights of each photo
DIRECTIONS, CENTRES = 80, 400
RIDGE = 2.0
FOLDS = 5
LONDON_COOLER = 3.0  # degrees: London's white is a little blue, which makes skin look lighter


def sitting_of(path: Path) -> Sitting | None:
    """A photo with its largest face; None where none is found."""
    bgr = cv2.imdecode(np.frombuffer(path.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    rgb = cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB)
    faces = find_faces(rgb, finest=1280)
    found = find_landmarks(rgb, faces[0]) if len(faces) else None
    return resized(Sitting(rgb, found.points, faces[0].box), 100) if found else None


def rows_of(sitting: Sitting, rng: np.random.Generator) -> Floats:
    """Measures of a photo and of its other lights."""
    sittings = [sitting, *(varied(sitting, rng) for _ in range(LIGHTS))]
    return np.stack(
        [measures(one.image, FaceView.of(one.image, one.points), one.box[None]) for one in sittings]
    )


def london_tones(skins: Floats) -> Floats:
    """Tones of London's people from the logarithms of their skin: angle and lightness averaged.

    The angle alone is noisy where skin is pale, because it divides by a small b*.
    """
    pixels = encoded(np.exp(skins))[None].astype(np.float32) / 255
    lab = cv2.cvtColor(pixels, cv2.COLOR_RGB2LAB)[0].astype(np.float64)
    angles = np.array([typology_angle(one) for one in lab])
    line = np.polynomial.Polynomial.fit(lab[:, 0], angles, 1)
    return (angles + line(lab[:, 0])) / 2 - LONDON_COOLER


def known(data: Path, rng: np.random.Generator) -> Iterator[tuple[str, float, Floats]]:
    """Person, tone (NaN: not yet known) and measures of every training photo."""
    labels = Path(__file__).with_name("labels.csv").read_text(encoding="utf-8").splitlines()
    for row in csv.DictReader(labels):
        if sitting := sitting_of(data / row["file"]):
            yield row["file"], CLASSES[int(row["tone"])], rows_of(sitting, rng)
    with (data / "faces.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["set"] == "london" and (sitting := sitting_of(data / row["image"])):
                yield row["person"], np.nan, rows_of(sitting, rng)


def stored(values: Floats) -> Floats:
    """Values as the file holds them; the weights are solved for these."""
    return values.astype(np.float16).astype(np.float64)


def fitted(values: Floats, tones: Floats, real: Bools, spread: Floats | None = None) -> ToneModel:
    """The regression of rows of measures; without ``spread``, the second column is left 0.

    A centre is a coarse likeness of its face, so none is taken of people who are ``real``.
    """
    mean, scale = np.nanmean(values, axis=0), np.nanstd(values, axis=0) + 1e-6
    z = np.nan_to_num(np.clip((values - mean) / scale, -4, 4), nan=0.0)
    basis = stored(np.linalg.svd(z[::3], full_matrices=False)[2][:DIRECTIONS].T)
    chosen = np.random.default_rng(1).choice(np.flatnonzero(~real), CENTRES, replace=False)
    centres = stored(z[chosen] @ basis)
    apart = ((centres[:, None] - centres[None]) ** 2).sum(-1)
    reach = 0.5 / float(np.median(apart))
    targets = np.stack([tones, np.zeros_like(tones) if spread is None else spread], axis=1)
    offset = targets.mean(axis=0)
    blank = ToneModel(mean, scale, basis, centres, reach, np.zeros((len(centres), 2)), offset)
    alike = blank.likeness(values)
    gram = alike.T @ alike + RIDGE * np.exp(-reach * apart) + 1e-3 * np.eye(len(centres))
    weights = np.linalg.solve(gram, alike.T @ (targets - offset))
    return ToneModel(mean, scale, basis, centres, reach, weights, offset)


def held_out(values: Floats, tones: Floats, real: Bools, person: npt.NDArray[np.int64]) -> Floats:
    """What models say of people whom they have not seen."""
    told = np.zeros(len(tones))
    for fold in range(FOLDS):
        out = person % FOLDS == fold
        told[out] = fitted(values[~out], tones[~out], real[~out]).predict(values[out])[:, 0]
    return told


def main() -> None:
    """Train, tell the held-out error, write the file."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--data", type=Path, required=True)
    asked.add_argument("--out", type=Path, default=Path("src/ksame/vision") / FILE)
    asked.add_argument("--kept", type=Path, help="keep the measures in this file, or take them")
    options = asked.parse_args()
    if options.kept and options.kept.is_file():
        with np.load(options.kept, allow_pickle=False) as kept:
            names, tones, values = kept["names"], kept["tones"], kept["values"]
    else:
        found = list(known(options.data, np.random.default_rng(0)))
        names, tones, values = (np.stack([one[i] for one in found]) for i in range(3))
        if options.kept:
            np.savez(options.kept, names=names, tones=tones, values=values)
    london = np.isnan(tones)
    tones[london] = london_tones(values[london, 0, :3])
    lights = values.shape[1]
    order = np.unique(names, return_inverse=True)[1]
    person = np.repeat(np.random.default_rng(2).permutation(order.max() + 1)[order], lights)
    rows, truth = values.reshape(-1, values.shape[2]), np.repeat(tones, lights)
    real = np.repeat(london, lights)
    told = held_out(rows, truth, real, person)
    error = np.abs(told - truth)
    print(f"held out: mean error {error.mean():.1f}, r {np.corrcoef(told, truth)[0, 1]:.3f}")
    model = fitted(
        rows, truth, real, 1.25 * error
    )  # of a normal distribution, s.d. over mean error
    half = {"basis", "centres"}
    save_file(
        {
            name: np.ascontiguousarray(value, np.float16 if name in half else np.float32)
            for name, value in vars(model).items()
        },
        options.out,
    )


if __name__ == "__main__":
    main()
