"""Pictures of sets (N 1-5, G 5, M 4, F 5): stills, registered faces, two people and their fate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ksame.arrays import Image, Indices
from ksame.experiments.alterations import ad_hoc
from ksame.experiments.face_grid import FaceGrid, Faces
from ksame.experiments.stills import Stills

_SHOWN = 4  # people of a set that are shown


def registered(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """N Figure 1: a face still and the face image that it is normalised to."""
    first = int(stills.pairs("neutral", "smile")[0][0])
    return FaceGrid(["face still", "face image"], {"": [_still(stills, first), _newton(stills)[0]]})


def person_specific(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """N Figure 2: one image of each of two people."""
    return FaceGrid(["person 1", "person 2"], {"": list(_newton(stills)[:2])})


def barred(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """N Figure 3: still, face image, and the image with its eyes covered."""
    first = int(stills.pairs("neutral", "smile")[0][0])
    face = _newton(stills)[:1]
    made = ad_hoc("bar")(face, np.zeros(1, np.intp))[0]
    names = ["face still", "face image", "de-identified"]
    return FaceGrid(names, {"": [_still(stills, first), face[0], made]})


def blacked_out(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """N Figure 4: BlackOut on two people."""
    return _two(stills, "blackout")


def averaged(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """N Figure 5: Average on the same two people."""
    return _two(stills, "average")


def two_expressions(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """G Figure 5: a man and a woman, neutral and smiling; any two where no gender is known."""
    first, second = stills.pairs("neutral", "smile")
    genders = stills.gender[first]
    chosen = [int(np.flatnonzero(genders == g)[0]) for g in np.unique(genders)[:2]]
    chosen = chosen if len(chosen) > 1 else [0, 1]
    rows = {
        str(genders[i]) or f"person {i + 1}": [stills.gross[first[i]], stills.gross[second[i]]]
        for i in chosen
    }
    return FaceGrid(["neutral", "smile"], rows)


def examples(stills: Stills, ks: Sequence[int]) -> FaceGrid:
    """M Figure 4 and F Figure 5: photos of the set that the models are trained on."""
    first, second = stills.pairs("neutral", "smile")
    rows = {
        name: [_still(stills, int(i)) for i in index[:_SHOWN]]
        for name, index in (("neutral", first), ("smile", second))
    }
    return FaceGrid([f"person {n + 1}" for n in range(_SHOWN)], rows)


def _newton(stills: Stills) -> Faces:
    """Neutral faces of the first people, in N's frame."""
    index: Indices = stills.pairs("neutral", "smile")[0]
    return stills.newton[index[:2]].astype(np.float64)


def _still(stills: Stills, row: int) -> Image:
    return stills.images[row]()


def _two(stills: Stills, method: str) -> FaceGrid:
    faces = _newton(stills)
    made = ad_hoc(method)(faces, np.arange(2))
    names = ["original", method]
    return FaceGrid(names, {f"person {i + 1}": [faces[i], made[i]] for i in range(2)})
