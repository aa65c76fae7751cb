"""The tracks of a clip that a corrected ledger lists."""

import numpy as np

from ksame.arrays import Arrays
from ksame.faces import Faces
from ksame.release.listed import Listed


def as_listed(faces: Faces, arrays: Arrays, listed: Listed) -> tuple[Faces, Arrays]:
    """Only the tracks that a ledger lists, with the looks that it gives them.

    A track is known by its box in its best frame. One that is not listed is nobody's: what is seen
    of it in a finished frame is filled there.
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
    pairs = [[place[i], place[j]] for i, j in arrays["meetings"].tolist() if {i, j} <= place.keys()]
    kept["meetings"] = np.array(pairs, np.int64).reshape(-1, 2)
    return listed.with_looks(faces[chosen], kept)
