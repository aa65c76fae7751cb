"""menpofit's holistic AAM on faces that `benchmarks/aam.py` hands over.

Runs in an environment of its own (menpofit does not import with current SciPy):

    python menpofit_imm.py FACES.npz RESULT.npz

FACES holds grey images of one size, marked shapes, `train` (which rows) and `start` shapes of the
others. RESULT gets the fitted shapes and the processor seconds per face of each algorithm.
"""

import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")

from menpo.image import Image  # noqa: E402
from menpo.shape import PointCloud  # noqa: E402
from menpofit.aam import (  # noqa: E402
    HolisticAAM,
    LucasKanadeAAMFitter,
    ProjectOutInverseCompositional,
    SimultaneousInverseCompositional,
    WibergInverseCompositional,
)

ALGORITHMS = {
    "wiberg": WibergInverseCompositional,
    "simultaneous": SimultaneousInverseCompositional,
    "project_out": ProjectOutInverseCompositional,
}


def to_menpo(image, shape=None):
    """A grey menpo image with its landmarks; menpo's points are (y, x)."""
    made = Image(image[None].astype(np.float64) / 255.0)
    if shape is not None:
        made.landmarks["PTS"] = PointCloud(shape[:, ::-1])
    return made


def main(faces, result):
    """Train on the given faces, fit the others from their starts, write shapes and times."""
    given = np.load(faces)
    train = given["train"]
    training = [
        to_menpo(image, shape).crop_to_landmarks_proportion(0.3)
        for image, shape in zip(given["images"][train], given["shapes"][train])  # noqa: B905
    ]
    aam = HolisticAAM(
        training, diagonal=150, scales=(0.5, 1.0), max_shape_components=20,
        max_appearance_components=100,
    )  # fmt: skip
    out = {}
    for name in given["algorithms"]:
        fitter = LucasKanadeAAMFitter(
            aam, lk_algorithm_cls=ALGORITHMS[str(name)], n_shape=20, n_appearance=100
        )
        shapes, seconds = [], []
        for image, start in zip(given["images"][~train], given["start"]):  # noqa: B905
            picture, begin = to_menpo(image), PointCloud(start[:, ::-1])
            clock = time.process_time()
            fit = fitter.fit_from_shape(picture, begin, max_iters=[20, 20])
            seconds.append(time.process_time() - clock)
            shapes.append(fit.final_shape.points[:, ::-1])
        out[f"{name}_shapes"], out[f"{name}_seconds"] = np.stack(shapes), np.array(seconds)
    np.savez(result, **out)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
