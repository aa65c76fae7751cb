"""Active Appearance Models: accuracy, speed, occlusion, colour and ghosting; menpofit beside ours.

python benchmarks/aam.py --json FILE [--quick] [--data DIR] [--pictures DIR]

Needs the research sets (--data or KSAME_DATA) and, for the colour part, the installed models.
menpofit runs in the environment that `make bench` makes, on the same faces and starts, both in one
thread. --quick leaves out the set of 2,000 images and menpofit's slower algorithms. Pictures of
real people are written only with --pictures: keep them to yourself.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from aam_imm import measure_fitting, measure_turned
from aam_london import (
    measure_ghosting,
    measure_memory,
    measure_reconstruction,
    measure_start,
    measure_times,
    read_london,
)
from ksame.codecs.aam import PiecewiseAffine, triangulate


def measure_warp() -> dict[str, float]:
    """The compiled warp beside OpenCV's remap: 478 points, 256 pixels, colour.

    OpenCV is given the positions for free; the compiled warp computes them.
    """
    rng = np.random.default_rng(0)
    points = rng.uniform(2, 254, (478, 2))
    mesh = PiecewiseAffine(points, triangulate(points), (257, 257))
    image = cv2.GaussianBlur(rng.uniform(0, 255, (800, 800, 3)), (0, 0), 3).astype(np.float32)
    moved = points * 2.1 + 40

    source = mesh.paint(mesh.source(moved).astype(np.float32))

    def remapped() -> np.ndarray:
        return cv2.remap(image, source, None, cv2.INTER_LINEAR).reshape(-1, 3)[mesh.pixels]

    def exact() -> np.ndarray:
        return mesh.sample(image, moved)

    return {
        "warp_ms": best_ms(lambda: mesh.sample(image, moved, np.float32)),
        "warp_opencv_remap_ms": best_ms(remapped),
        "warp_opencv_largest_difference": float(np.abs(remapped() - exact()).max()),
        "warp_rasterise_ms": best_ms(lambda: PiecewiseAffine(points, mesh.triangles, (257, 257))),
    }


def best_ms(task: Callable[[], object], times: int = 20) -> float:
    """The best of several runs, in milliseconds."""
    found = []
    for _ in range(times):
        clock = time.perf_counter()
        task()
        found.append(time.perf_counter() - clock)
    return 1e3 * min(found)


def measure(data: Path | None, quick: bool, pictures: Path | None) -> dict[str, float]:
    """All parts, one after the other."""
    cv2.setNumThreads(1)
    found = measure_fitting(data, quick) | measure_turned(data) | measure_warp()
    faces = read_london(data, 60 if quick else 102)
    found |= measure_reconstruction(faces)
    model, fits, times = measure_times(faces)
    found |= times | measure_ghosting(model, fits, faces, pictures) | measure_start(model, faces)
    return found if quick else found | measure_memory(faces)


def main() -> None:
    """Print a table and write the same figures as flat JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--quick", action="store_true", help="fewer starts, faces and algorithms")
    parser.add_argument("--data", type=Path, help="folder of the research sets")
    parser.add_argument("--pictures", type=Path, help="write k-Same-M beside k-Same-Pixel here")
    given = parser.parse_args()
    found = measure(given.data, given.quick, given.pictures)
    for name, value in found.items():
        print(f"{name:<34} {value:12.4f}")
    if "menpofit_error" not in found:
        print("menpofit was not measured: its environment is missing. Run: make bench")
    given.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
