"""Landmarks of people who move: frames of clips, for learning how a face moves.

Only points are read; nothing of a picture is kept.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt

from ksame.vision import embed_sface, find_faces, find_landmarks

_SAME = 0.45  # likeness by SFace above which two frames show one person: far above strangers'
_SMALLEST = 90.0  # pixels of a face whose landmarks are exact enough


def read_clips(
    folder: Path, names: list[str], kept: Path, frames: int = 70
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Points (n, 478, 3) of faces in clips, and the number of each one's person."""
    wanted = sorted(names)
    digest = hashlib.sha256("\n".join([*wanted, str(frames)]).encode()).hexdigest()[:16]
    file = kept / f"clips-{digest}.npz"
    if not file.is_file():
        kept.mkdir(parents=True, exist_ok=True)
        points, person = _read(folder, wanted, frames)
        np.savez(file, points=points, person=person)
    with np.load(file) as arrays:
        return arrays["points"], arrays["person"]


def _read(
    folder: Path, names: list[str], frames: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    points: list[npt.NDArray[np.float32]] = []
    person: list[int] = []
    known: list[npt.NDArray[np.float64]] = []
    for name in names:
        for rgb in _frames(folder / name, frames):
            faces = find_faces(rgb, finest=640, turned=False)
            if not faces or faces[0].size < _SMALLEST:
                continue
            found = find_landmarks(rgb, faces[0], min_score=0.8)
            if not found:
                continue
            who = embed_sface(rgb, faces[0])
            likeness = [float(who @ other) for other in known]
            if not likeness or max(likeness) < _SAME:
                known.append(who)
                likeness.append(1.0)
            points.append(np.column_stack([found.points, found.depth]).astype(np.float32))
            person.append(int(np.argmax(likeness)))
    return np.stack(points), np.array(person)


def _frames(path: Path, count: int) -> list[npt.NDArray[np.uint8]]:
    """Up to `count` frames, evenly spread over the clip's first 500."""
    taken: list[npt.NDArray[np.uint8]] = []
    with av.open(str(path)) as clip:
        for number, frame in enumerate(clip.decode(video=0)):
            if number >= 500:
                break
            if number % 4 == 0:
                picture = frame.to_ndarray(format="rgb24")
                step = max(1, max(picture.shape) // 900)
                taken.append(np.ascontiguousarray(picture[::step, ::step]))
    places = np.linspace(0, len(taken) - 1, min(count, len(taken))).astype(int)
    return [taken[place] for place in places]
