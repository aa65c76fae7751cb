"""Tracks in the order in which a corrected ledger lists them."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ksame.arrays import Arrays
from ksame.faces import Face, Faces
from ksame.geometry import iou
from ksame.release.styles.adhoc import faces_found

NO_TRACK: Final = "no track of the clip is at this place"
_SAME: Final = 0.9  # intersection over union: boxes are listed with two decimals


def as_listed(faces: Faces, arrays: Arrays, given: Sequence[Any]) -> tuple[Faces, Arrays]:
    """Only the tracks that a ledger lists, in its order; a track is known by its best box.

    A track that is not listed is nobody's: what is seen of it in a finished frame is filled there.
    """
    chosen: list[int | None] = []
    for box, _ in given:
        shares = iou(np.asarray(box, np.float64), faces.xyxy) if len(faces) else np.zeros(0)
        order = np.argsort(-shares, kind="stable").tolist()
        free = [place for place in order if place not in chosen and shares[place] >= _SAME]
        chosen.append(free[0] if free else None)
    kept = {name: array for name, array in arrays.items() if "/" not in name}
    place = {old: new for new, old in enumerate(chosen) if old is not None}
    for old, new in place.items():
        own = f"{old}/"
        kept |= {
            f"{new}/{name.removeprefix(own)}": array
            for name, array in arrays.items()
            if name.startswith(own)
        }
    pairs = [pair for pair in arrays["meetings"].tolist() if set(pair) <= place.keys()]
    kept["meetings"] = np.array([[place[i] for i in pair] for pair in pairs], np.int64)
    return _listed(faces, chosen, given), kept | {"meetings": kept["meetings"].reshape(-1, 2)}


def _listed(faces: Faces, chosen: Sequence[int | None], given: Sequence[Any]) -> Faces:
    """One face for each listed one: people are named by their place in the list."""
    one = [
        Face(np.array(box, np.float64), 1.0, np.array(points)) if place is None else faces[place]
        for place, (box, points) in zip(chosen, given, strict=True)
    ]
    failure = faces.failure if faces.failure is not None else np.full(len(faces), "")
    why = [NO_TRACK if place is None else str(failure[place]) for place in chosen]
    columns = {
        name: ["" if place is None else column[place] for place in chosen]
        for name, column in faces.data.items()
    }
    return faces_found(one, why, **columns)
