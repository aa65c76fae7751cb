"""Check that no face of the model is accepted as anybody: ``python -m tools.face_model.check``.

With ``--mend`` those that are leave the pool, and the others are described as they are drawn now.

Every face of the pool (or a sample) is rendered anew and shown to SFace and dlib, against all
training pictures and all people of london, canada, 3dsk and imm. Thresholds are measured here: what
0.1% of the pairs of different people of those sets reach.
"""

from __future__ import annotations

import argparse
from importlib import resources
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load
from tools.face_model.look import render
from tools.face_model.pool import reference_people
from tools.face_model.sources import read_people
from tools.face_model.train import write
from tools.face_model.vet import limit_of

from ksame.codecs.face import FaceModel
from ksame.codecs.face.drawing import likeness
from ksame.codecs.face.storage import FILE
from ksame.vision import embed_dlib, embed_sface, find_faces, gender_age

EMBED = {"sface": embed_sface, "dlib": embed_dlib}


def _is_woman(model: FaceModel, row: int) -> bool:
    """Whether a face is a woman's, whoever wears it."""
    return bool(model.faces.on_women[row] + model.faces.on_men[row] > 1)


def main() -> None:
    """The command; exit 1 where a face is accepted as someone."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=0, help="how many faces; 0 for all")
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--mend", action="store_true", help="rewrite the model's file")
    asked = parser.parse_args()
    model = FaceModel.load()
    names = sorted(str(p.relative_to(asked.data)) for p in (asked.data / "nobody").rglob("*.jpg"))
    people = read_people(asked.data, names, asked.kept)
    real, person = reference_people(asked.data, asked.kept)
    rows = np.arange(len(model.faces.codes))
    if asked.sample:
        rows = np.random.default_rng(0).permutation(rows)[: asked.sample]
    found = {name: [] for name in EMBED}
    agree = []
    for row in rows:
        rgb = render(model, model.faces.codes[row], size=asked.size, ground=128)
        face = find_faces(rgb, finest=320, turned=False)[0]
        for name, embed in EMBED.items():
            found[name].append(embed(rgb, face))
        looks = gender_age(rgb, face)
        agree.append(bool(looks) and (looks.female > 0.5) == _is_woman(model, row))
    print(f"{len(rows)} faces; the gender network agrees with {np.mean(agree):.3f}")
    bad = np.zeros(len(rows), bool)
    for name in EMBED:
        limit = limit_of(name, getattr(real, name), person)
        own = np.stack(found[name])
        for label, others in (("training", getattr(people, name)), ("real", getattr(real, name))):
            nearest = likeness(name, own, others).max(axis=1)
            accepted = int((nearest >= limit).sum())
            bad |= nearest >= limit
            print(
                f"{name} against {label}: limit {limit:.3f}, largest {nearest.max():.3f}, "
                f"median nearest {np.median(nearest):.3f}, accepted {accepted}"
            )
    if asked.mend and not asked.sample:
        mend(bad, {name: np.stack(own) for name, own in found.items()})
        print(f"{int(bad.sum())} faces left the pool")
        return
    raise SystemExit(1 if bad.any() else 0)


def mend(bad: npt.NDArray[np.bool_], embeddings: dict[str, npt.NDArray[np.float64]]) -> None:
    """Rewrite the model's file: the pool without some of its faces, as recognisers see it now."""
    folder = Path(str(resources.files("ksame.codecs.face")))
    arrays = load((folder / FILE).read_bytes())
    arrays |= {f"faces_{name}": own.astype(np.float16) for name, own in embeddings.items()}
    kept = {
        name: array[~bad]
        for name, array in arrays.items()
        if name.startswith("faces_") and len(array) == len(bad)
    }
    write(arrays | kept, folder / FILE)


if __name__ == "__main__":
    main()
