"""Who is who among very many faces: how long it takes, and what the index misses.

    python benchmarks/people.py --json people.json [--quick]

Embeddings are drawn so that likenesses are those of SFace on real sets (strangers 0.12, s.d. 0.09;
two photos of one person 0.45 to 0.9), one to thirty photos a person, two faces a photo. The exact
rule compares all pairs; the index is what is used from 100,000 faces on.
"""

import argparse
import json
import resource
import time
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

from ksame.people import cluster_people
from ksame.people.neighbours import MANY

DIMENSIONS = 128
STRANGERS = 0.37  # length of what all faces have in common, for the mean likeness of strangers
PHOTOS = 6.0  # a person, on average
MOST_PHOTOS = 30


def draw_faces(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unit vectors (count, 128), whose they are, and which photo each is in."""
    rng = np.random.default_rng(seed)
    photos = np.clip(rng.geometric(1 / PHOTOS, count), 1, MOST_PHOTOS)
    persons = np.repeat(np.arange(count), photos)[:count]
    axes = np.linspace(1.5, 0.5, DIMENSIONS)  # as in real embeddings, not all say equally much
    axes /= np.linalg.norm(axes)
    common = rng.normal(size=DIMENSIONS)
    common *= STRANGERS / np.linalg.norm(common)
    centres = (rng.normal(size=(persons.max() + 1, DIMENSIONS)) * axes).astype(np.float32)
    spread = rng.uniform(0.35, 0.95, count).astype(np.float32)[:, None]
    noise = (rng.standard_normal((count, DIMENSIONS), np.float32) * axes).astype(np.float32)
    X = common.astype(np.float32) + centres[persons] + spread * noise
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    order = rng.permutation(count)
    return X[order], persons[order], np.arange(count) // 2


def timed(X: np.ndarray, photos: np.ndarray, index_from: int) -> tuple[np.ndarray, float]:
    """The labels, and how long they took."""
    start = time.perf_counter()
    labels = cluster_people(X, photos, index_from=index_from).labels
    return labels, time.perf_counter() - start


def measure(few: int, many: int) -> dict[str, float]:
    """Agreement on a few faces, time and memory on many."""
    X, persons, photos = draw_faces(few)
    exact, exact_seconds = timed(X, photos, few + 1)
    indexed, index_seconds = timed(X, photos, 1)
    figures = {
        "few_faces": few,
        "index_agreement": float(adjusted_rand_score(exact, indexed)),
        "exact_seconds": exact_seconds,
        "index_seconds": index_seconds,
        "exact_truth": float(adjusted_rand_score(persons, exact)),
        "index_truth": float(adjusted_rand_score(persons, indexed)),
    }
    X, persons, photos = draw_faces(many, seed=1)
    busy = time.process_time()
    labels, seconds = timed(X, photos, min(MANY, many))
    busy = time.process_time() - busy
    return figures | {
        "many_faces": many,
        "many_seconds": seconds,
        "many_cpu_seconds": busy,
        "many_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "many_truth": float(adjusted_rand_score(persons, labels)),
        "many_people": int(labels.max()) + 1,
    }


def main() -> None:
    """Measure, print a table and write the same figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    figures = measure(2_000, 10_000) if asked.quick else measure(20_000, 200_000)
    for name, value in figures.items():
        print(f"{name:20} {value:12.4f}" if isinstance(value, float) else f"{name:20} {value:12}")
    if asked.json:
        asked.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
