"""A track's numbers as a ledger holds them: differences from frame to frame, compressed."""

import base64
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ksame.arrays import Ints
from ksame.render.numbers import FINE


def packed(
    rows: Ints, first: int, camera: Sequence[int], fronts: Mapping[int, Mapping[str, Any]]
) -> dict[str, Any]:
    """One row a frame from ``first`` on; ``camera`` is blur, grain and colour of the track.

    ``fronts`` are the bitmaps of what lies in front of the face, by the number of the frame.

    The columns are pose, expression, light, outline and black in parts of a step, where the face
    is replaced; then the box that was changed, and the box of the face that was found.
    """
    moved = np.diff(rows, axis=0, prepend=np.zeros((1, rows.shape[1]), np.int64))
    data = zlib.compress(np.ascontiguousarray(moved.T.astype("<i4")).tobytes(), 9)
    return {
        "track": {
            "first": first,
            "frames": len(rows),
            "fine": FINE,
            "camera": list(camera),
            "steps": base64.b64encode(data).decode("ascii"),
            "fronts": {str(frame): dict(front) for frame, front in fronts.items()},
        }
    }


def unpacked(track: Mapping[str, Any]) -> Ints:
    """The rows of a packed track."""
    data = zlib.decompress(base64.b64decode(track["steps"]))
    moved = np.frombuffer(data, "<i4").reshape(-1, int(track["frames"])).T.astype(np.int64)
    rows: Ints = np.cumsum(moved, axis=0)
    return rows


def mean_numbers(track: Mapping[str, Any]) -> dict[str, Any]:
    """The mean over a track's frames of its numbers, in steps: what averaging tells."""
    from ksame.release.clips.motion import WIDTHS

    mean = unpacked(track)[:, : sum(WIDTHS)].mean(axis=0) / FINE
    parts = [part.tolist() for part in np.split(mean, np.cumsum(WIDTHS)[:-1])]
    pose, expression, light, outline, black = parts
    blur, *grain, _ = track["camera"]
    return {
        "pose": pose, "expression": expression, "light": light, "outline": outline,
        "black": black[0], "blur": blur, "grain": grain,
    }  # fmt: skip
