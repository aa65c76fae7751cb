"""Grouping: closest against a plain NumPy loop, a million people, blocks, and anonypyx, in one run.

python benchmarks/grouping.py --json FILE [--quick] [--data DIR]

Codes have 64 dimensions with falling variance (1 / i), like the weights of eigenfaces, and k is 10.
With --data, the information loss on the 242 people of London, Canada and 3DSK is measured too.
The million runs in a process of its own, whose peak memory is what the system reports.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ksame.grouping import blocks, closest, information_loss, mdav

K, D = 10, 64
ANONYPYX = Path(__file__).parents[1] / ".venv-anonypyx" / "bin" / "python"
COMPETITOR = Path(__file__).parent / "competitors" / "anonypyx_grouping.py"

Codes = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


def codes(n: int, seed: int = 0) -> Codes:
    """Return n codes whose variances fall like those of eigenfaces."""
    X = np.random.default_rng(seed).standard_normal((n, D))
    X /= np.sqrt(1 + np.arange(D))
    return X


def numpy_loop(X: Codes, k: int, order: Labels) -> Labels:
    """Return N figure 10 in plain NumPy: a matrix-vector product and a partition per seed.

    Rows that have a group are dropped whenever a quarter of them has one, which is several times
    faster than dropping them at once.
    """
    labels = np.full(len(X), -1)
    ids, rows, squares = np.arange(len(X)), X, (X**2).sum(axis=1)
    free, group = len(X), 0
    for seed in order:
        if labels[seed] >= 0:
            continue
        if free < 2 * k:
            labels[labels < 0] = group
            break
        if free < 0.75 * len(ids):
            keep = labels[ids] < 0
            ids, rows, squares = ids[keep], rows[keep], squares[keep]
        distances = squares - 2 * (rows @ X[seed])
        distances[labels[ids] >= 0] = np.inf
        labels[ids[np.argpartition(distances, k)[:k]]] = group
        free, group = free - k, group + 1
    return labels


def timed(function, *arguments):  # type: ignore[no-untyped-def]
    """Return a function's result and its seconds."""
    start = time.perf_counter()
    found = function(*arguments)
    return found, time.perf_counter() - start


def against_numpy(n: int) -> dict[str, float]:
    """Measure `closest` and the plain loop on the same codes and seeds; groups must be equal."""
    X = codes(n)
    closest(codes(20000, 1), K, 0)  # compile before the clock starts
    ours, fast = timed(closest, X, K, 0)
    fast_half = timed(closest, X[: n // 2], K, 0)[1]
    theirs, slow = timed(numpy_loop, X, K, np.random.default_rng(0).permutation(n))
    if not np.array_equal(ours, theirs):
        raise SystemExit("the groups differ from those of the NumPy loop")
    return {
        "closest_people": n,
        "closest_seconds": fast,
        "numpy_seconds": slow,
        "closest_speedup": slow / fast,
        "closest_growth_when_doubled": fast / fast_half,
    }


def large(n: int) -> dict[str, float]:
    """Measure `closest` and `blocks` on a large set, in this process."""
    X = codes(n)
    closest(codes(20000, 1), K, 0)
    before = time.process_time()
    exact, seconds = timed(closest, X, K, 0)
    processor = time.process_time() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    blocks(codes(20000, 1), K, 0)
    split, split_seconds = timed(blocks, X, K, 0)
    return {
        "million_people": n,
        "million_seconds": seconds,
        "million_processor_seconds": processor,
        "million_rss_mb": peak,
        "blocks_seconds": split_seconds,
        "blocks_speedup": seconds / split_seconds,
        "blocks_extra_loss": information_loss(X, split) / information_loss(X, exact) - 1,
    }


def large_apart(n: int) -> dict[str, float]:
    """Measure a large set in a process of its own."""
    command = [sys.executable, __file__, "--only-large", str(n)]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(said.stdout)
    return found


def against_anonypyx(n: int) -> dict[str, float]:
    """Measure anonypyx's two algorithms and ours on a size whose n x n matrix fits."""
    if not ANONYPYX.exists():
        print(f"anonypyx is not installed ({ANONYPYX.parent.parent.name}): run `make bench`")
        return {}
    X = codes(n)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "codes.npy", Path(folder) / "groups.npz"
        np.save(source, X)
        subprocess.run([ANONYPYX, COMPETITOR, source, str(K), target], check=True)
        theirs = dict(np.load(target))
    ours, seconds = timed(closest, X, K, 0)
    ours_mdav, mdav_seconds = timed(lambda: mdav(X, K, refined=False))
    return {
        "anonypyx_people": n,
        "anonypyx_closest_seconds": float(theirs["closest_seconds"]),
        "ours_closest_seconds": seconds,
        "anonypyx_mdav_seconds": float(theirs["mdav_seconds"]),
        "ours_mdav_seconds": mdav_seconds,
        "anonypyx_closest_loss": information_loss(X, theirs["closest"]),
        "ours_closest_loss": information_loss(X, ours),
        "anonypyx_mdav_loss": information_loss(X, theirs["mdav"]),
        "ours_mdav_loss": information_loss(X, ours_mdav),
    }


def real_people(data: Path) -> dict[str, float]:
    """Measure the loss of real registered faces, as a share of their total variance."""
    from ksame.datasets import known_faces, read_points
    from ksame.media import read_photo
    from ksame.vision import register

    faces = known_faces("london", "canada", "3dsk", root=data)
    faces = faces.where(lambda all_faces, i: all_faces.expression[i] == "neutral")
    rows = []
    for image, landmarks in zip(faces.images, faces.landmarks, strict=True):
        points = read_points(landmarks)
        # pupils and base of the nose; the mouth is not used by this frame
        five = np.concatenate([points[[0, 1, 55]], points[[0, 1]]])
        rows.append(register(read_photo(image).rgb, five, "newton").pixels.ravel())
    X = np.array(rows, dtype=np.float64)
    total = float(((X - X.mean(axis=0)) ** 2).sum())
    found: dict[str, float] = {"real_people": len(X)}
    for k in (2, 3, 5, 10):
        losses = [information_loss(X, closest(X, k, seed)) for seed in range(20)]
        found[f"loss_closest_k{k}"] = float(np.mean(losses)) / total
        found[f"loss_closest_best_of_20_k{k}"] = min(losses) / total
        found[f"loss_mdav_plain_k{k}"] = information_loss(X, mdav(X, k, refined=False)) / total
        found[f"loss_mdav_k{k}"] = information_loss(X, mdav(X, k)) / total
    return found


def main() -> None:
    """Measure, print a table and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true", help="a tenth of the people")
    parser.add_argument("--data", type=Path, help="the folder of the research sets")
    parser.add_argument("--only-large", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only_large:
        print(json.dumps(large(arguments.only_large)))
        return
    smaller = 10 if arguments.quick else 1
    figures = against_numpy(100_000 // smaller)
    figures |= large_apart(1_000_000 // smaller)
    figures |= against_anonypyx(5000 // smaller)
    if arguments.data:
        figures |= real_people(arguments.data)
    for name, value in figures.items():
        print(
            f"{name:32s} {value:14,.4f}" if isinstance(value, float) else f"{name:32s} {value:14,d}"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
