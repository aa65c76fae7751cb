"""OpenCV's EigenFaceRecognizer on faces from a file; run in an environment with opencv-contrib.

python opencv_eigenfaces.py FACES.npz COMPONENTS OUT.json
"""

import json
import sys
import time
from pathlib import Path

import cv2
import numpy as np


def main(faces: str, components: str, out: str) -> None:
    """Train on the gallery, predict every probe, write seconds and best matches."""
    data = np.load(faces)
    gallery = list(data["gallery"])
    probes = list(data["probes"])
    start = time.perf_counter()
    model = cv2.face.EigenFaceRecognizer_create(num_components=int(components))
    model.train(gallery, np.arange(len(gallery)))
    trained = time.perf_counter()
    best = [model.predict(probe)[0] for probe in probes]
    done = time.perf_counter()
    found = {
        "version": cv2.__version__,
        "train_seconds": trained - start,
        "rank_seconds": done - trained,
        "best": [int(b) for b in best],
    }
    Path(out).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:4])
