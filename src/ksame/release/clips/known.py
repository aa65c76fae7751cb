"""The tracks of a clip that a corrected ledger lists."""

import numpy as np

from ksame.arrays import Arrays
from ksame.faces import Faces
from ksame.release.listed import Listed


def as_listed(faces: Faces, arrays: Arrays, listed: Listed) -> tuple[Faces, Arrays]:
    """Only the tracks that a ledger lists.

    A track is known by its box in its best frame. One that is not listed is nobody's: what is seen
    of it in a finished frame is filled there. One that a person dismissed is no face: it is left as
    it is, in every frame.
    """
    if listed.faces is None:
        return faces, arrays
    boxes = {tuple(face["box"]) for face in listed.faces}
    chosen = [i for i, box in enumerate(faces.xyxy.tolist()) if tuple(box) in boxes]
    place = {old: new for new, old in enumerate(chosen)}
    kept: Arrays = {}
    for name, array in arrays.items():
        number, _, rest = name.partition("/")
        if not number.isdigit():
            kept[name] = array
        elif int(number) in place:
            kept[f"{place[int(number)]}/{rest}"] = array
    gone = {tuple(box) for box in listed.dismissed}
    no_face = [i for i, box in enumerate(faces.xyxy.tolist()) if tuple(box) in gone]
    for name in ("frame", "xyxy"):
        kept[f"no_face/{name}"] = np.concatenate(
            [arrays[f"no_face/{name}"], *(arrays[f"{i}/{name}"] for i in no_face)]
        )
    pairs = [[place[i], place[j]] for i, j in arrays["meetings"].tolist() if {i, j} <= place.keys()]
    kept["meetings"] = np.array(pairs, np.int64).reshape(-1, 2)
    return faces[chosen], kept
